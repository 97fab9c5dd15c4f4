! SPDX-License-Identifier: GPL-3.0-or-later
! MG, the multigrid kernel of the NAS Parallel Benchmarks: V-cycles for Poisson's equation on a
! periodic cube, with ten positive and ten negative charges.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 2.2.2, with the
! problem sizes and the norms of the last residual of NPB's classes S, W, A and B.
!
! Usage: mg [--class] S|W|A|B, default A. Exits with status 1 if verification fails.
program mg
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use bench, only: bench_now
  use grids, only: add_stencil, clear, interpolate_add, norm, operator_weights, residual, restrict
  use lcg46, only: fill_uniform, multiplier, power46, product46
  use npb, only: chosen_class, finish
  implicit none

  !> The smoother S: the weights of a point itself and of its neighbours by face, edge and corner,
  !> for the smaller classes and for the others.
  real(real64), parameter :: smoother_weights(0:3, 2) = reshape( &
    [-3.0_real64 / 8, 1.0_real64 / 32, -1.0_real64 / 64, 0.0_real64, &
     -3.0_real64 / 17, 1.0_real64 / 33, -1.0_real64 / 61, 0.0_real64], [4, 2])

  !> A problem: log2 of the points along an edge, the V-cycles, the smoother, the last norm.
  type problem
    integer :: log2_edge, cycles, smoother
    real(real64) :: norm
  end type problem

  !> By class.
  type(problem), parameter :: problems(*) = [ &
    problem(5, 4, 1, 0.5307707005734e-4_real64), &
    problem(7, 4, 1, 0.6467329375339e-5_real64), &
    problem(8, 4, 1, 0.2433365309069e-5_real64), &
    problem(8, 20, 2, 0.1800564401355e-5_real64)]

  integer(int64), parameter :: seed = 314159265
  integer, parameter :: charges = 10
  real(real64), parameter :: tolerance = 1e-8_real64

  !> The solution, or the correction to that of the next finer grid, and the residual, laid out as
  !> in grids.f90. Level k has 2**k points along an edge.
  type level
    integer :: n
    real(real64), allocatable :: u(:, :, :), r(:, :, :)
  end type level

  type(problem) :: chosen
  type(level), allocatable :: levels(:)
  real(real64), allocatable :: v(:, :, :)
  integer :: class, k, n
  real(real64) :: last_norm, start, seconds

  class = chosen_class('mg', 'A')
  chosen = problems(class)
  n = 2**chosen%log2_edge
  allocate (v(0:n + 1, n, n), levels(chosen%log2_edge))
  do k = 1, size(levels)
    levels(k)%n = 2**k
    allocate (levels(k)%u(0:2**k + 1, 2**k, 2**k), levels(k)%r(0:2**k + 1, 2**k, 2**k))
  end do
  call place_charges(n, levels(size(levels))%u, v)

  ! The first one, untimed, brings all memory in, as in NPB.
  call solve(1)
  start = bench_now()
  call solve(chosen%cycles)
  last_norm = norm(n, levels(size(levels))%r)
  seconds = bench_now() - start
  call report()

contains

  !> Some V-cycles, beginning with no solution, and the residual after them.
  subroutine solve(cycles)
    integer, intent(in) :: cycles
    integer :: i

    associate (finest => levels(size(levels)))
      !$omp parallel private(i)
      call clear(n, finest%u)
      call residual(n, finest%u, v, finest%r)
      do i = 1, cycles
        call v_cycle()
        call residual(n, finest%u, v, finest%r)
      end do
      !$omp end parallel
    end associate
  end subroutine solve

  !> Adds to the finest grid's solution what a V-cycle makes of its residual; called by all threads.
  subroutine v_cycle()
    real(real64) :: weights(0:3)
    integer :: k

    weights = smoother_weights(:, chosen%smoother)
    do k = size(levels), 2, -1
      call restrict(levels(k)%n, levels(k)%r, levels(k - 1)%r)
    end do
    call clear(levels(1)%n, levels(1)%u)
    call add_stencil(levels(1)%n, weights, levels(1)%r, levels(1)%u)
    do k = 2, size(levels) - 1
      call clear(levels(k)%n, levels(k)%u)
      call interpolate_add(levels(k - 1)%n, levels(k - 1)%u, levels(k)%u)
      call add_stencil(levels(k)%n, -operator_weights, levels(k)%u, levels(k)%r)
      call add_stencil(levels(k)%n, weights, levels(k)%r, levels(k)%u)
    end do
    associate (finest => levels(size(levels)))
      call interpolate_add(n / 2, levels(size(levels) - 1)%u, finest%u)
      call residual(n, finest%u, v, finest%r)
      call add_stencil(n, weights, finest%r, finest%u)
    end associate
  end subroutine v_cycle

  !> v is 1 at the points where random numbers, which go to z, are largest, -1 where they are
  !> smallest, else 0.
  subroutine place_charges(n, z, v)
    integer, intent(in) :: n
    real(real64), intent(inout) :: z(0:n + 1, n, n), v(0:n + 1, n, n)
    integer(int64) :: state
    integer :: row, plane

    !$omp parallel do private(row, state)
    do plane = 1, n
      v(:, :, plane) = 0
      state = product46(seed, power46(multiplier, int(plane - 1, int64) * n**2))
      do row = 1, n
        call fill_uniform(state, z(1:n, row, plane))
      end do
    end do
    !$omp end parallel do
    call charge_largest(n, z, 1.0_real64, v)
    call charge_largest(n, z, -1.0_real64, v)
  end subroutine place_charges

  !> Puts a charge to where charge * z is largest, at as many points as there are charges of a sign.
  subroutine charge_largest(n, z, charge, v)
    integer, intent(in) :: n
    real(real64), intent(in) :: z(0:n + 1, n, n), charge
    real(real64), intent(inout) :: v(0:n + 1, n, n)
    real(real64) :: largest(charges)
    integer :: places(3, charges), i, j, row, plane

    ! In descending order.
    largest = -huge(largest)
    places = 1
    do plane = 1, n
      do row = 1, n
        do i = 1, n
          if (charge * z(i, row, plane) <= largest(charges)) cycle
          j = count(largest > charge * z(i, row, plane)) + 1
          largest(j:) = eoshift(largest(j:), -1, charge * z(i, row, plane))
          places(:, j + 1:) = places(:, j:charges - 1)
          places(:, j) = [i, row, plane]
        end do
      end do
    end do
    do j = 1, charges
      v(places(1, j), places(2, j), places(3, j)) = charge
    end do
  end subroutine charge_largest

  !> Prints the norm and NPB's result block.
  subroutine report()
    character(len=25) :: edges

    write (*, '(a, es22.13)') ' MG: norm of the residual:', last_norm
    write (edges, '(i0, 2("x", i0))') n, n, n
    call finish('MG', class, adjustr(edges), chosen%cycles, seconds, &
                58e-6_real64 * chosen%cycles * real(n, real64)**3, 'Floating point', &
                abs(last_norm / chosen%norm - 1) <= tolerance)
  end subroutine report

end program mg
