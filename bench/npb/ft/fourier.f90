! SPDX-License-Identifier: GPL-3.0-or-later
! Discrete Fourier transforms of three-dimensional arrays whose extents are powers of two.
!
! Source: the autosorting radix-2 transform by Stockham, as in van Loan, "Computational Frameworks
! for the Fast Fourier Transform", SIAM 1992, section 1.7.
!
! Some neighbouring lines at a time are copied to a buffer, transformed there, and copied back: the
! innermost loops then run across these lines, and the cache lines that they are in are used whole.
module fourier
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: prepare_roots, transform

  !> The longest line, and the number of lines in a buffer, which divides the product of any two
  !> extents and the first one.
  integer, parameter, public :: longest = 512
  integer, parameter :: batch = 16

  real(real64), parameter, public :: pi = acos(-1.0_real64)

  !> exp(2 pi i k / longest).
  complex(real64), protected :: roots(0:longest / 2 - 1)

contains

  !> Computes what all transforms need; to be called once.
  subroutine prepare_roots()
    integer :: k

    do k = 0, longest / 2 - 1
      roots(k) = exp(cmplx(0, 2 * pi * k / longest, real64))
    end do
  end subroutine prepare_roots

  !> Transforms x, of these extents, in place, with the exponents' sign; without any factor.
  subroutine transform(extents, sign, x)
    integer, intent(in) :: extents(3), sign
    complex(real64), intent(inout) :: x(extents(1), extents(2), extents(3))

    associate (n1 => extents(1), n2 => extents(2), n3 => extents(3))
      call transform_rows(n1, n2 * n3, sign, x)
      call transform_columns(n1, n2, n3, sign, x)
      call transform_columns(n1 * n2, n3, 1, sign, x)
    end associate
  end subroutine transform

  !> Transforms along the first dimension.
  subroutine transform_rows(n, rows, sign, x)
    integer, intent(in) :: n, rows, sign
    complex(real64), intent(inout) :: x(n, rows)
    real(real64) :: buffers(batch, 2, longest, 2)
    integer :: first, line, k, filled

    !$omp parallel do private(buffers, line, k, filled)
    do first = 1, rows, batch
      do line = 1, batch
        do k = 1, n
          buffers(line, 1, k, 1) = real(x(k, first + line - 1))
          buffers(line, 2, k, 1) = aimag(x(k, first + line - 1))
        end do
      end do
      call transform_batch(n, sign, buffers, filled)
      do line = 1, batch
        do k = 1, n
          x(k, first + line - 1) = cmplx(buffers(line, 1, k, filled), &
                                         buffers(line, 2, k, filled), real64)
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine transform_rows

  !> Transforms along the dimension of n elements, with all before it and all after it as one.
  subroutine transform_columns(before, n, after, sign, x)
    integer, intent(in) :: before, n, after, sign
    complex(real64), intent(inout) :: x(before, n, after)
    real(real64) :: buffers(batch, 2, longest, 2)
    integer :: slab, first, line, k, filled

    !$omp parallel do collapse(2) private(buffers, line, k, filled)
    do slab = 1, after
      do first = 1, before, batch
        do k = 1, n
          do line = 1, batch
            buffers(line, 1, k, 1) = real(x(first + line - 1, k, slab))
            buffers(line, 2, k, 1) = aimag(x(first + line - 1, k, slab))
          end do
        end do
        call transform_batch(n, sign, buffers, filled)
        do k = 1, n
          do line = 1, batch
            x(first + line - 1, k, slab) = cmplx(buffers(line, 1, k, filled), &
                                                 buffers(line, 2, k, filled), real64)
          end do
        end do
      end do
    end do
    !$omp end parallel do
  end subroutine transform_columns

  !> Transforms the lines, n long, that the first of two buffers holds in real and imaginary parts;
  !> filled is the buffer that the result is in.
  pure subroutine transform_batch(n, sign, buffers, filled)
    integer, intent(in) :: n, sign
    real(real64), intent(inout) :: buffers(batch, 2, longest, 2)
    integer, intent(out) :: filled
    integer :: half

    filled = 1
    half = n / 2
    do while (half > 0)
      call combine_halves(n / (2 * half), half, sign, buffers(:, :, :, filled), &
                          buffers(:, :, :, 3 - filled))
      filled = 3 - filled
      half = half / 2
    end do
  end subroutine transform_batch

  !> One pass: splits each of some interleaved sequences of 2 * half elements into two of half as
  !> many, that of the even and that of the odd frequencies.
  pure subroutine combine_halves(sequences, half, sign, x, y)
    integer, intent(in) :: sequences, half, sign
    real(real64), intent(in) :: x(batch, 2, sequences, half, 2)
    real(real64), intent(inout) :: y(batch, 2, sequences, 2, half)
    real(real64) :: c, s, re, im
    integer :: line, sequence, k

    do k = 1, half
      c = real(roots((k - 1) * (longest / (2 * half))))
      s = sign * aimag(roots((k - 1) * (longest / (2 * half))))
      do sequence = 1, sequences
        do line = 1, batch
          y(line, 1, sequence, 1, k) = x(line, 1, sequence, k, 1) + x(line, 1, sequence, k, 2)
          y(line, 2, sequence, 1, k) = x(line, 2, sequence, k, 1) + x(line, 2, sequence, k, 2)
          re = x(line, 1, sequence, k, 1) - x(line, 1, sequence, k, 2)
          im = x(line, 2, sequence, k, 1) - x(line, 2, sequence, k, 2)
          y(line, 1, sequence, 2, k) = re * c - im * s
          y(line, 2, sequence, 2, k) = re * s + im * c
        end do
      end do
    end do
  end subroutine combine_halves

end module fourier
