! SPDX-License-Identifier: GPL-3.0-or-later
! OpenACC's routines for Fortran that GCC 16 added, on the host.
program acc
  use openacc
  use iso_c_binding
  implicit none
  integer, target :: values(3, 4), copies(3, 4)
  integer :: i

  call acc_init (acc_device_host)
  values = reshape ([(i, i = 1, 12)], [3, 4])
  copies = 0
  call acc_copyin (values)
  call acc_copyout_finalize_async (values, 1)
  call acc_delete_finalize_async (values, 2)
  call acc_wait_all ()
  call acc_memcpy_device (c_loc (copies), c_loc (values), 12 * c_sizeof (copies(1, 1)))
  print '(a, i0)', 'sum: ', sum (copies)
  if (any (copies /= values)) error stop 1
end program
