! SPDX-License-Identifier: GPL-3.0-or-later
! The right-hand side of a time step of BT and SP: the flow equations' central differences, with
! dissipation of second and fourth order.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 3.
module adi_rhs
  use, intrinsic :: iso_fortran_env, only: real64
  use adi_bundle, only: gather, lanes, scatter
  use adi_problem, only: c1, c2, c3, c4, c5, dissipation2, dissipation4
  implicit none
  private
  public :: set_rhs

contains

  !> Sets r to scale times (the differences of u plus forcing), inside of the grid. All threads of a
  !> team call it together.
  subroutine set_rhs(u, forcing, scale, r)
    real(real64), intent(in) :: u(:, :, :, :), forcing(:, :, :, :), scale
    real(real64), intent(inout) :: r(:, :, :, :)
    integer :: j, k

    !$omp do
    do k = 2, size(u, 4) - 1
      r(:, :, :, k) = forcing(:, :, :, k)
      call add_differences(u(:, :, :, k), 1, 1.0_real64, r(:, :, :, k))
      call add_differences(u(:, :, :, k), 2, 1.0_real64, r(:, :, :, k))
    end do
    !$omp end do
    !$omp do
    do j = 2, size(u, 3) - 1
      call add_differences(u(:, :, j, :), 3, scale, r(:, :, j, :))
    end do
    !$omp end do
  end subroutine set_rhs

  !> Sets r to scale times (r plus the differences of u in one direction), in a plane.
  subroutine add_differences(u, direction, scale, r)
    real(real64), intent(in) :: u(:, :, :), scale
    integer, intent(in) :: direction
    real(real64), intent(inout) :: r(:, :, :)
    real(real64), dimension(lanes, 5, 0:size(u, 3) + 1) :: w
    real(real64), dimension(lanes, 5, size(u, 3)) :: flux, diffused, change
    real(real64) :: square, half
    integer :: n, first, i, m

    n = size(u, 3)
    half = (n - 1) / 2.0_real64
    square = real(n - 1, real64)**2
    do first = 2, n - 1, lanes
      call gather(u, direction, first, w(:, :, 1:n))
      call gather(r, direction, first, change)
      do i = 1, n
        call set_terms(w(:, :, i), dissipation2(direction), flux(:, :, i), diffused(:, :, i))
      end do

      ! What makes the fourth difference the specification's next to the faces.
      w(:, :, 0) = -w(:, :, 2)
      w(:, :, 1) = 0
      w(:, :, n) = 0
      w(:, :, n + 1) = -w(:, :, n - 1)
      do i = 2, n - 1
        do m = 1, 5
          change(:, m, i) = scale * (change(:, m, i) &
            - half * (flux(:, m, i + 1) - flux(:, m, i - 1)) &
            + square * (diffused(:, m, i + 1) - 2 * diffused(:, m, i) + diffused(:, m, i - 1)) &
            - dissipation4 * (w(:, m, i - 2) - 4 * w(:, m, i - 1) + 6 * w(:, m, i) &
                              - 4 * w(:, m, i + 1) + w(:, m, i + 2)))
        end do
      end do
      call scatter(change, direction, first, r)
    end do
  end subroutine add_differences

  !> What the equations have the first and the second derivative of, along the lines, at one point
  !> of each: the flux, and the viscous terms with u's second-order dissipation.
  pure subroutine set_terms(u, dissipation, flux, diffused)
    real(real64), intent(in) :: u(lanes, 5), dissipation
    real(real64), intent(out) :: flux(lanes, 5), diffused(lanes, 5)
    real(real64), dimension(lanes) :: inverse, kinetic, pressure
    real(real64) :: v(lanes, 3)
    integer :: m

    inverse = 1 / u(:, 1)
    do m = 1, 3
      v(:, m) = u(:, m + 1) * inverse
    end do
    kinetic = (v(:, 1)**2 + v(:, 2)**2 + v(:, 3)**2) / 2
    pressure = c2 * (u(:, 5) - u(:, 1) * kinetic)

    flux(:, 1) = u(:, 2)
    flux(:, 2) = u(:, 2) * v(:, 1) + pressure
    flux(:, 3) = u(:, 3) * v(:, 1)
    flux(:, 4) = u(:, 4) * v(:, 1)
    flux(:, 5) = (u(:, 5) + pressure) * v(:, 1)

    diffused = dissipation * u
    diffused(:, 2) = diffused(:, 2) + c3 * c4 * 4 / 3 * v(:, 1)
    diffused(:, 3) = diffused(:, 3) + c3 * c4 * v(:, 2)
    diffused(:, 4) = diffused(:, 4) + c3 * c4 * v(:, 3)
    diffused(:, 5) = diffused(:, 5) + c3 * c4 * ((1 - c1 * c5) * kinetic + v(:, 1)**2 / 6 &
                                                 + c1 * c5 * u(:, 5) * inverse)
  end subroutine set_terms

end module adi_rhs
