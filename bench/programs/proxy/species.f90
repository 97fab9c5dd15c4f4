! SPDX-License-Identifier: GPL-3.0-or-later
! Substances that a flow carries along a ring of cells and that react with each other: a step is a
! loop over the substances, which are fewer than threads, one over the cells, and one that adds up
! each substance.
!
! Usage: species [--size=CELLS] [--steps=STEPS]. Exits with status 1 if verification fails.
!
! Verified by every cell, to 1e-12, against serial steps of all substances of a cell at a time, and
! by the mass, which stays.
program species
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use bench, only: bench_now, print_result
  implicit none

  integer, parameter :: substances = 5
  real(real64), parameter :: courant = 0.4_real64, spread = 0.1_real64, rate = 0.01_real64

  integer :: cells = 20000, steps = 100, i, s
  real(real64), allocatable :: now(:, :), after(:, :), expected(:, :)
  real(real64) :: mass(substances), total, start, seconds
  logical :: verified

  call read_options()
  allocate (now(0:cells - 1, substances), after(0:cells - 1, substances))
  allocate (expected(substances, 0:cells - 1))
  do i = 0, cells - 1
    do s = 1, substances
      now(i, s) = 1 + sin(s*6.283185307179586_real64*i/cells)/s
      expected(s, i) = now(i, s)
    end do
  end do
  total = sum(now)

  start = bench_now()
  do i = 1, steps
    call step(now, after, mass)
  end do
  seconds = bench_now() - start

  do i = 1, steps
    call step_serially(expected)
  end do
  verified = all(abs(now - transpose(expected)) <= 1e-12_real64*abs(now)) .and. &
    abs(sum(mass) - total) <= 1e-9_real64*total
  if (print_result(seconds, verified) /= 0) stop 1

contains

  !> What flows and spreads into cell I, which has OWN, from its neighbours with LEFT and RIGHT.
  pure real(real64) function moved(left, own, right)
    real(real64), intent(in) :: left, own, right
    moved = own - courant*(own - left) + spread*(left - 2*own + right)
  end function moved

  !> One step of NOW by way of AFTER, and how much there is of each substance.
  subroutine step(now, after, mass)
    real(real64), intent(inout) :: now(0:, :), after(0:, :)
    real(real64), intent(out) :: mass(:)
    integer :: i, s

    !$omp parallel do private(i)
    do s = 1, substances
      do i = 1, cells - 2
        after(i, s) = moved(now(i - 1, s), now(i, s), now(i + 1, s))
      end do
      after(0, s) = moved(now(cells - 1, s), now(0, s), now(1, s))
      after(cells - 1, s) = moved(now(cells - 2, s), now(cells - 1, s), now(0, s))
    end do

    !$omp parallel do private(s)
    do i = 0, cells - 1
      do s = 1, substances
        now(i, s) = after(i, s) + rate*after(i, next(s, -1)) - rate*after(i, s)
      end do
    end do

    !$omp parallel do
    do s = 1, substances
      mass(s) = sum(now(:, s))
    end do
  end subroutine step

  !> The substance BY places after S.
  pure integer function next(s, by)
    integer, intent(in) :: s, by
    next = modulo(s - 1 + by, substances) + 1
  end function next

  !> The same by cells, all substances at a time.
  subroutine step_serially(cell)
    real(real64), intent(inout) :: cell(:, 0:)
    real(real64) :: first(substances), left(substances), old(substances), flown(substances), right
    integer :: i, s

    first = cell(:, 0)
    left = cell(:, cells - 1)
    do i = 0, cells - 1
      old = cell(:, i)
      do s = 1, substances
        right = merge(first(s), cell(s, mod(i + 1, cells)), i == cells - 1)
        flown(s) = moved(left(s), old(s), right)
      end do
      cell(:, i) = flown*(1 - rate) + rate*cshift(flown, -1)
      left = old
    end do
  end subroutine step_serially

  !> Reads CELLS and STEPS from the command line.
  subroutine read_options()
    character(len=64) :: argument
    integer :: k, status

    do k = 1, command_argument_count()
      call get_command_argument(k, argument)
      status = 1
      if (argument(:7) == '--size=') read (argument(8:), *, iostat=status) cells
      if (argument(:8) == '--steps=') read (argument(9:), *, iostat=status) steps
      if (status /= 0 .or. cells < 3 .or. steps < 1) then
        write (error_unit, '(3a)') 'species: ', trim(argument), &
          ': expected --size=CELLS, from 3, or --steps=STEPS, from 1; nothing was run'
        stop 2
      end if
    end do
  end subroutine read_options

end program species
