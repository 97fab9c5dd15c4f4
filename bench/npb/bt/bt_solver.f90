! SPDX-License-Identifier: GPL-3.0-or-later
! BT's implicit step: an approximate factorization into block-tridiagonal systems along the grid
! lines of each direction, solved by block elimination.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 3.
module bt_solver
  use, intrinsic :: iso_fortran_env, only: real64
  use adi_bundle, only: gather, lanes, scatter
  use adi_problem, only: c1, c2, c3, c4, c5, dissipation2
  implicit none
  private
  public :: solve_plane

contains

  !> Solves the systems along the lines of a plane. On the grid's faces nothing changes, so that a
  !> system is one of the points between. Of the block that couples two points, what depends on u is
  !> that of the point that it multiplies.
  subroutine solve_plane(dt, u, direction, r)
    real(real64), intent(in) :: dt, u(:, :, :)
    integer, intent(in) :: direction
    real(real64), intent(inout) :: r(:, :, :)
    real(real64), dimension(lanes, 5, size(u, 3)) :: w, x
    ! By point, counted modulo 3 or 2, the block by which it enters the next one's equations, and
    ! that by which it enters its own; then the one for the previous one's.
    real(real64) :: lower(lanes, 5, 5, 0:2), diagonal(lanes, 5, 5, 0:1), upper(lanes, 5, 5)
    ! Columns: the diagonal block; the upper one; the right-hand side.
    real(real64) :: matrix(lanes, 5, 11)
    ! What elimination leaves of the upper block.
    real(real64) :: coupling(lanes, 5, 5, size(u, 3))
    integer :: n, first, i, q

    n = size(u, 3)
    do first = 2, n - 1, lanes
      call gather(u, direction, first, w)
      call gather(r, direction, first, x)
      call set_blocks(2, upper)
      do i = 2, n - 1
        call set_blocks(i + 1, upper)
        matrix(:, :, 1:5) = diagonal(:, :, :, mod(i, 2))
        matrix(:, :, 6:10) = upper
        matrix(:, :, 11) = x(:, :, i)
        if (i > 2) then
          do q = 1, 5
            call subtract(lower(:, :, :, mod(i - 1, 3)), coupling(:, :, q, i - 1), matrix(:, :, q))
          end do
          call subtract(lower(:, :, :, mod(i - 1, 3)), x(:, :, i - 1), matrix(:, :, 11))
        end if
        call reduce(matrix)
        coupling(:, :, :, i) = matrix(:, :, 6:10)
        x(:, :, i) = matrix(:, :, 11)
      end do
      do i = n - 2, 2, -1
        call subtract(coupling(:, :, :, i), x(:, :, i + 1), x(:, :, i))
      end do
      call scatter(x, direction, first, r)
    end do

  contains

    !> Sets the three blocks of point i.
    subroutine set_blocks(i, upper)
      integer, intent(in) :: i
      real(real64), intent(out) :: upper(lanes, 5, 5)
      real(real64), dimension(lanes, 5, 5) :: convective, viscous
      integer :: p

      call set_jacobians(w(:, :, i), convective, viscous)
      do p = 1, 5
        viscous(:, p, p) = viscous(:, p, p) + dissipation2(direction)
      end do
      convective = dt * (n - 1) / 2 * convective
      viscous = dt * real(n - 1, real64)**2 * viscous
      lower(:, :, :, mod(i, 3)) = -convective - viscous
      upper = convective - viscous
      viscous = 2 * viscous
      do p = 1, 5
        viscous(:, p, p) = viscous(:, p, p) + 1
      end do
      diagonal(:, :, :, mod(i, 2)) = viscous
    end subroutine set_blocks

  end subroutine solve_plane

  !> The derivatives of a point's flux and of its viscous terms along the line.
  pure subroutine set_jacobians(u, convective, viscous)
    real(real64), intent(in) :: u(lanes, 5)
    real(real64), intent(out), dimension(lanes, 5, 5) :: convective, viscous
    real(real64), parameter :: heat = c1 * c5
    real(real64), dimension(lanes) :: inverse, kinetic, energy, nu, v1, v2, v3

    inverse = 1 / u(:, 1)
    v1 = u(:, 2) * inverse
    v2 = u(:, 3) * inverse
    v3 = u(:, 4) * inverse
    energy = u(:, 5) * inverse
    kinetic = (v1**2 + v2**2 + v3**2) / 2
    nu = c3 * c4 * inverse

    convective = 0
    convective(:, 1, 2) = 1
    convective(:, 2, 1) = c2 * kinetic - v1**2
    convective(:, 2, 2) = (2 - c2) * v1
    convective(:, 2, 3) = -c2 * v2
    convective(:, 2, 4) = -c2 * v3
    convective(:, 2, 5) = c2
    convective(:, 3, 1) = -v1 * v2
    convective(:, 3, 2) = v2
    convective(:, 3, 3) = v1
    convective(:, 4, 1) = -v1 * v3
    convective(:, 4, 2) = v3
    convective(:, 4, 4) = v1
    convective(:, 5, 1) = v1 * (2 * c2 * kinetic - c1 * energy)
    convective(:, 5, 2) = c1 * energy - c2 * (kinetic + v1**2)
    convective(:, 5, 3) = -c2 * v1 * v2
    convective(:, 5, 4) = -c2 * v1 * v3
    convective(:, 5, 5) = c1 * v1

    viscous = 0
    viscous(:, 2, 1) = -4 * nu * v1 / 3
    viscous(:, 2, 2) = 4 * nu / 3
    viscous(:, 3, 1) = -nu * v2
    viscous(:, 3, 3) = nu
    viscous(:, 4, 1) = -nu * v3
    viscous(:, 4, 4) = nu
    viscous(:, 5, 1) = -nu * (2 * (1 - heat) * kinetic + v1**2 / 3 + heat * energy)
    viscous(:, 5, 2) = nu * (4.0_real64 / 3 - heat) * v1
    viscous(:, 5, 3) = nu * (1 - heat) * v2
    viscous(:, 5, 4) = nu * (1 - heat) * v3
    viscous(:, 5, 5) = nu * heat
  end subroutine set_jacobians

  !> Subtracts a block's product with a column.
  pure subroutine subtract(block, column, from)
    real(real64), intent(in) :: block(lanes, 5, 5), column(lanes, 5)
    real(real64), intent(inout) :: from(lanes, 5)
    real(real64) :: rest(lanes)
    integer :: p, q

    do p = 1, 5
      rest = from(:, p)
      do q = 1, 5
        rest = rest - block(:, p, q) * column(:, q)
      end do
      from(:, p) = rest
    end do
  end subroutine subtract

  !> Multiplies the columns from the sixth on with the inverse of the block before them, by
  !> elimination, a column at a time; the diagonal is large enough to need no other pivots.
  pure subroutine reduce(matrix)
    real(real64), intent(inout) :: matrix(lanes, 5, 11)
    real(real64) :: inverse(lanes, 5)
    integer :: pivot, q

    do q = 1, 5
      do pivot = 1, q - 1
        call eliminate(pivot, matrix(:, :, pivot), inverse(:, pivot), matrix(:, :, q))
      end do
      inverse(:, q) = 1 / matrix(:, q, q)
    end do
    do q = 6, 11
      do pivot = 1, 5
        call eliminate(pivot, matrix(:, :, pivot), inverse(:, pivot), matrix(:, :, q))
      end do
    end do
  end subroutine reduce

  !> Eliminates the pivot's row from a column, given the pivot's own column and inverse.
  pure subroutine eliminate(pivot, factors, inverse, column)
    integer, intent(in) :: pivot
    real(real64), intent(in) :: factors(lanes, 5), inverse(lanes)
    real(real64), intent(inout) :: column(lanes, 5)
    real(real64) :: scaled(lanes)
    integer :: p

    scaled = column(:, pivot) * inverse
    do p = 1, 5
      column(:, p) = column(:, p) - factors(:, p) * scaled
    end do
    column(:, pivot) = scaled
  end subroutine eliminate

end module bt_solver
