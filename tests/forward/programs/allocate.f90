! SPDX-License-Identifier: GPL-3.0-or-later
! Allocators, strings of the runtime, and static loops in Fortran.
program allocate
  use omp_lib
  implicit none
  integer, allocatable :: scalar, values(:)
  integer :: i, total, owner(100)
  character(:), pointer :: name

  !$omp allocators allocate(omp_default_mem_alloc : scalar)
  allocate (scalar, source = 5)
  !$omp allocators allocate(align(64) : values)
  allocate (values(100))
  !$omp parallel do num_threads(5)
  do i = 1, 100
    values(i) = i * scalar
    owner(i) = omp_get_thread_num ()
  end do
  total = sum (values)
  print '(a, i0)', 'sum: ', total
  print '(a, i0)', 'owners: ', sum (owner)
  if (total /= 25250 .or. sum (owner) /= 200) error stop 1
  deallocate (scalar)
  deallocate (values)
  allocate (scalar, source = 6)
  deallocate (scalar)

  name => omp_get_interop_name (omp_interop_none, omp_ipr_device_num)
  print '(a)', 'property: ' // name
  if (name /= 'device_num') error stop 2
  name => omp_get_uid_from_device (omp_initial_device)
  print '(a, i0)', 'device: ', omp_get_device_from_uid (name)
  if (omp_get_device_from_uid (name) /= omp_initial_device) error stop 3
  if (omp_in_explicit_task ()) error stop 4
end program
