! SPDX-License-Identifier: GPL-3.0-or-later
! CG, a kernel of the NAS Parallel Benchmarks: an eigenvalue of a random sparse symmetric matrix by
! the inverse power method, whose systems conjugate gradients solve.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 2.2 (kernel CG),
! with the problem sizes and the verification values of NPB's classes S, W, A and B.
!
! Usage: cg [--class] S|W|A|B, default A. Exits with status 1 if verification fails.
program cg
  use, intrinsic :: iso_fortran_env, only: real64
  use bench, only: bench_now
  use npb, only: chosen_class, finish
  use solver, only: solve, steps
  use sparse, only: make_matrix, matrix
  implicit none

  !> A problem: the matrix's rows, the random elements of a vector that it is made of, the outer
  !> iterations, the shift of the eigenvalues, and the value that zeta has in the end.
  type problem
    integer :: rows, nonzeros, iterations
    real(real64) :: shift, zeta
  end type problem

  !> By class.
  type(problem), parameter :: problems(*) = [ &
    problem(1400, 7, 15, 10.0_real64, 8.5971775078648_real64), &
    problem(7000, 8, 15, 12.0_real64, 10.362595087124_real64), &
    problem(14000, 11, 15, 20.0_real64, 17.130235054029_real64), &
    problem(75000, 13, 75, 60.0_real64, 22.712745482631_real64)]

  !> Of zeta, relatively, as NPB has it.
  real(real64), parameter :: tolerance = 1e-10_real64

  !> The largest residual that an iteration may leave. The power method heals from a faulty solution
  !> in an iteration or two, so that zeta alone would not tell.
  real(real64), parameter :: largest_residual = 1e-11_real64

  type(problem) :: chosen
  type(matrix) :: a
  real(real64), allocatable :: x(:), z(:)
  real(real64) :: zeta, residual, worst, start, seconds
  integer :: class, iteration

  class = chosen_class('cg', 'A')
  chosen = problems(class)
  a = make_matrix(chosen%rows, chosen%nonzeros, chosen%shift)
  allocate (x(chosen%rows), z(chosen%rows))

  ! As NPB does: one iteration to warm up, which is not timed.
  x = 1
  call iterate(a, x, z, zeta, residual)
  x = 1
  worst = 0
  write (*, '(/, a)') '   iteration           ||r||                 zeta'
  start = bench_now()
  do iteration = 1, chosen%iterations
    call iterate(a, x, z, zeta, residual)
    worst = max(worst, residual)
    write (*, '(4x, i5, 7x, es20.14, f20.13)') iteration, residual, zeta
  end do
  seconds = bench_now() - start
  call report()

contains

  !> One step of the power method: z approximates the solution of A z = x, zeta the eigenvalue, and
  !> x becomes z with a norm of 1.
  subroutine iterate(a, x, z, zeta, residual)
    type(matrix), intent(in) :: a
    real(real64), intent(inout) :: x(a%rows)
    real(real64), intent(out) :: z(a%rows), zeta, residual
    real(real64) :: x_dot_z, z_dot_z, factor
    integer :: i

    call solve(a, x, z, residual)
    x_dot_z = 0
    z_dot_z = 0
    !$omp parallel do reduction(+ : x_dot_z, z_dot_z)
    do i = 1, a%rows
      x_dot_z = x_dot_z + x(i) * z(i)
      z_dot_z = z_dot_z + z(i)**2
    end do
    !$omp end parallel do
    zeta = chosen%shift + 1 / x_dot_z
    factor = 1 / sqrt(z_dot_z)
    !$omp parallel do
    do i = 1, a%rows
      x(i) = factor * z(i)
    end do
    !$omp end parallel do
  end subroutine iterate

  !> Prints NPB's result block. Operations are counted as NPB does, from a nominal number of the
  !> matrix's elements.
  subroutine report()
    character(len=25) :: rows
    real(real64) :: elements, operations

    write (*, '(/, a, es20.13, a, es20.13)') ' Zeta is ', zeta, ', should be ', chosen%zeta
    elements = real(chosen%nonzeros * (chosen%nonzeros + 1), real64)
    operations = 2.0_real64 * chosen%iterations * chosen%rows &
                 * (3 + elements + steps * (5 + elements) + 3)
    write (rows, '(i25)') chosen%rows
    call finish('CG', class, rows, chosen%iterations, seconds, operations * 1e-6_real64, &
                'floating point', &
                abs(zeta / chosen%zeta - 1) <= tolerance .and. worst <= largest_residual)
  end subroutine report

end program cg
