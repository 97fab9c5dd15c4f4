! SPDX-License-Identifier: GPL-3.0-or-later
! The Fortran part of sums.c: one loop that every mode routes.

function fortran_sum(n) result(total) bind(c)
  use iso_c_binding, only: c_int, c_long
  integer(c_int), value :: n
  integer(c_long) :: total
  integer(c_int) :: i
  total = 0
  !$omp parallel do reduction(+:total)
  do i = 1, n
    total = total + i
  end do
end function
