! SPDX-License-Identifier: GPL-3.0-or-later
! The three measures by which LU's result is verified: norms of the residual and of the error, and a
! surface integral of the pressure.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, chapter 3 (verification).
module measure
  use, intrinsic :: iso_fortran_env, only: real64
  use flow
  implicit none
  private
  public :: inner_norm, error_norm, surface_integral

contains

  !> Root mean squares, by quantity, of a field over all points inside.
  function inner_norm(n, v) result(norm)
    integer, intent(in) :: n
    real(real64), intent(in) :: v(quantities, n, n, n)
    real(real64) :: norm(quantities)
    integer :: m

    do m = 1, quantities
      norm(m) = sqrt(sum(v(m, 2:n - 1, 2:n - 1, 2:n - 1)**2) / real(n - 2, real64)**3)
    end do
  end function inner_norm

  !> The same of the difference between a field and the exact solution.
  function error_norm(n, u) result(norm)
    integer, intent(in) :: n
    real(real64), intent(in) :: u(quantities, n, n, n)
    real(real64) :: norm(quantities)
    integer :: i, j, k

    norm = 0
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          norm = norm + (u(:, i, j, k) - exact(n, i, j, k))**2
        end do
      end do
    end do
    norm = sqrt(norm / real(n - 2, real64)**3)
  end function error_norm

  !> The pressure integrated, by the trapezoidal rule, over the six faces of NPB's box of points.
  function surface_integral(n, w) result(total)
    integer, intent(in) :: n
    real(real64), intent(in) :: w(derived, n, n, n)
    real(real64) :: total
    integer :: low(directions), high(directions)

    low = [2, 2, 3]
    high = [n - 1, n - 2, n - 1]
    associate (p => w(pressure, low(1):high(1), low(2):high(2), low(3):high(3)))
      total = (face(p(1, :, :)) + face(p(size(p, 1), :, :)) &
               + face(p(:, 1, :)) + face(p(:, size(p, 2), :)) &
               + face(p(:, :, 1)) + face(p(:, :, size(p, 3)))) / real(n - 1, real64)**2
    end associate
  end function surface_integral

  !> The integral over one face whose points are one apart.
  pure function face(p) result(total)
    real(real64), intent(in) :: p(:, :)
    real(real64) :: total
    integer :: a, b

    a = size(p, 1)
    b = size(p, 2)
    total = sum(p(:a - 1, :b - 1) + p(2:, :b - 1) + p(:a - 1, 2:) + p(2:, 2:)) / 4
  end function face

end module measure
