! SPDX-License-Identifier: GPL-3.0-or-later
! SP's implicit step: an approximate factorization, diagonalized, into scalar pentadiagonal systems
! along the grid lines of each direction.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 3, after Pulliam
! and Chaussee, "A diagonal form of an implicit approximate-factorization algorithm", J. Comput.
! Phys. 39 (1981).
!
! The factor of each direction is diagonal in the variables that waves along it carry. Those of the
! three directions are but rotations of one set, in which r is kept from the first to the last
! factor: the entropy, in units of density, the three velocities, and the pressure over density and
! speed of sound. Across the direction velocities are carried by the flow, as the entropy is; the
! sum of the pressure and the velocity along it runs faster by the speed of sound, and their
! difference slower.
module sp_solver
  use, intrinsic :: iso_fortran_env, only: real64
  use adi_bundle, only: gather, lanes, scatter
  use adi_problem, only: c1, c2, c3, c4, c5, dissipation2, dissipation4
  implicit none
  private
  public :: solve_plane

contains

  !> Solves the systems along the lines of a plane. To do so changes r to the waves' variables in
  !> the first direction, and in the last one back.
  subroutine solve_plane(dt, u, direction, r)
    real(real64), intent(in) :: dt, u(:, :, :)
    integer, intent(in) :: direction
    real(real64), intent(inout) :: r(:, :, :)
    real(real64), dimension(lanes, 5, size(u, 3)) :: w, x
    real(real64), dimension(lanes, size(u, 3)) :: velocity, sound, spread
    integer :: n, first, i

    n = size(u, 3)
    do first = 2, n - 1, lanes
      call gather(u, direction, first, w)
      call gather(r, direction, first, x)
      do i = 1, n
        call set_speeds(w(:, :, i), dissipation2(direction), velocity(:, i), sound(:, i), &
                        spread(:, i))
      end do

      do i = 2, n - 1
        if (direction == 1) call to_waves(w(:, :, i), sound(:, i), x(:, :, i))
        call swap_sum(x(:, 5, i), x(:, 2, i))
      end do
      call solve_pentadiagonal(n, dt, velocity, sound, spread, x)
      do i = 2, n - 1
        call swap_sum(x(:, 5, i), x(:, 2, i))
        x(:, 2:5:3, i) = x(:, 2:5:3, i) / 2
        if (direction == 3) call from_waves(w(:, :, i), sound(:, i), x(:, :, i))
      end do
      call scatter(x, direction, first, r)
    end do
  end subroutine solve_plane

  !> Replaces two numbers by their sum and their difference.
  elemental subroutine swap_sum(a, b)
    real(real64), intent(inout) :: a, b
    real(real64) :: difference

    difference = a - b
    a = a + b
    b = difference
  end subroutine swap_sum

  !> At a point of each line, how fast it is carried along, the speed of sound, and how fast it
  !> spreads: by dissipation and the strongest of the viscous terms.
  pure subroutine set_speeds(u, dissipation, velocity, sound, spread)
    real(real64), intent(in) :: u(lanes, 5), dissipation
    real(real64), intent(out), dimension(lanes) :: velocity, sound, spread
    real(real64), dimension(lanes) :: inverse, kinetic

    inverse = 1 / u(:, 1)
    velocity = u(:, 2) * inverse
    kinetic = (u(:, 2)**2 + u(:, 3)**2 + u(:, 4)**2) * inverse / 2
    sound = sqrt(c1 * c2 * (u(:, 5) - kinetic) * inverse)
    spread = dissipation + c3 * c4 * max(4.0_real64 / 3, c1 * c5) * inverse
  end subroutine set_speeds

  !> Changes x, at a point of each line, from changes of u to changes of the waves' variables.
  pure subroutine to_waves(u, sound, x)
    real(real64), intent(in) :: u(lanes, 5), sound(lanes)
    real(real64), intent(inout) :: x(lanes, 5)
    real(real64), dimension(lanes) :: inverse, pressure
    real(real64) :: v(lanes, 3)
    integer :: m

    inverse = 1 / u(:, 1)
    pressure = x(:, 5)
    do m = 1, 3
      v(:, m) = u(:, m + 1) * inverse
      pressure = pressure + v(:, m) * (v(:, m) * x(:, 1) / 2 - x(:, m + 1))
    end do
    pressure = c2 * pressure
    do m = 1, 3
      x(:, m + 1) = (x(:, m + 1) - v(:, m) * x(:, 1)) * inverse
    end do
    x(:, 1) = x(:, 1) - pressure / sound**2
    x(:, 5) = pressure * inverse / sound
  end subroutine to_waves

  !> Undoes to_waves.
  pure subroutine from_waves(u, sound, x)
    real(real64), intent(in) :: u(lanes, 5), sound(lanes)
    real(real64), intent(inout) :: x(lanes, 5)
    real(real64), dimension(lanes) :: v, energy
    integer :: m

    energy = u(:, 1) * sound * x(:, 5) / c2
    x(:, 1) = x(:, 1) + u(:, 1) * x(:, 5) / sound
    do m = 2, 4
      v = u(:, m) / u(:, 1)
      energy = energy + u(:, m) * x(:, m) + v**2 / 2 * x(:, 1)
      x(:, m) = u(:, 1) * x(:, m) + v * x(:, 1)
    end do
    x(:, 5) = energy
  end subroutine from_waves

  !> Solves for x the systems of what the flow carries (components 1, 3 and 4), of the slower sound
  !> (2) and of the faster one (5), by elimination. On the grid's faces nothing changes, so that a
  !> system is one of the points between.
  pure subroutine solve_pentadiagonal(n, dt, velocity, sound, spread, x)
    integer, intent(in) :: n
    real(real64), intent(in) :: dt
    real(real64), intent(in), dimension(lanes, n) :: velocity, sound, spread
    real(real64), intent(inout) :: x(lanes, 5, n)
    !> By component, its system, and by system, how many times the speed of sound it runs ahead.
    integer, parameter :: system_of(5) = [2, 1, 2, 2, 3]
    real(real64), parameter :: ahead(3) = [-1, 0, 1]
    ! What elimination leaves of the two upper diagonals: by system, the next point and the one
    ! after.
    real(real64) :: next(lanes, 3, 0:n), second(lanes, 3, 0:n)
    real(real64), dimension(lanes, 3) :: before, inverse
    real(real64), dimension(lanes) :: below, middle, above, rest
    real(real64) :: far, half, square
    integer :: i, m, s

    half = dt * (n - 1) / 2
    square = dt * real(n - 1, real64)**2
    far = dt * dissipation4
    next(:, :, :1) = 0
    second(:, :, :1) = 0
    x(:, :, 1) = 0
    x(:, :, n) = 0
    do i = 2, n - 1
      below = -square * spread(:, i - 1) - 4 * far
      middle = 1 + 2 * square * spread(:, i) + merge(5, 6, i == 2 .or. i == n - 1) * far
      above = -square * spread(:, i + 1) - 4 * far
      do s = 1, 3
        before(:, s) = below - half * (velocity(:, i - 1) + ahead(s) * sound(:, i - 1)) &
                       - far * next(:, s, i - 2)
        inverse(:, s) = 1 / (middle - far * second(:, s, i - 2) - before(:, s) * next(:, s, i - 1))
        rest = above + half * (velocity(:, i + 1) + ahead(s) * sound(:, i + 1))
        next(:, s, i) = inverse(:, s) * (rest - before(:, s) * second(:, s, i - 1))
        second(:, s, i) = inverse(:, s) * far
      end do
      do m = 1, 5
        s = system_of(m)
        rest = x(:, m, i) - before(:, s) * x(:, m, i - 1) - far * x(:, m, max(i - 2, 1))
        x(:, m, i) = inverse(:, s) * rest
      end do
    end do
    do i = n - 2, 2, -1
      do m = 1, 5
        s = system_of(m)
        rest = next(:, s, i) * x(:, m, i + 1) + second(:, s, i) * x(:, m, i + 2)
        x(:, m, i) = x(:, m, i) - rest
      end do
    end do
  end subroutine solve_pentadiagonal

end module sp_solver
