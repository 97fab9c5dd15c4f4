! SPDX-License-Identifier: GPL-3.0-or-later
! The residual of LU's steady flow equations, by central differences in space.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, chapter 3 (differences in
! space, dissipation near the boundary).
module residual
  use, intrinsic :: iso_fortran_env, only: real64
  use flow
  implicit none
  private
  public :: dissipation_stencils, find_residual

  !> Fourth differences reach this many points to either side.
  integer, parameter, public :: reach = 2

contains

  !> The weights of a point's neighbours in the fourth difference, by position from 1 to n: next to
  !> the boundary, the points on it and beyond have none.
  pure function dissipation_stencils(n) result(weight)
    integer, intent(in) :: n
    real(real64) :: weight(-reach:reach, n)
    integer :: i

    do i = 1, n
      weight(:, i) = [1, -4, 6, -4, 1]
    end do
    weight(:, 2) = [0, 0, 5, -4, 1]
    weight(:, 3) = [0, -4, 6, -4, 1]
    weight(:, n - 2) = [1, -4, 6, -4, 0]
    weight(:, n - 1) = [1, -4, 5, 0, 0]
  end function dissipation_stencils

  !> The residual r of the field u with derived quantities w, at all points inside. For a whole
  !> team: it shares out the rows, and ends in a barrier.
  subroutine find_residual(n, weight, u, w, forcing, r)
    integer, intent(in) :: n
    real(real64), intent(in) :: weight(-reach:reach, n), u(quantities, n**3), w(derived, n**3), &
      forcing(quantities, n**3)
    real(real64), intent(inout) :: r(quantities, n**3)
    real(real64) :: sum_of_terms(quantities)
    integer :: i, j, k, at

    !$omp do collapse(2)
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          at = point_number(n, i, j, k)
          sum_of_terms = -forcing(:, at)
          call add_terms(1, n, at, weight(:, i), u, w, sum_of_terms)
          call add_terms(2, n, at, weight(:, j), u, w, sum_of_terms)
          call add_terms(3, n, at, weight(:, k), u, w, sum_of_terms)
          r(:, at) = sum_of_terms
        end do
      end do
    end do
    !$omp end do
  end subroutine find_residual

  !> Adds to r the terms with derivatives in direction d at point at: convection, viscosity,
  !> diffusion and dissipation.
  pure subroutine add_terms(d, n, at, weight, u, w, r)
    integer, intent(in) :: d, n, at
    real(real64), intent(in) :: weight(-reach:reach), u(quantities, n**3), w(derived, n**3)
    real(real64), intent(inout) :: r(quantities)
    real(real64), parameter :: third = 1 / 3.0_real64
    real(real64), dimension(quantities) :: convection, viscosity, smoothing
    real(real64) :: half_inverse_step, inverse_square
    integer :: along, below, above, far_below, far_above

    half_inverse_step = (n - 1) / 2.0_real64
    inverse_square = real(n - 1, real64)**2
    along = velocity + d
    below = at - n**(d - 1)
    above = at + n**(d - 1)
    ! Beyond the boundary, where the weight is zero, there may be no point.
    far_below = merge(below - n**(d - 1), below, weight(-reach) > 0)
    far_above = merge(above + n**(d - 1), above, weight(reach) > 0)

    convection(1) = u(along, above) - u(along, below)
    convection(2:4) = u(2:4, above) * w(along, above) - u(2:4, below) * w(along, below)
    convection(along) = convection(along) + w(pressure, above) - w(pressure, below)
    convection(5) = u(along, above) * w(enthalpy, above) - u(along, below) * w(enthalpy, below)

    viscosity(1) = 0
    viscosity(2:4) = w(velocity + 1:velocity + directions, below) &
                     - 2 * w(velocity + 1:velocity + directions, at) &
                     + w(velocity + 1:velocity + directions, above)
    viscosity(along) = (1 + third) * viscosity(along)
    viscosity(5) = (1 - c1 * c5) * (w(kinetic, below) - 2 * w(kinetic, at) + w(kinetic, above)) &
                   + third / 2 * (w(along, below)**2 - 2 * w(along, at)**2 + w(along, above)**2) &
                   + c1 * c5 * (w(energy, below) - 2 * w(energy, at) + w(energy, above))

    smoothing = weight(-2) * u(:, far_below) + weight(-1) * u(:, below) + weight(0) * u(:, at) &
                + weight(1) * u(:, above) + weight(2) * u(:, far_above)

    r = r - half_inverse_step * convection &
        + inverse_square * (c3 * c4 * viscosity &
                            + diffusion(d) * (u(:, below) - 2 * u(:, at) + u(:, above))) &
        - dissipation * smoothing
  end subroutine add_terms

end module residual
