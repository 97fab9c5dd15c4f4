! SPDX-License-Identifier: GPL-3.0-or-later
! EP, the "embarrassingly parallel" kernel of the NAS Parallel Benchmarks: Gaussian deviates by the
! acceptance-rejection method, their sums, and their counts in square annuli.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 2.2.1, with the
! problem sizes and the verification sums of NPB's classes S, W, A and B.
!
! Usage: ep [--class] S|W|A|B, default A. Exits with status 1 if verification fails.
program ep
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use bench, only: bench_now
  use lcg46, only: fill_uniform, multiplier, power46, product46
  use npb, only: chosen_class, finish
  implicit none

  !> A problem: log2 of the number of pairs, and the sums of the deviates.
  type problem
    integer :: log2_pairs
    real(real64) :: sum_x, sum_y
  end type problem

  !> By class.
  type(problem), parameter :: problems(*) = [ &
    problem(24, -3.247834652034740e+3_real64, -6.958407078382297e+3_real64), &
    problem(25, -2.863319731645753e+3_real64, -6.320053679109499e+3_real64), &
    problem(28, -4.295875165629892e+3_real64, -1.580732573678431e+4_real64), &
    problem(30, 4.033815542441498e+4_real64, -2.660669192809235e+4_real64)]

  integer(int64), parameter :: seed = 271828183
  real(real64), parameter :: tolerance = 1e-8_real64

  !> One iteration of the parallel loop makes a batch of 2**16 pairs, out of numbers generated a
  !> block at a time so that they stay in the first-level cache.
  integer, parameter :: log2_batch = 16
  integer(int64), parameter :: batch_pairs = 2_int64**log2_batch
  integer, parameter :: block_pairs = 256
  integer, parameter :: annuli = 10

  type(problem) :: chosen
  integer :: class
  integer(int64) :: batch, counts(0:annuli - 1), jump
  real(real64) :: sum_x, sum_y, start, seconds
  logical :: verified

  class = chosen_class('ep', 'A')
  chosen = problems(class)
  jump = power46(multiplier, 2 * batch_pairs)
  counts = 0
  sum_x = 0
  sum_y = 0

  start = bench_now()
  !$omp parallel
  !$omp do reduction(+ : sum_x, sum_y, counts)
  do batch = 0, 2_int64**(chosen%log2_pairs - log2_batch) - 1
    call make_batch(product46(seed, power46(jump, batch)), sum_x, sum_y, counts)
  end do
  !$omp end do
  !$omp end parallel
  seconds = bench_now() - start

  verified = abs(sum_x / chosen%sum_x - 1) <= tolerance &
             .and. abs(sum_y / chosen%sum_y - 1) <= tolerance
  call report()

contains

  !> Adds one batch to the sums and the counts; x is the generator's state before its first number.
  subroutine make_batch(x, sum_x, sum_y, counts)
    integer(int64), intent(in) :: x
    real(real64), intent(inout) :: sum_x, sum_y
    integer(int64), intent(inout) :: counts(0:)
    integer(int64) :: state
    real(real64) :: r(2 * block_pairs), a, b, t, factor
    integer :: block, i, annulus

    state = x
    do block = 1, int(batch_pairs) / block_pairs
      call fill_uniform(state, r)
      do i = 1, 2 * block_pairs, 2
        a = 2 * r(i) - 1
        b = 2 * r(i + 1) - 1
        t = a * a + b * b
        if (t <= 1) then
          factor = sqrt(-2 * log(t) / t)
          a = a * factor
          b = b * factor
          annulus = int(max(abs(a), abs(b)))
          counts(annulus) = counts(annulus) + 1
          sum_x = sum_x + a
          sum_y = sum_y + b
        end if
      end do
    end do
  end subroutine make_batch

  !> Prints the counts and NPB's result block.
  subroutine report()
    character(len=25) :: numbers
    integer :: i

    write (*, '(a, i0)') ' EP: Gaussian pairs: ', sum(counts)
    write (*, '(a, 2es25.15)') ' Sums:', sum_x, sum_y
    write (*, '(a)') ' Counts:'
    write (*, '(1x, i3, i15)') (i, counts(i), i=0, annuli - 1)
    write (numbers, '(i25)') 2_int64**(chosen%log2_pairs + 1)
    call finish('EP', class, numbers, 2**(chosen%log2_pairs - log2_batch), seconds, &
                2.0_real64**(chosen%log2_pairs + 1) * 1e-6_real64, 'Random numbers generated', &
                verified)
  end subroutine report

end program ep
