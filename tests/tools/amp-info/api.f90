! SPDX-License-Identifier: GPL-3.0-or-later
! Prints what the module ompx_amp's functions answer, one line each.
program api
  use omp_lib
  use ompx_amp
  use iso_c_binding, only: c_int
  implicit none
  integer(c_int) :: cls, cpu, kind, chunk, arg

  print '(a,i0)', 'version ', ompx_amp_version()
  do cls = -1, ompx_amp_get_num_classes()
     print '(a,i0,1x,i0)', 'class ', cls, ompx_amp_get_class_capacity(cls)
  end do
  do cpu = -1, ompx_amp_get_num_cpus()
     print '(a,i0,4(1x,i0))', 'cpu ', cpu, ompx_amp_get_cpu_class(cpu), &
          ompx_amp_get_cpu_usable(cpu), ompx_amp_get_cpu_online(cpu), ompx_amp_get_cpu_core(cpu)
  end do
  !$omp parallel private(kind, chunk, arg)
  call ompx_amp_get_routed_schedule(kind, chunk, arg)
  !$omp critical
  print '(a,i0,1x,i0,1x,f4.2,1x,z0,4(1x,i0))', 'thread ', omp_get_thread_num(), &
       ompx_amp_get_thread_class(), ompx_amp_get_share(), kind, chunk, arg, &
       ompx_amp_get_num_workers(), ompx_amp_get_worker_num()
  !$omp end critical
  !$omp end parallel
end program api
