! SPDX-License-Identifier: GPL-3.0-or-later
! Allocatable variables of an OpenMP allocator, as GCC 14 was the first to have them. For scalars
! the library is asked.
program allocators
  use omp_lib
  implicit none
  integer, allocatable :: scalar, values(:)
  integer :: i

  !$omp allocators allocate(omp_default_mem_alloc : scalar)
  allocate (scalar, source = 5)
  !$omp allocators allocate(align(64) : values)
  allocate (values(100))
  !$omp parallel do
  do i = 1, 100
    values(i) = i * scalar
  end do
  values = [values, values]
  print '(a, i0)', 'sum: ', sum (values)
  deallocate (scalar)
  deallocate (values)
end program allocators
