! SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
! The extensions of libgomp-amp to the OpenMP API, for Fortran: compile this
! file with the program and `use ompx_amp` beside `use omp_lib`.

module ompx_amp
  use omp_lib_kinds, only: omp_sched_kind
  implicit none
  private

  ! Schedule kinds of loops with schedule(runtime), for omp_set_schedule; a
  ! chunk less than 1 means the schedule's default.
  integer(omp_sched_kind), parameter, public :: &
       ompx_amp_sched_aid_static  = int(z'40000001', omp_sched_kind), &
       ompx_amp_sched_aid_hybrid  = int(z'40000002', omp_sched_kind), &
       ompx_amp_sched_aid_dynamic = int(z'40000003', omp_sched_kind)

  interface
     ! The library's version, 10000 * major + 100 * minor + patch.  Programs
     ! that call it do not link against a stock libgomp.
     integer(c_int) function ompx_amp_version() bind(c)
       use iso_c_binding, only: c_int
     end function ompx_amp_version
  end interface
  public :: ompx_amp_version
end module ompx_amp
