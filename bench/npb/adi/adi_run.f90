! SPDX-License-Identifier: GPL-3.0-or-later
! What BT and SP have in common as programs: the time steps, measured, and the verification by
! norms of residual and error.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 3.
module adi_run
  use, intrinsic :: iso_fortran_env, only: real64
  use adi_problem, only: problem, set_exact, set_start
  use adi_rhs, only: set_rhs
  use bench, only: bench_now
  use npb, only: finish
  implicit none
  private
  public :: run

  real(real64), parameter :: tolerance = 1e-8_real64

  abstract interface
    !> Solves the systems along the lines of a plane of the grid in a direction, 1 to 3, for a time
    !> step of length dt from u: the right-hand side r becomes the solution, inside of the grid.
    subroutine plane_solver(dt, u, direction, r)
      import :: real64
      real(real64), intent(in) :: dt, u(:, :, :)
      integer, intent(in) :: direction
      real(real64), intent(inout) :: r(:, :, :)
    end subroutine plane_solver
  end interface

contains

  !> Runs the problem of a class, and ends the program. Operations are those of a step, as a
  !> polynomial of the points along an edge, by powers from 0.
  subroutine run(name, class, chosen, solve_plane, operations)
    character(len=*), intent(in) :: name
    integer, intent(in) :: class
    type(problem), intent(in) :: chosen
    procedure(plane_solver) :: solve_plane
    real(real64), intent(in) :: operations(0:3)
    real(real64), allocatable :: u(:, :, :, :), r(:, :, :, :), forcing(:, :, :, :)
    real(real64) :: seconds
    character(len=25) :: edges
    logical :: verified
    integer :: n

    n = chosen%n
    ! One more than needed, so that points of different planes do not share a set of the cache.
    allocate (u(5, n + 1, n + 1, n), source=0.0_real64)
    allocate (r, forcing, source=u)
    call march(chosen, solve_plane, u(:, :n, :n, :), r(:, :n, :n, :), forcing(:, :n, :n, :), &
               seconds)
    call verify(chosen, u(:, :n, :n, :), r(:, :n, :n, :), forcing(:, :n, :n, :), verified)

    write (edges, '(i0, 2("x", i0))') n, n, n
    edges = adjustr(edges)
    call finish(name, class, edges, chosen%steps, seconds, &
                chosen%steps * 1e-6_real64 * sum(operations * real(n, real64)**[0, 1, 2, 3]), &
                'floating point', verified)
  end subroutine run

  !> Takes the time steps, in seconds, after one that is undone and not measured. All of r and
  !> forcing is zero beforehand.
  subroutine march(chosen, solve_plane, u, r, forcing, seconds)
    type(problem), intent(in) :: chosen
    procedure(plane_solver) :: solve_plane
    real(real64), intent(inout) :: u(:, :, :, :), r(:, :, :, :), forcing(:, :, :, :)
    real(real64), intent(out) :: seconds
    real(real64) :: start
    integer :: step

    ! The forcing is what keeps the exact solution as it is.
    call set_exact(u)
    !$omp parallel
    call set_rhs(u, forcing, -1.0_real64, r)
    !$omp end parallel
    forcing = r

    call set_start(u)
    call advance()
    call set_start(u)
    start = bench_now()
    do step = 1, chosen%steps
      call advance()
    end do
    seconds = bench_now() - start

  contains

    !> Takes one time step.
    subroutine advance()
      integer :: k, inner

      inner = chosen%n - 1
      !$omp parallel
      call set_rhs(u, forcing, chosen%dt, r)
      call solve(chosen%dt, solve_plane, u, r)
      !$omp do
      do k = 2, inner
        u(:, 2:inner, 2:inner, k) = u(:, 2:inner, 2:inner, k) + r(:, 2:inner, 2:inner, k)
      end do
      !$omp end do
      !$omp end parallel
    end subroutine advance

  end subroutine march

  !> Turns r, the right-hand side of a time step of length dt from u, into the change of u, inside
  !> of the grid. All threads of a team call it together.
  subroutine solve(dt, solve_plane, u, r)
    real(real64), intent(in) :: dt, u(:, :, :, :)
    procedure(plane_solver) :: solve_plane
    real(real64), intent(inout) :: r(:, :, :, :)
    integer :: j, k

    !$omp do
    do k = 2, size(u, 4) - 1
      call solve_plane(dt, u(:, :, :, k), 1, r(:, :, :, k))
    end do
    !$omp end do
    !$omp do
    do k = 2, size(u, 4) - 1
      call solve_plane(dt, u(:, :, :, k), 2, r(:, :, :, k))
    end do
    !$omp end do
    !$omp do
    do j = 2, size(u, 3) - 1
      call solve_plane(dt, u(:, :, j, :), 3, r(:, :, j, :))
    end do
    !$omp end do
  end subroutine solve

  !> Whether the norms are those that NPB gives; prints both. Of r the residual remains.
  subroutine verify(chosen, u, r, forcing, verified)
    type(problem), intent(in) :: chosen
    real(real64), intent(in) :: u(:, :, :, :), forcing(:, :, :, :)
    real(real64), intent(inout) :: r(:, :, :, :)
    logical, intent(out) :: verified
    real(real64) :: residual(5), error(5)
    integer :: m

    call set_exact(r)
    r = u - r
    error = norms(r)
    !$omp parallel
    call set_rhs(u, forcing, 1.0_real64, r)
    !$omp end parallel
    residual = norms(r)

    verified = all(abs(residual / chosen%residual - 1) <= tolerance) &
               .and. all(abs(error / chosen%error - 1) <= tolerance)
    write (*, '(a)') ' Component, residual, deviation, error, deviation:'
    write (*, '(1x, i9, es25.15, es10.2, es25.15, es10.2)') &
      (m, residual(m), residual(m) / chosen%residual(m) - 1, &
       error(m), error(m) / chosen%error(m) - 1, m=1, 5)
  end subroutine verify

  !> By component, the root mean square of the values inside of the grid; those on faces are zero.
  pure function norms(values)
    real(real64), intent(in) :: values(:, :, :, :)
    real(real64) :: norms(5)
    integer :: m

    do m = 1, 5
      norms(m) = norm2(values(m, :, :, :)) / sqrt(real(size(values, 4) - 2, real64)**3)
    end do
  end function norms

end module adi_run
