! SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
! The extensions of libgomp-amp to the OpenMP API for Fortran.  Compile this
! file with the program and add `use ompx_amp` to `use omp_lib`.
!
! An AMP, asymmetric multicore processor, has cores of different speeds.  AID,
! asymmetric iteration distribution, is a group of loop schedules for AMPs: a
! thread gets iterations in proportion to the speed of its core.

module ompx_amp
  use omp_lib_kinds, only: omp_sched_kind
  implicit none
  private

  ! Schedule kinds of loops with schedule(runtime), for omp_set_schedule.  A
  ! chunk less than 1 means the schedule's default.
  integer(omp_sched_kind), parameter, public :: &
       ompx_amp_sched_aid_static  = int(z'40000001', omp_sched_kind), &
       ompx_amp_sched_aid_hybrid  = int(z'40000002', omp_sched_kind), &
       ompx_amp_sched_aid_dynamic = int(z'40000003', omp_sched_kind)

  ! A program that calls these does not link against a stock libgomp.
  ! ompx_amp.h describes their arguments and results.
  interface
     ! The library's version, 10000 * major + 100 * minor + patch.
     integer(c_int) function ompx_amp_version() bind(c)
       use iso_c_binding, only: c_int
     end function ompx_amp_version

     ! The number of core classes of the machine; class 0 is the slowest.
     integer(c_int) function ompx_amp_get_num_classes() bind(c)
       use iso_c_binding, only: c_int
     end function ompx_amp_get_num_classes

     ! The capacity of a class, 1..1024.  The fastest cores of the machine have
     ! 1024.  0 = only the order of the classes is known.
     integer(c_int) function ompx_amp_get_class_capacity(cls) bind(c)
       use iso_c_binding, only: c_int
       integer(c_int), value :: cls
     end function ompx_amp_get_class_capacity

     ! All CPU numbers are less than this.
     integer(c_int) function ompx_amp_get_num_cpus() bind(c)
       use iso_c_binding, only: c_int
     end function ompx_amp_get_num_cpus

     ! The class of a CPU.
     integer(c_int) function ompx_amp_get_cpu_class(cpu) bind(c)
       use iso_c_binding, only: c_int
       integer(c_int), value :: cpu
     end function ompx_amp_get_cpu_class

     ! 1 if the process may run on the CPU, else 0.
     integer(c_int) function ompx_amp_get_cpu_usable(cpu) bind(c)
       use iso_c_binding, only: c_int
       integer(c_int), value :: cpu
     end function ompx_amp_get_cpu_usable

     ! 1 if the CPU is online, else 0; -1 = there is no such CPU.
     integer(c_int) function ompx_amp_get_cpu_online(cpu) bind(c)
       use iso_c_binding, only: c_int
       integer(c_int), value :: cpu
     end function ompx_amp_get_cpu_online

     ! The lowest-numbered CPU of the CPU's physical core; -1 = unknown.
     integer(c_int) function ompx_amp_get_cpu_core(cpu) bind(c)
       use iso_c_binding, only: c_int
       integer(c_int), value :: cpu
     end function ompx_amp_get_cpu_core

     ! The class of the CPU that the calling thread is on.
     integer(c_int) function ompx_amp_get_thread_class() bind(c)
       use iso_c_binding, only: c_int
     end function ompx_amp_get_thread_class

     ! The part of an equal share of work that the calling thread should take.
     real(c_double) function ompx_amp_get_share() bind(c)
       use iso_c_binding, only: c_double
     end function ompx_amp_get_share

     ! The schedule of a routed loop in the current team.
     subroutine ompx_amp_get_routed_schedule(kind, chunk, arg) bind(c)
       use iso_c_binding, only: c_int
       integer(c_int), intent(out) :: kind, chunk, arg
     end subroutine ompx_amp_get_routed_schedule

     ! The number of workers, which run the threads of the current team;
     ! 0 = the team is not folded.
     integer(c_int) function ompx_amp_get_num_workers() bind(c)
       use iso_c_binding, only: c_int
     end function ompx_amp_get_num_workers

     ! The worker that runs the calling thread, from 0 on; -1 = the team is not
     ! folded.
     integer(c_int) function ompx_amp_get_worker_num() bind(c)
       use iso_c_binding, only: c_int
     end function ompx_amp_get_worker_num
  end interface
  public :: ompx_amp_version, ompx_amp_get_num_classes, &
       ompx_amp_get_class_capacity, ompx_amp_get_num_cpus, &
       ompx_amp_get_cpu_class, ompx_amp_get_cpu_usable, &
       ompx_amp_get_cpu_online, ompx_amp_get_cpu_core, &
       ompx_amp_get_thread_class, ompx_amp_get_routed_schedule, &
       ompx_amp_get_share, &
       ompx_amp_get_num_workers, ompx_amp_get_worker_num
end module ompx_amp
