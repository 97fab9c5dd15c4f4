! SPDX-License-Identifier: GPL-3.0-or-later
! The flow problem that the pseudo-applications BT and SP solve: its constants, its exact solution
! and the values that it starts from.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 3.
module adi_problem
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: set_exact, set_start

  !> A problem: n**3 grid points, time steps and their length, and by component the root mean
  !> squares of the residual and of the error after them that NPB gives.
  type, public :: problem
    integer :: n, steps
    real(real64) :: dt, residual(5), error(5)
  end type problem

  !> The specification's C1 to C5: the ratio of specific heats, that minus one, the viscosity's two
  !> factors, and the Prandtl number's inverse.
  real(real64), parameter, public :: c1 = 1.4_real64, c2 = 0.4_real64, c3 = 0.1_real64, &
    c4 = 1.0_real64, c5 = 1.4_real64

  !> The coefficients of second-order dissipation in each direction, alike for all components, and
  !> that of fourth-order dissipation.
  real(real64), parameter, public :: dissipation2(3) = [0.75_real64, 0.75_real64, 1.0_real64]
  real(real64), parameter, public :: dissipation4 = maxval(dissipation2) / 4

  !> The exact solution's coefficients, by component: the constant, and then by power from 1 to 4
  !> those of xi, eta and zeta.
  real(real64), parameter :: exact(13, 5) = reshape([real(real64) :: &
    2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02_real64, 0.01_real64, 0.03_real64, 0.5, &
    0.4_real64, 0.3_real64, &
    1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01_real64, 0.03_real64, 0.02_real64, 0.4_real64, &
    0.3_real64, 0.5, &
    2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04_real64, 0.03_real64, 0.05_real64, 0.3_real64, &
    0.5, 0.4_real64, &
    2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03_real64, 0.05_real64, 0.04_real64, 0.2_real64, &
    0.1_real64, 0.3_real64, &
    5.0, 4.0, 3.0, 2.0, 0.1_real64, 0.4_real64, 0.3_real64, 0.05_real64, 0.04_real64, &
    0.03_real64, 0.1_real64, 0.3_real64, 0.2_real64], [13, 5])

contains

  !> The exact solution at a point of the unit cube.
  pure function exact_at(point) result(u)
    real(real64), intent(in) :: point(3)
    real(real64) :: u(5)
    integer :: power

    u = 0
    do power = 4, 1, -1
      u = u + matmul(point**power, exact(3 * power - 1:3 * power + 1, :))
    end do
    u = u + exact(1, :)
  end function exact_at

  !> Sets u to the exact solution, everywhere.
  subroutine set_exact(u)
    real(real64), intent(out) :: u(:, :, :, :)
    integer :: n, i, j, k

    n = size(u, 4)
    !$omp parallel do
    do k = 1, n
      do j = 1, n
        do i = 1, n
          u(:, i, j, k) = exact_at(real([i, j, k] - 1, real64) / (n - 1))
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine set_exact

  !> Sets u to the values that the problem starts from: the exact ones on the cube's faces, and
  !> inside of it what the specification interpolates between these.
  subroutine set_start(u)
    real(real64), intent(out) :: u(:, :, :, :)
    real(real64) :: point(3)
    integer :: n, i, j, k

    n = size(u, 4)
    !$omp parallel do private(point)
    do k = 1, n
      do j = 1, n
        do i = 1, n
          point = real([i, j, k] - 1, real64) / (n - 1)
          if (any([i, j, k] == 1 .or. [i, j, k] == n)) then
            u(:, i, j, k) = exact_at(point)
          else
            u(:, i, j, k) = between_faces(point)
          end if
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine set_start

  !> The specification's interpolation: with p(d) the linear one between the two faces across
  !> direction d, the sum of all p(d), minus all products of two, plus the product of all three.
  pure function between_faces(point) result(u)
    real(real64), intent(in) :: point(3)
    real(real64) :: u(5), p(5, 3), low(3), high(3)
    integer :: d

    do d = 1, 3
      low = point
      high = point
      low(d) = 0
      high(d) = 1
      p(:, d) = (1 - point(d)) * exact_at(low) + point(d) * exact_at(high)
    end do
    u = sum(p, 2) - p(:, 1) * p(:, 2) - p(:, 1) * p(:, 3) - p(:, 2) * p(:, 3) + product(p, 2)
  end function between_faces

end module adi_problem
