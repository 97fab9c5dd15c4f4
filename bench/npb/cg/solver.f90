! SPDX-License-Identifier: GPL-3.0-or-later
! The conjugate gradient method of NPB's CG: a fixed number of steps towards the z of A z = x.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 2.2 (kernel CG).
!
! NPB's own OpenMP version leaves out barriers between loops that map rows to threads alike. Here
! each loop ends in its barrier, and any schedule will do.
module solver
  use, intrinsic :: iso_fortran_env, only: real64
  use sparse, only: matrix, row_times
  implicit none
  private
  public :: solve, steps

  integer, parameter :: steps = 25

contains

  !> Approximates z; residual is the norm of x - A z.
  subroutine solve(a, x, z, residual)
    type(matrix), intent(in) :: a
    real(real64), intent(in) :: x(a%rows)
    real(real64), intent(out) :: z(a%rows), residual
    real(real64), allocatable :: p(:), q(:), r(:)
    real(real64) :: p_dot_q, r_dot_r, next_r_dot_r, alpha, beta
    integer :: step, i

    allocate (p(a%rows), q(a%rows), r(a%rows))
    p_dot_q = 0
    r_dot_r = 0
    next_r_dot_r = 0
    residual = 0

    !$omp parallel private(step, alpha, beta)
    !$omp do reduction(+ : r_dot_r)
    do i = 1, a%rows
      z(i) = 0
      r(i) = x(i)
      p(i) = x(i)
      r_dot_r = r_dot_r + x(i)**2
    end do
    !$omp end do

    do step = 1, steps
      !$omp do reduction(+ : p_dot_q)
      do i = 1, a%rows
        q(i) = row_times(a, i, p)
        p_dot_q = p_dot_q + p(i) * q(i)
      end do
      !$omp end do
      alpha = r_dot_r / p_dot_q

      !$omp do reduction(+ : next_r_dot_r)
      do i = 1, a%rows
        z(i) = z(i) + alpha * p(i)
        r(i) = r(i) - alpha * q(i)
        next_r_dot_r = next_r_dot_r + r(i)**2
      end do
      !$omp end do
      beta = next_r_dot_r / r_dot_r

      !$omp do
      do i = 1, a%rows
        p(i) = r(i) + beta * p(i)
      end do
      !$omp end do

      ! Every thread has read the sums before that loop's barrier.
      !$omp single
      r_dot_r = next_r_dot_r
      next_r_dot_r = 0
      p_dot_q = 0
      !$omp end single
    end do

    !$omp do reduction(+ : residual)
    do i = 1, a%rows
      residual = residual + (x(i) - row_times(a, i, z))**2
    end do
    !$omp end do
    !$omp end parallel
    residual = sqrt(residual)
  end subroutine solve

end module solver
