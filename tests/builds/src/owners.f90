! SPDX-License-Identifier: GPL-3.0-or-later
! Prints which thread ran each iteration of a loop without a schedule clause.
program owners
  use, intrinsic :: iso_c_binding
  use omp_lib
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import :: c_int
      integer(c_int), value :: microseconds
    end function
  end interface
  integer, parameter :: n = 240
  integer :: owner(n), i, ignored
  logical, volatile :: here(0:1023)
  here = .false.
  ! All threads are there before the loop begins.
  !$omp parallel
  !$omp barrier
  !$omp end parallel
  !$omp parallel do private(ignored)
  do i = 1, n
    owner(i) = omp_get_thread_num()
    ! No thread comes so late that nothing is left for it.
    here(owner(i)) = .true.
    do while (.not. all(here(:omp_get_num_threads() - 1)))
      ignored = usleep(100_c_int)
    end do
    ignored = usleep(100_c_int)
  end do
  print '(*(i0, 1x))', owner
end program
