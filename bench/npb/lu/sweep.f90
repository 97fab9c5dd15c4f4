! SPDX-License-Identifier: GPL-3.0-or-later
! The two sweeps of an SSOR iteration of LU, by wavefronts.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, chapter 3 (symmetric
! successive over-relaxation, the Jacobians); wavefronts as in Barszcz, Fatoohi, Venkatakrishnan,
! Weeratunga, "Solution of regular, sparse triangular linear systems on vector and
! distributed-memory multiprocessors", report RNR-93-007.
!
! A sweep solves a block-triangular system: a point needs the results of its neighbours before it
! (after it, in the upper sweep) in all three directions. The unit of work is a tile, a small cube
! of points. With a, b and c the place of a tile along each direction, all tiles of equal a + b + c
! form a wavefront: each needs only results of wavefronts before, and of no other tile of its own.
! The tiles of a wavefront are shared out by a loop, whose barrier separates it from the next one;
! so the results do not depend on who does which, nor on when.
module sweeps
  use, intrinsic :: iso_fortran_env, only: real64
  use flow
  implicit none
  private
  public :: make_wavefronts, sweep

  !> The over-relaxation factor.
  real(real64), parameter, public :: omega = 1.2_real64

  !> Points a side of a tile: with more, a wavefront has too few tiles to share out evenly; with
  !> fewer, there are more wavefronts, with a barrier each.
  integer, parameter :: edge = 4

  real(real64), parameter :: third = 1 / 3.0_real64

  !> The first and the last point of a tile along each direction.
  type :: tile
    integer :: first(directions), last(directions)
  end type tile

  !> Wavefront l is the tiles from begins(l) to begins(l + 1) - 1.
  type, public :: wavefronts
    integer :: count
    integer, allocatable :: begins(:)
    type(tile), allocatable :: tiles(:)
  end type wavefronts

contains

  !> The wavefronts of all points inside.
  pure function make_wavefronts(n) result(fronts)
    integer, intent(in) :: n
    type(wavefronts) :: fronts
    integer :: side, place(directions), b, c, l, filled

    side = (n - 2 + edge - 1) / edge
    fronts%count = directions * (side - 1) + 1
    allocate (fronts%begins(fronts%count + 1), fronts%tiles(side**3))
    filled = 0
    do l = 1, fronts%count
      fronts%begins(l) = filled + 1
      do c = 0, side - 1
        do b = 0, side - 1
          place = [l - 1 - b - c, b, c]
          if (place(1) < 0 .or. place(1) >= side) cycle
          filled = filled + 1
          fronts%tiles(filled) = tile(2 + edge * place, min(1 + edge * (place + 1), n - 1))
        end do
      end do
    end do
    fronts%begins(fronts%count + 1) = filled + 1
  end function make_wavefronts

  !> The lower or the upper sweep, for a whole team: v, on entry the residual or what the lower one
  !> made of it, becomes the solution of the system of a time step dt about the field with derived
  !> quantities w.
  subroutine sweep(n, lower, fronts, dt, w, v)
    integer, intent(in) :: n
    logical, intent(in) :: lower
    type(wavefronts), intent(in) :: fronts
    real(real64), intent(in) :: dt, w(derived, n**3)
    real(real64), intent(inout) :: v(quantities, n**3)
    integer :: turn, l, t

    do turn = 1, fronts%count
      l = merge(turn, fronts%count + 1 - turn, lower)
      !$omp do
      do t = fronts%begins(l), fronts%begins(l + 1) - 1
        if (lower) then
          call solve_lower(n, fronts%tiles(t), dt, w, v)
        else
          call solve_upper(n, fronts%tiles(t), dt, w, v)
        end if
      end do
      !$omp end do
    end do
  end subroutine sweep

  !> Solves the lower system in a tile whose neighbours below are solved.
  subroutine solve_lower(n, within, dt, w, v)
    integer, intent(in) :: n
    type(tile), intent(in) :: within
    real(real64), intent(in) :: dt, w(derived, n**3)
    real(real64), intent(inout) :: v(quantities, n**3)
    real(real64) :: x(quantities)
    integer :: i, j, k, at

    do k = within%first(3), within%last(3)
      do j = within%first(2), within%last(2)
        do i = within%first(1), within%last(1)
          at = point_number(n, i, j, k)
          x = dt * v(:, at)
          call add_block_product(1, n, dt, -omega, -1, w(:, at - 1), v(:, at - 1), x)
          call add_block_product(2, n, dt, -omega, -1, w(:, at - n), v(:, at - n), x)
          call add_block_product(3, n, dt, -omega, -1, w(:, at - n**2), v(:, at - n**2), x)
          call solve_diagonal_block(n, dt, w(:, at), x)
          v(:, at) = x
        end do
      end do
    end do
  end subroutine solve_lower

  !> Solves the upper system in a tile whose neighbours above are solved.
  subroutine solve_upper(n, within, dt, w, v)
    integer, intent(in) :: n
    type(tile), intent(in) :: within
    real(real64), intent(in) :: dt, w(derived, n**3)
    real(real64), intent(inout) :: v(quantities, n**3)
    real(real64) :: x(quantities)
    integer :: i, j, k, at

    do k = within%last(3), within%first(3), -1
      do j = within%last(2), within%first(2), -1
        do i = within%last(1), within%first(1), -1
          at = point_number(n, i, j, k)
          x = 0
          call add_block_product(1, n, dt, omega, 1, w(:, at + 1), v(:, at + 1), x)
          call add_block_product(2, n, dt, omega, 1, w(:, at + n), v(:, at + n), x)
          call add_block_product(3, n, dt, omega, 1, w(:, at + n**2), v(:, at + n**2), x)
          call solve_diagonal_block(n, dt, w(:, at), x)
          v(:, at) = v(:, at) - x
        end do
      end do
    end do
  end subroutine solve_upper

  !> Adds factor * B v to x. B is the block that couples a point to its neighbour in direction d on
  !> side -1 or 1, with derived quantities w: dt times the Jacobian of the neighbour's part in the
  !> difference equations, applied here to v as a derivative, without forming the matrix.
  pure subroutine add_block_product(d, n, dt, factor, side, w, v, x)
    integer, intent(in) :: d, n, side
    real(real64), intent(in) :: dt, factor, w(derived), v(quantities)
    real(real64), intent(inout) :: x(quantities)
    real(real64), dimension(quantities) :: convection, viscosity
    real(real64) :: speeds(directions), change(directions), pressure_change, carried
    integer :: along

    along = velocity + d
    speeds = w(velocity + 1:velocity + directions)
    pressure_change = c2 * (v(5) - dot_product(speeds, v(2:4)) + w(kinetic) * v(1))
    ! Density times the change of the speed along d.
    carried = v(along) - w(along) * v(1)

    convection(1) = v(along)
    convection(2:4) = w(along) * v(2:4) + carried * speeds
    convection(along) = convection(along) + pressure_change
    convection(5) = w(along) * (v(5) + pressure_change) + carried * w(enthalpy)

    change = w(inverse_density) * (v(2:4) - speeds * v(1))
    viscosity(1) = 0
    viscosity(2:4) = change
    viscosity(along) = (1 + third) * viscosity(along)
    viscosity(5) = (1 - c1 * c5) * dot_product(speeds, change) + third * w(along) * change(d) &
                   + c1 * c5 * w(inverse_density) * (v(5) - w(energy) * v(1))

    x = x + factor * dt * (side * ((n - 1) / 2.0_real64) * convection &
                           - real(n - 1, real64)**2 * (c3 * c4 * viscosity + diffusion(d) * v))
  end subroutine add_block_product

  !> Replaces x by the solution y of D y = x. D, the block of a point itself, is one plus twice dt
  !> times the Jacobian of its viscosity and diffusion in all directions. It is lower triangular:
  !> momenta depend on the density and themselves only, so that substitution solves it.
  pure subroutine solve_diagonal_block(n, dt, w, x)
    integer, intent(in) :: n
    real(real64), intent(in) :: dt, w(derived)
    real(real64), intent(inout) :: x(quantities)
    real(real64) :: scale, base, viscous, speeds(directions)

    scale = 2 * dt * real(n - 1, real64)**2
    base = 1 + scale * sum(diffusion)
    viscous = scale * c3 * c4 * w(inverse_density)
    speeds = w(velocity + 1:velocity + directions)

    x(1) = x(1) / base
    x(2:4) = (x(2:4) + (directions + third) * viscous * speeds * x(1)) &
             / (base + (directions + third) * viscous)
    x(5) = (x(5) - viscous * ((directions * (1 - c1 * c5) + third) &
                              * dot_product(speeds, x(2:4) - speeds * x(1)) &
                              - directions * c1 * c5 * w(energy) * x(1))) &
           / (base + directions * c1 * c5 * viscous)
  end subroutine solve_diagonal_block

end module sweeps
