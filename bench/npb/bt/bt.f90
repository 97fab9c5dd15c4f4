! SPDX-License-Identifier: GPL-3.0-or-later
! BT, the block-tridiagonal pseudo-application of the NAS Parallel Benchmarks: a flow in a cube, by
! implicit time steps of alternating directions.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 3, with the
! problem sizes and the norms of NPB's classes S, W, A and B.
!
! Usage: bt [--class] S|W|A|B, default W. Exits with status 1 if verification fails.
program bt
  use, intrinsic :: iso_fortran_env, only: real64
  use adi_problem, only: problem
  use adi_run, only: run
  use bt_solver, only: solve_plane
  use npb, only: chosen_class
  implicit none

  !> By class.
  type(problem), parameter :: problems(*) = [ &
    problem(12, 60, 1e-2_real64, &
     [1.7034283709541311e-01_real64, 1.2975252070034097e-02_real64, 3.2527926989486055e-02_real64, &
      2.6436421275166801e-02_real64, 1.9211784131744430e-01_real64], &
     [4.9976913345811579e-04_real64, 4.5195666782961927e-05_real64, 7.3973765172921357e-05_real64, &
      7.3821238632439731e-05_real64, 8.9269630987491446e-04_real64]), &
    problem(24, 200, 0.8e-3_real64, &
     [0.1125590409344e+03_real64, 0.1180007595731e+02_real64, 0.2710329767846e+02_real64, &
      0.2469174937669e+02_real64, 0.2638427874317e+03_real64], &
     [0.4419655736008e+01_real64, 0.4638531260002e+00_real64, 0.1011551749967e+01_real64, &
      0.9235878729944e+00_real64, 0.1018045837718e+02_real64]), &
    problem(64, 200, 0.8e-3_real64, &
     [1.0806346714637264e+02_real64, 1.1319730901220813e+01_real64, 2.5974354511582465e+01_real64, &
      2.3665622544678910e+01_real64, 2.5278963211748344e+02_real64], &
     [4.2348416040525025e+00_real64, 4.4390282496995698e-01_real64, 9.6692480136345650e-01_real64, &
      8.8302063039765474e-01_real64, 9.7379901770829278e+00_real64]), &
    problem(102, 200, 3.0e-4_real64, &
     [1.4233597229287254e+03_real64, 9.9330522590150238e+01_real64, 3.5646025644535285e+02_real64, &
      3.2485447959084092e+02_real64, 3.2707541254659363e+03_real64], &
     [5.2969847140936856e+01_real64, 4.4632896115670668e+00_real64, 1.3122573342210174e+01_real64, &
      1.2006925323559144e+01_real64, 1.2459576151035986e+02_real64])]

  !> NPB's count of a step's operations.
  real(real64), parameter :: operations(0:3) = &
    [0.0_real64, 28023.7_real64, -17655.7_real64, 3478.8_real64]

  integer :: class

  class = chosen_class('bt', 'W')
  call run('BT', class, problems(class), solve_plane, operations)
end program bt
