! SPDX-License-Identifier: GPL-3.0-or-later
! The linear congruential generator modulo 2**46 of the NAS Parallel Benchmarks, with jumps ahead.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007 (NAS-95-020 refers to it),
! section 2.3: x(k+1) = a * x(k) mod 2**46, r(k) = 2**-46 * x(k). The report splits the factors into
! halves of 23 bits so that double-precision reals hold every intermediate result; 64-bit integers
! do so as well, exactly and faster.
module lcg46
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: multiplier, product46, power46, fill_uniform

  !> The benchmarks' multiplier a.
  integer(int64), parameter :: multiplier = 5_int64**13

  integer, parameter :: half_bits = 23
  integer(int64), parameter :: half_mask = 2_int64**half_bits - 1
  integer(int64), parameter :: mask = 2_int64**(2 * half_bits) - 1
  real(real64), parameter :: scale46 = 0.5_real64**(2 * half_bits)

contains

  !> a * b mod 2**46, for a and b from 0 to 2**46 - 1. No intermediate result exceeds 2**47.
  elemental function product46(a, b) result(c)
    integer(int64), intent(in) :: a, b
    integer(int64) :: c, middle

    middle = shiftr(a, half_bits) * iand(b, half_mask) + iand(a, half_mask) * shiftr(b, half_bits)
    c = iand(shiftl(iand(middle, half_mask), half_bits) &
             + iand(a, half_mask) * iand(b, half_mask), mask)
  end function product46

  !> a**n mod 2**46, by repeated squaring, for n >= 0.
  pure function power46(a, n) result(c)
    integer(int64), intent(in) :: a, n
    integer(int64) :: c, square, left

    c = 1
    square = a
    left = n
    do while (left > 0)
      if (btest(left, 0)) c = product46(c, square)
      square = product46(square, square)
      left = shiftr(left, 1)
    end do
  end function power46

  !> Fills r with the next size(r) numbers in (0, 1); x is the generator's state before and after.
  pure subroutine fill_uniform(x, r)
    integer(int64), intent(inout) :: x
    real(real64), intent(out) :: r(:)
    integer :: i

    do i = 1, size(r)
      x = product46(multiplier, x)
      r(i) = scale46 * real(x, real64)
    end do
  end subroutine fill_uniform

end module lcg46
