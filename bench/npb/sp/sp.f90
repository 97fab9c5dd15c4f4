! SPDX-License-Identifier: GPL-3.0-or-later
! SP, the scalar-pentadiagonal pseudo-application of the NAS Parallel Benchmarks: a flow in a cube,
! by implicit time steps of alternating directions.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 3, with the
! problem sizes and the norms of NPB's classes S, W, A and B.
!
! Usage: sp [--class] S|W|A|B, default W. Exits with status 1 if verification fails.
program sp
  use, intrinsic :: iso_fortran_env, only: real64
  use adi_problem, only: problem
  use adi_run, only: run
  use sp_solver, only: solve_plane
  use npb, only: chosen_class
  implicit none

  !> By class.
  type(problem), parameter :: problems(*) = [ &
    problem(12, 100, 1.5e-2_real64, &
     [2.7470315451339479e-02_real64, 1.0360746705285417e-02_real64, 1.6235745065095532e-02_real64, &
      1.5840557224455615e-02_real64, 3.4849040609362460e-02_real64], &
     [2.7289258557377227e-05_real64, 1.0364446640837285e-05_real64, 1.6154798287166471e-05_real64, &
      1.5750704994480102e-05_real64, 3.4177666183390531e-05_real64]), &
    problem(36, 400, 1.5e-3_real64, &
     [0.1893253733584e-02_real64, 0.1717075447775e-03_real64, 0.2778153350936e-03_real64, &
      0.2887475409984e-03_real64, 0.3143611161242e-02_real64], &
     [0.7542088599534e-04_real64, 0.6512852253086e-05_real64, 0.1049092285688e-04_real64, &
      0.1128838671535e-04_real64, 0.1212845639773e-03_real64]), &
    problem(64, 400, 1.5e-3_real64, &
     [2.4799822399300195_real64, 1.1276337964368832_real64, 1.5028977888770491_real64, &
      1.4217816211695179_real64, 2.1292113035138280_real64], &
     [1.0900140297820550e-04_real64, 3.7343951769282091e-05_real64, 5.0092785406541633e-05_real64, &
      4.7671093939528255e-05_real64, 1.3621613399213001e-04_real64]), &
    problem(102, 400, 1.0e-3_real64, &
     [0.6903293579998e+02_real64, 0.3095134488084e+02_real64, 0.4103336647017e+02_real64, &
      0.3864769009604e+02_real64, 0.5643482272596e+02_real64], &
     [0.9810006190188e-02_real64, 0.1022827905670e-02_real64, 0.1720597911692e-02_real64, &
      0.1694479428231e-02_real64, 0.1847456263981e-01_real64])]

  !> NPB's count of a step's operations.
  real(real64), parameter :: operations(0:3) = &
    [-19272.4_real64, 11484.5_real64, -4683.91_real64, 881.174_real64]

  integer :: class

  class = chosen_class('sp', 'W')
  call run('SP', class, problems(class), solve_plane, operations)
end program sp
