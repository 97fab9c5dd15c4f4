! SPDX-License-Identifier: GPL-3.0-or-later
! LU, a simulated application of the NAS Parallel Benchmarks: the three-dimensional compressible
! Navier-Stokes equations, solved by symmetric successive over-relaxation.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, chapter 3, with the
! problem sizes and the verification values of NPB's classes S, W, A and B.
!
! Usage: lu [--class] S|W|A|B, default A. Exits with status 1 if verification fails.
program lu
  use, intrinsic :: iso_fortran_env, only: real64
  use bench, only: bench_now
  use flow
  use measure, only: error_norm, inner_norm, surface_integral
  use npb, only: chosen_class, finish
  use residual, only: dissipation_stencils, find_residual
  use sweeps, only: make_wavefronts, omega, sweep, wavefronts
  implicit none

  !> A problem: points a side, time steps and their length, and what verifies the result.
  type problem
    integer :: n, steps
    real(real64) :: dt, residual(quantities), error(quantities), integral
  end type problem

  !> By class.
  type(problem), parameter :: problems(*) = [ &
    problem(12, 50, 0.5_real64, &
            [1.6196343210976702e-02_real64, 2.1976745164821318e-03_real64, &
             1.5179927653399185e-03_real64, 1.5029584435994323e-03_real64, &
             3.4264073155896461e-02_real64], &
            [6.4223319957960924e-04_real64, 8.4144342047347926e-05_real64, &
             5.8588269616485186e-05_real64, 5.8474222595157350e-05_real64, &
             1.3103347914111294e-03_real64], 7.8418928865937083_real64), &
    problem(33, 300, 1.5e-3_real64, &
            [0.1236511638192e+02_real64, 0.1317228477799e+01_real64, 0.2550120713095e+01_real64, &
             0.2326187750252e+01_real64, 0.2826799444189e+02_real64], &
            [0.4867877144216e+00_real64, 0.5064652880982e-01_real64, 0.9281818101960e-01_real64, &
             0.8570126542733e-01_real64, 0.1084277417792e+01_real64], 0.1161399311023e+02_real64), &
    problem(64, 250, 2.0_real64, &
            [7.7902107606689367e+02_real64, 6.3402765259692870e+01_real64, &
             1.9499249727292479e+02_real64, 1.7845301160418537e+02_real64, &
             1.8384760349464247e+03_real64], &
            [2.9964085685471943e+01_real64, 2.8194576365003349e+00_real64, &
             7.3473412698774742e+00_real64, 6.7139225687777051e+00_real64, &
             7.0715315688392578e+01_real64], 2.6030925604886277e+01_real64), &
    problem(102, 250, 2.0_real64, &
            [3.5532672969982736e+03_real64, 2.6214750795310692e+02_real64, &
             8.8333721850952190e+02_real64, 7.7812774739425265e+02_real64, &
             7.3087969592545314e+03_real64], &
            [1.1401176380212709e+02_real64, 8.1098963655421574e+00_real64, &
             2.8480597317698308e+01_real64, 2.5905394567832939e+01_real64, &
             2.6054907504857413e+02_real64], 4.7887162703308227e+01_real64)]

  real(real64), parameter :: tolerance = 1e-8_real64

  type(problem) :: chosen
  type(wavefronts) :: fronts
  integer :: class, n
  !> The field, what derives from it, the forcing term, and the residual, which the sweeps turn into
  !> the change of the field.
  real(real64), allocatable, dimension(:, :) :: u, w, forcing, v
  !> The weights of the dissipation's differences.
  real(real64), allocatable :: weight(:, :)
  real(real64) :: start, seconds

  class = chosen_class('lu', 'A')
  chosen = problems(class)
  n = chosen%n
  fronts = make_wavefronts(n)
  allocate (u(quantities, n**3), w(derived, n**3), forcing(quantities, n**3), &
            v(quantities, n**3))
  weight = dissipation_stencils(n)
  call prepare()

  start = bench_now()
  call iterate()
  seconds = bench_now() - start
  call report()

contains

  !> Sets the forcing term, which makes the exact solution one, and the initial field with its
  !> residual. Both the forcing and the residual stay zero on the boundary.
  subroutine prepare()
    call set_field(n, .false., u, w)
    call clear(forcing)
    call clear(v)
    !$omp parallel
    call find_residual(n, weight, u, w, v, forcing)
    !$omp end parallel
    call set_field(n, .true., u, w)
    !$omp parallel
    call find_residual(n, weight, u, w, forcing, v)
    !$omp end parallel
  end subroutine prepare

  !> Sets a field to zero, each part by whom the loop gives it to.
  subroutine clear(field)
    real(real64), intent(out) :: field(:, :)
    integer :: at

    !$omp parallel do
    do at = 1, size(field, 2)
      field(:, at) = 0
    end do
  end subroutine clear

  !> The time steps.
  subroutine iterate()
    integer :: step

    !$omp parallel private(step)
    do step = 1, chosen%steps
      call sweep(n, .true., fronts, chosen%dt, w, v)
      call sweep(n, .false., fronts, chosen%dt, w, v)
      call update()
      call find_residual(n, weight, u, w, forcing, v)
    end do
    !$omp end parallel
  end subroutine iterate

  !> Adds the change to the field, for a whole team.
  subroutine update()
    integer :: i, j, k, at

    !$omp do collapse(2)
    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          at = point_number(n, i, j, k)
          u(:, at) = u(:, at) + v(:, at) / (omega * (2 - omega))
          call derived_quantities(u(:, at), w(:, at))
        end do
      end do
    end do
    !$omp end do
  end subroutine update

  !> Measures the result, prints the measures and NPB's result block.
  subroutine report()
    real(real64) :: measured(2 * quantities + 1), expected(2 * quantities + 1)
    character(len=25) :: points

    measured = [inner_norm(n, v), error_norm(n, u), surface_integral(n, w)]
    expected = [chosen%residual, chosen%error, chosen%integral]
    write (*, '(a, /, (5es23.13))') ' LU: norms of residual and error, surface integral:', measured
    write (points, '(i15, 2("x", i4))') n, n, n
    call finish('LU', class, points, chosen%steps, seconds, chosen%steps * step_operations(), &
                'floating point', all(abs(measured / expected - 1) <= tolerance))
  end subroutine report

  !> NPB's count of operations in a time step, in millions. It is of NPB's own program, whose blocks
  !> are full matrices.
  pure function step_operations() result(millions)
    real(real64) :: millions, side

    side = n
    millions = 1e-6_real64 * (side * (side * (1984.77_real64 * side - 10923.3_real64) &
                                      + 27770.9_real64) - 144010)
  end function step_operations

end program lu
