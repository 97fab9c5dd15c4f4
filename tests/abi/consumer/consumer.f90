! SPDX-License-Identifier: GPL-3.0-or-later
! A user's Fortran program: sets one of the fork's schedules.
program consumer
  use omp_lib
  use ompx_amp
  implicit none
  integer(omp_sched_kind) :: kind
  integer :: chunk
  call omp_set_schedule(ompx_amp_sched_aid_dynamic, 9)
  call omp_get_schedule(kind, chunk)
  print *, kind, chunk
end program consumer
