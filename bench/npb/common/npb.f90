! SPDX-License-Identifier: GPL-3.0-or-later
! What the NAS Parallel Benchmarks in Fortran share: the class on the command line and the result
! block.
module npb
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use omp_lib, only: omp_get_max_threads
  use bench, only: print_result
  implicit none
  private
  public :: chosen_class, finish

  !> The classes, as indices into a program's table of problems.
  character(len=*), parameter, public :: class_names = 'SWAB'

contains

  !> The index in class_names of the class that the command line names by CLASS, --class=CLASS or
  !> --class CLASS; preset if it names none. On a bad argument says so and stops with status 2.
  function chosen_class(program, preset) result(class)
    character(len=*), intent(in) :: program
    character, intent(in) :: preset
    integer :: class
    character(len=32) :: word
    integer :: count

    count = command_argument_count()
    word = preset
    if (count > 0) call get_command_argument(count, word)
    if (count == 2) then
      call get_command_argument(1, word)
      if (word /= '--class') call refuse(program, word)
      call get_command_argument(2, word)
    else if (index(word, '--class=') == 1) then
      word = word(len('--class=') + 1:)
    end if
    if (count > 2) call refuse(program, 'more than two arguments')
    class = 0
    if (len_trim(word) == 1) class = max(index(class_names, word(1:1)), index('swab', word(1:1)))
    if (class == 0) call refuse(program, word)
  end function chosen_class

  !> Says that an argument is not understood and ends the program with status 2.
  subroutine refuse(program, word)
    character(len=*), intent(in) :: program, word

    write (error_unit, '(6a)') program, ': ', trim(word), ': the usage is ', program, &
      ' [--class] S|W|A|B; nothing was run'
    stop 2
  end subroutine refuse

  !> Prints NPB's result block and the result line of bench.h, and ends the program, with status 1
  !> if it is not verified. Size is the block's text for the problem's size, operations the number
  !> of operations of the timed part in millions, operation their kind.
  subroutine finish(program, class, size, iterations, seconds, operations, operation, verified)
    character(len=*), intent(in) :: program, size, operation
    integer, intent(in) :: class, iterations
    real(real64), intent(in) :: seconds, operations
    logical, intent(in) :: verified
    character(len=*), parameter :: text = '(1x, a16, "=", a25)', whole = '(1x, a16, "=", i25)', &
      decimal = '(1x, a16, "=", f25.2)', seconds_form = '(1x, a16, "=", f25.4)'

    write (*, '(/, 1x, 2a)') program, ' Benchmark Completed.'
    write (*, text) 'Class           ', class_names(class:class)
    write (*, text) 'Size            ', size
    write (*, whole) 'Iterations      ', iterations
    write (*, seconds_form) 'Time in seconds ', seconds
    write (*, whole) 'Total threads   ', omp_get_max_threads()
    write (*, decimal) 'Mop/s total     ', operations / seconds
    write (*, decimal) 'Mop/s/thread    ', operations / seconds / omp_get_max_threads()
    write (*, text) 'Operation type  ', operation
    write (*, text) 'Verification    ', merge('  SUCCESSFUL', 'UNSUCCESSFUL', verified)
    write (*, '()')
    if (print_result(seconds, verified) /= 0) stop 1
  end subroutine finish

end module npb
