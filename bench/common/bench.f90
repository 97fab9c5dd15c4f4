! SPDX-License-Identifier: GPL-3.0-or-later
! The Fortran view of bench.h: the clock and the result line of the benchmark programs.
module bench
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_null_ptr, c_ptr
  implicit none
  private
  public :: bench_now, print_result

  interface
    !> Seconds since an arbitrary moment, from OpenMP's clock; see bench.h.
    function bench_now() bind(C, name='bench_now') result(seconds)
      import :: c_double
      real(c_double) :: seconds
    end function bench_now

    function bench_print_result(seconds, verified, extra) bind(C) result(status)
      import :: c_double, c_int, c_ptr
      real(c_double), value :: seconds
      integer(c_int), value :: verified
      type(c_ptr), value :: extra
      integer(c_int) :: status
    end function bench_print_result
  end interface

contains

  !> Prints the result line described in bench.h; the status to exit with is 0 if verified, else 1.
  function print_result(seconds, verified) result(status)
    real(c_double), intent(in) :: seconds
    logical, intent(in) :: verified
    integer(c_int) :: status

    flush (6)
    status = bench_print_result(seconds, merge(1_c_int, 0_c_int, verified), c_null_ptr)
  end function print_result

end module bench
