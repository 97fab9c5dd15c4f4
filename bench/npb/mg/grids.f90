! SPDX-License-Identifier: GPL-3.0-or-later
! The operators of MG on periodic cubic grids: 27-point stencils and interpolation to a finer grid.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 2.2.2 (MG).
!
! A grid of n**3 points is an array (0:n+1, n, n): each row of points has at its ends copies of its
! last and first ones, which the thread that changes the row renews; rows and planes are wrapped
! around by index. The subroutines with loops are called by all threads of a team; their loops share
! the planes out among them and end in a barrier.
module grids
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: add_stencil, clear, interpolate_add, norm, residual, restrict

  !> The longest row, so that buffers of a row are on the stack.
  integer, parameter :: longest = 256

  !> Weights of a point itself and of its neighbours by face, edge and corner: the operator of the
  !> equation, A, and the projection to a coarser grid, P.
  real(real64), parameter, public :: operator_weights(0:3) = &
    [-8.0_real64 / 3, 0.0_real64, 1.0_real64 / 6, 1.0_real64 / 12]
  real(real64), parameter :: projection_weights(0:3) = &
    [0.5_real64, 0.25_real64, 0.125_real64, 0.0625_real64]

contains

  !> u = 0.
  subroutine clear(n, u)
    integer, intent(in) :: n
    real(real64), intent(inout) :: u(0:n + 1, n, n)
    integer :: plane

    !$omp do
    do plane = 1, n
      u(:, :, plane) = 0
    end do
    !$omp end do
  end subroutine clear

  !> r = v - A u.
  subroutine residual(n, u, v, r)
    integer, intent(in) :: n
    real(real64), intent(in) :: u(0:n + 1, n, n), v(0:n + 1, n, n)
    real(real64), intent(inout) :: r(0:n + 1, n, n)
    real(real64) :: applied(longest)
    integer :: row, plane

    !$omp do
    do plane = 1, n
      do row = 1, n
        call apply_stencil(n, u, row, plane, operator_weights, applied)
        r(1:n, row, plane) = v(1:n, row, plane) - applied(1:n)
        call close_row(n, r(:, row, plane))
      end do
    end do
    !$omp end do
  end subroutine residual

  !> u = u + S r, with the weights of a stencil S.
  subroutine add_stencil(n, weights, r, u)
    integer, intent(in) :: n
    real(real64), intent(in) :: weights(0:3), r(0:n + 1, n, n)
    real(real64), intent(inout) :: u(0:n + 1, n, n)
    real(real64) :: applied(longest)
    integer :: row, plane

    !$omp do
    do plane = 1, n
      do row = 1, n
        call apply_stencil(n, r, row, plane, weights, applied)
        u(1:n, row, plane) = u(1:n, row, plane) + applied(1:n)
        call close_row(n, u(:, row, plane))
      end do
    end do
    !$omp end do
  end subroutine add_stencil

  !> coarse = P fine: the fine grid, of n**3 points, at its points of even indices.
  subroutine restrict(n, fine, coarse)
    integer, intent(in) :: n
    real(real64), intent(in) :: fine(0:n + 1, n, n)
    real(real64), intent(inout) :: coarse(0:n / 2 + 1, n / 2, n / 2)
    real(real64) :: applied(longest)
    integer :: row, plane

    !$omp do
    do plane = 1, n / 2
      do row = 1, n / 2
        call apply_stencil(n, fine, 2 * row, 2 * plane, projection_weights, applied)
        coarse(1:n / 2, row, plane) = applied(2:n:2)
        call close_row(n / 2, coarse(:, row, plane))
      end do
    end do
    !$omp end do
  end subroutine restrict

  !> fine = fine + Q coarse: adds to the fine grid what lies at or, linearly, between the points of
  !> the coarse one, of n**3 points. An iteration does two planes, as these differ in work.
  subroutine interpolate_add(n, coarse, fine)
    integer, intent(in) :: n
    real(real64), intent(in) :: coarse(0:n + 1, n, n)
    real(real64), intent(inout) :: fine(0:2 * n + 1, 2 * n, 2 * n)
    real(real64) :: beside(0:longest + 1), below(0:longest + 1)
    integer :: row, plane, last_row, last_plane

    !$omp do
    do plane = 1, n
      last_plane = wrapped(plane - 1, n)
      do row = 1, n
        last_row = wrapped(row - 1, n)
        associate (here => coarse(:, row, plane))
          beside(0:n + 1) = 0.5_real64 * (here + coarse(:, last_row, plane))
          below(0:n + 1) = 0.5_real64 * (here + coarse(:, row, last_plane))
        end associate
        call interpolate_row(n, coarse(:, row, plane), fine(:, 2 * row, 2 * plane))
        call interpolate_row(n, beside, fine(:, 2 * row - 1, 2 * plane))
        call interpolate_row(n, below, fine(:, 2 * row, 2 * plane - 1))
        beside(0:n + 1) = 0.5_real64 * beside(0:n + 1) + 0.25_real64 * &
                          (coarse(:, row, last_plane) + coarse(:, last_row, last_plane))
        call interpolate_row(n, beside, fine(:, 2 * row - 1, 2 * plane - 1))
      end do
    end do
    !$omp end do
  end subroutine interpolate_add

  !> The root of the mean of the squares of r; to be called outside of parallel regions.
  function norm(n, r)
    integer, intent(in) :: n
    real(real64), intent(in) :: r(0:n + 1, n, n)
    real(real64) :: norm, total
    integer :: plane

    total = 0
    !$omp parallel do reduction(+ : total)
    do plane = 1, n
      total = total + sum(r(1:n, :, plane)**2)
    end do
    !$omp end parallel do
    norm = sqrt(total / real(n, real64)**3)
  end function norm

  !> What a stencil of these weights makes of one row of x.
  pure subroutine apply_stencil(n, x, row, plane, weights, applied)
    integer, intent(in) :: n, row, plane
    real(real64), intent(in) :: x(0:n + 1, n, n), weights(0:3)
    real(real64), intent(out) :: applied(n)
    real(real64) :: faces(0:longest + 1), edges(0:longest + 1)
    integer :: i, last_row, next_row, last_plane, next_plane

    last_row = wrapped(row - 1, n)
    next_row = wrapped(row + 1, n)
    last_plane = wrapped(plane - 1, n)
    next_plane = wrapped(plane + 1, n)
    ! The four rows that touch this one by a face, and the four that touch it by an edge.
    do i = 0, n + 1
      faces(i) = x(i, last_row, plane) + x(i, next_row, plane) &
                 + x(i, row, last_plane) + x(i, row, next_plane)
      edges(i) = x(i, last_row, last_plane) + x(i, next_row, last_plane) &
                 + x(i, last_row, next_plane) + x(i, next_row, next_plane)
    end do
    do i = 1, n
      applied(i) = weights(0) * x(i, row, plane) &
                   + weights(1) * (x(i - 1, row, plane) + x(i + 1, row, plane) + faces(i)) &
                   + weights(2) * (faces(i - 1) + faces(i + 1) + edges(i)) &
                   + weights(3) * (edges(i - 1) + edges(i + 1))
    end do
  end subroutine apply_stencil

  !> Adds to a row of 2 * n points a row of n points, and what lies between these.
  pure subroutine interpolate_row(n, coarse, fine)
    integer, intent(in) :: n
    real(real64), intent(in) :: coarse(0:n + 1)
    real(real64), intent(inout) :: fine(0:2 * n + 1)
    integer :: i

    do i = 1, n
      fine(2 * i - 1) = fine(2 * i - 1) + 0.5_real64 * (coarse(i - 1) + coarse(i))
      fine(2 * i) = fine(2 * i) + coarse(i)
    end do
    call close_row(2 * n, fine)
  end subroutine interpolate_row

  !> Renews the copies at the ends of a row.
  pure subroutine close_row(n, row)
    integer, intent(in) :: n
    real(real64), intent(inout) :: row(0:n + 1)

    row(0) = row(n)
    row(n + 1) = row(1)
  end subroutine close_row

  !> The index from 1 to n that i, from 0 to n + 1, stands for.
  elemental function wrapped(i, n)
    integer, intent(in) :: i, n
    integer :: wrapped

    wrapped = modulo(i - 1, n) + 1
  end function wrapped

end module grids
