! SPDX-License-Identifier: GPL-3.0-or-later
! The flow problem of LU: the gas, its exact solution and the field that the iteration begins with.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, chapter 3 (the
! equations, boundary and initial values, coefficients of the exact solution).
!
! A field has a vector of five conserved quantities (density, three of momentum, energy) at each
! point of a cube of n points a side. The point (i, j, k), each from 1 to n, has number
! i + n (j - 1) + n**2 (k - 1), so that a neighbour in direction d is n**(d - 1) numbers away.
module flow
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: point_number, exact, derived_quantities, set_field

  integer, parameter, public :: quantities = 5, directions = 3

  !> The constants c1 to c5 of the equations: ratio of specific heats and so on.
  real(real64), parameter, public :: c1 = 1.4_real64, c2 = 0.4_real64, c3 = 0.1_real64, &
    c4 = 1.0_real64, c5 = 1.4_real64

  !> Second-difference diffusion by direction, and the fourth-difference dissipation.
  real(real64), parameter, public :: diffusion(directions) = [0.75_real64, 0.75_real64, 1.0_real64]
  real(real64), parameter, public :: dissipation = maxval(diffusion) / 4

  !> What follows from the conserved quantities of a point: 1 / density, the velocity from index
  !> velocity + 1 on, and by mass the kinetic energy, the energy and the enthalpy; and the pressure.
  integer, parameter, public :: inverse_density = 1, velocity = 1, kinetic = 5, energy = 6, &
    pressure = 7, enthalpy = 8, derived = 8

  !> Coefficients of the exact solution by quantity: the constant, then x, y, z, their squares,
  !> cubes and fourth powers.
  real(real64), parameter :: coefficients(quantities, 13) = reshape([real(real64) :: &
    2, 1, 2, 2, 5, &
    0, 0, 2, 2, 4, 0, 0, 0, 0, 3, 4, 0, 0, 0, 2, &
    5, 1, 0, 0, 0.1_real64, 3, 2, 2, 2, 0.4_real64, 0.5_real64, 3, 3, 3, 0.3_real64, &
    0.02_real64, 0.01_real64, 0.04_real64, 0.03_real64, 0.05_real64, &
    0.01_real64, 0.03_real64, 0.03_real64, 0.05_real64, 0.04_real64, &
    0.03_real64, 0.02_real64, 0.05_real64, 0.04_real64, 0.03_real64, &
    0.5_real64, 0.4_real64, 0.3_real64, 0.2_real64, 0.1_real64, &
    0.4_real64, 0.3_real64, 0.5_real64, 0.1_real64, 0.3_real64, &
    0.3_real64, 0.5_real64, 0.4_real64, 0.3_real64, 0.2_real64], [quantities, 13])

contains

  !> The number of a point.
  pure function point_number(n, i, j, k) result(at)
    integer, intent(in) :: n, i, j, k
    integer :: at

    at = i + n * (j - 1 + n * (k - 1))
  end function point_number

  !> The exact solution at a point.
  pure function exact(n, i, j, k) result(u)
    integer, intent(in) :: n, i, j, k
    real(real64) :: u(quantities), place(directions)
    integer :: d

    place = real([i, j, k] - 1, real64) / (n - 1)
    u = coefficients(:, 1)
    do d = 1, directions
      u = u + place(d) * (coefficients(:, 1 + d) + place(d) * (coefficients(:, 4 + d) &
              + place(d) * (coefficients(:, 7 + d) + place(d) * coefficients(:, 10 + d))))
    end do
  end function exact

  !> The derived quantities at a point.
  pure subroutine derived_quantities(u, w)
    real(real64), intent(in) :: u(quantities)
    real(real64), intent(out) :: w(derived)

    w(inverse_density) = 1 / u(1)
    w(velocity + 1:velocity + directions) = w(inverse_density) * u(2:4)
    w(kinetic) = sum(w(velocity + 1:velocity + directions)**2) / 2
    w(energy) = w(inverse_density) * u(5)
    w(pressure) = c2 * (u(5) - u(1) * w(kinetic))
    w(enthalpy) = w(inverse_density) * (u(5) + w(pressure))
  end subroutine derived_quantities

  !> Sets a field to the exact solution, or to the initial values, which are inside a blend of the
  !> linear interpolations between the faces of the cube.
  subroutine set_field(n, initial, u, w)
    integer, intent(in) :: n
    logical, intent(in) :: initial
    real(real64), intent(out) :: u(quantities, n**3), w(derived, n**3)
    integer :: i, j, k, at

    !$omp parallel do collapse(2) private(at)
    do k = 1, n
      do j = 1, n
        do i = 1, n
          at = point_number(n, i, j, k)
          if (.not. initial .or. any([i, j, k] == 1 .or. [i, j, k] == n)) then
            u(:, at) = exact(n, i, j, k)
          else
            u(:, at) = blended(i, j, k)
          end if
          call derived_quantities(u(:, at), w(:, at))
        end do
      end do
    end do

  contains

    pure function blended(i, j, k) result(b)
      integer, intent(in) :: i, j, k
      real(real64), dimension(quantities) :: b, x, y, z

      x = between(i, exact(n, 1, j, k), exact(n, n, j, k))
      y = between(j, exact(n, i, 1, k), exact(n, i, n, k))
      z = between(k, exact(n, i, j, 1), exact(n, i, j, n))
      b = 1 - (1 - x) * (1 - y) * (1 - z)
    end function blended

    elemental function between(i, first, last) result(b)
      integer, intent(in) :: i
      real(real64), intent(in) :: first, last
      real(real64) :: b

      b = first + (last - first) * (i - 1) / (n - 1)
    end function between

  end subroutine set_field

end module flow
