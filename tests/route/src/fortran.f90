! SPDX-License-Identifier: GPL-3.0-or-later
! Fortran: loops without and with clauses, orphaned ones, workshare, and the pattern of NPB's CG.
!
! expect parallel_do 1 1 1
! expect inner_do 1 1 1
! expect backwards 1 1 1
! expect strided 1 1 1
! expect collapsed 1 1 1
! expect long_integers 1 1 1
! expect do_simd 1 1 1
! expect parallel_do_simd 1 1 1
! expect reduced 1 1 1
! expect last_private 1 1 1
! expect ordered_do 0 0 0
! expect sixteen_bytes 0 0 0
! expect static_do 0 1 0
! expect two_static_do 0 0 0
! expect static_do_and_number 0 0 0
! expect static_do_inside 0 1 0
! expect dynamic_do 0 0 0
! expect simd_only 0 0 0
! expect task_loop 0 0 0
! expect concurrent_order 0 0 0
! expect works_share 0 1 0
! expect conj_grad 2 2 5
! expect chain_of_two 0 0 2
! expect inside 1 1 1

module work
  implicit none
  integer, parameter :: n = 4096
  integer :: a(n), x(n), y(n)
  integer, volatile :: yes = 1
contains

  subroutine parallel_do()
    integer :: i
    !$omp parallel do
    do i = 1, n
      a(i) = a(i) + i
    end do
  end subroutine

  subroutine inner_do()
    integer :: i
    !$omp parallel
    !$omp do
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp end do
    !$omp critical
    yes = 1
    !$omp end critical
    !$omp end parallel
  end subroutine

  subroutine backwards()
    integer :: i
    !$omp parallel do
    do i = n, 1, -1
      a(i) = a(i) + i
    end do
  end subroutine

  subroutine strided()
    integer :: i
    !$omp parallel do
    do i = 1, n, 2
      a(i) = a(i) + i
      a(i + 1) = a(i + 1) + i + 1
    end do
  end subroutine

  subroutine collapsed()
    integer :: i, j
    !$omp parallel do collapse(2)
    do i = 0, n / 8 - 1
      do j = 1, 8
        a(i * 8 + j) = a(i * 8 + j) + i * 8 + j
      end do
    end do
  end subroutine

  subroutine long_integers()
    integer(8) :: i
    !$omp parallel do
    do i = 1, n
      a(i) = a(i) + int(i)
    end do
  end subroutine

  subroutine sixteen_bytes()
    integer(16), parameter :: far = 2_16**70
    integer(16) :: i
    !$omp parallel do
    do i = far + 1, far + n
      a(int(i - far)) = a(int(i - far)) + int(i - far)
    end do
  end subroutine

  subroutine do_simd()
    integer :: i
    !$omp parallel
    !$omp do simd
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp end do simd
    !$omp critical
    yes = 1
    !$omp end critical
    !$omp end parallel
  end subroutine

  subroutine parallel_do_simd()
    integer :: i
    !$omp parallel do simd
    do i = 1, n
      a(i) = a(i) + i
    end do
  end subroutine

  subroutine reduced()
    integer :: i, s
    s = 0
    !$omp parallel do reduction(+:s)
    do i = 1, n
      s = s + 1
    end do
    a = [(s - n + i, i = 1, n)]
  end subroutine

  subroutine last_private()
    integer :: i, last
    !$omp parallel do lastprivate(last)
    do i = 1, n
      last = i
    end do
    a = [(last - n + i, i = 1, n)]
  end subroutine

  subroutine ordered_do()
    integer :: i, next
    next = 0
    !$omp parallel do ordered
    do i = 1, n
      !$omp ordered
      next = next + 1
      a(i) = next
      !$omp end ordered
    end do
  end subroutine

  subroutine static_do()
    integer :: i
    !$omp parallel do schedule(static)
    do i = 1, n
      a(i) = a(i) + i
    end do
  end subroutine

  ! The second loop takes from x what the same thread has put there.
  subroutine two_static_do()
    integer :: i, mine
    !$omp parallel private(mine)
    mine = 0
    !$omp do schedule(static)
    do i = 1, n
      call slow(i)
      mine = mine + i
    end do
    !$omp end do
    !$omp do schedule(static)
    do i = 1, n
      mine = mine - i
      a(i) = i
    end do
    !$omp end do nowait
    if (mine /= 0) a = 0
    !$omp end parallel
  end subroutine

  subroutine static_do_and_number()
    use omp_lib
    integer :: i
    !$omp parallel do schedule(static)
    do i = 1, n
      a(i) = i + 0 * omp_get_thread_num()
    end do
  end subroutine

  subroutine static_do_inside()
    integer :: i
    !$omp parallel
    !$omp do schedule(static)
    do i = 1, n
      a(i) = i
    end do
    !$omp end do
    !$omp end parallel
  end subroutine

  subroutine dynamic_do()
    integer :: i
    !$omp parallel do schedule(dynamic, 3)
    do i = 1, n
      a(i) = a(i) + i
    end do
  end subroutine

  subroutine simd_only()
    integer :: i
    !$omp simd
    do i = 1, n
      a(i) = a(i) + i
    end do
  end subroutine

  subroutine task_loop()
    integer :: i
    !$omp parallel
    !$omp single
    !$omp taskloop
    do i = 1, n
      a(i) = a(i) + i
    end do
    !$omp end taskloop
    !$omp end single
    !$omp end parallel
  end subroutine

  subroutine concurrent_order()
    integer :: i
    !$omp parallel do order(concurrent)
    do i = 1, n
      a(i) = a(i) + i
    end do
  end subroutine

  subroutine works_share()
    integer :: i
    x = [(i, i = 1, n)]
    !$omp parallel workshare
    a = a + x
    !$omp end parallel workshare
  end subroutine

  ! The loops of NPB's CG: all orphaned, some chained, the last one closed.
  subroutine conj_grad(rho)
    integer, intent(inout) :: rho
    integer :: i
    !$omp do
    do i = 1, n
      y(i) = 0
    end do
    !$omp end do
    !$omp do
    do i = 1, n
      x(i) = 0
    end do
    !$omp end do
    !$omp do
    do i = 1, n
      call slow(i)
      x(i) = i
    end do
    !$omp end do nowait
    !$omp do
    do i = 1, n
      y(i) = x(i)
    end do
    !$omp end do nowait
    !$omp do reduction(+:rho)
    do i = 1, n
      rho = rho + y(i)
    end do
    !$omp end do
  end subroutine

  subroutine calls_conj_grad()
    integer :: rho, i
    rho = 0
    !$omp parallel
    call conj_grad(rho)
    !$omp end parallel
    a = [(rho - n * (n + 1) / 2 + i, i = 1, n)]
  end subroutine

  subroutine chain_of_two()
    integer :: i
    x = 0
    !$omp parallel
    !$omp do
    do i = 1, n
      call slow(i)
      x(i) = i
    end do
    !$omp end do nowait
    !$omp do
    do i = 1, n
      a(i) = x(i)
    end do
    !$omp end do
    !$omp end parallel
  end subroutine

  ! One iteration is late: threads that need not wait for it go on.
  subroutine slow(i)
    integer, intent(in) :: i
    integer(8) :: start, now, rate
    if (i /= 5) return
    call system_clock(start, rate)
    do
      call system_clock(now)
      if (now - start > rate / 500) exit
    end do
  end subroutine

  subroutine contains_one()
    call inside()
  contains
    subroutine inside()
      integer :: i
      !$omp parallel do
      do i = 1, n
        a(i) = a(i) + i
      end do
    end subroutine
  end subroutine
end module

program loops
  use work
  implicit none
  logical :: failed = .false.

  call adds('parallel_do', parallel_do)
  call adds('inner_do', inner_do)
  call adds('backwards', backwards)
  call adds('strided', strided)
  call adds('collapsed', collapsed)
  call adds('long_integers', long_integers)
  call adds('sixteen_bytes', sixteen_bytes)
  call adds('do_simd', do_simd)
  call adds('parallel_do_simd', parallel_do_simd)
  call adds('reduced', reduced)
  call adds('last_private', last_private)
  call adds('ordered_do', ordered_do)
  call adds('static_do', static_do)
  call adds('two_static_do', two_static_do)
  call adds('static_do_and_number', static_do_and_number)
  call adds('static_do_inside', static_do_inside)
  call adds('dynamic_do', dynamic_do)
  call adds('simd_only', simd_only)
  call adds('task_loop', task_loop)
  call adds('concurrent_order', concurrent_order)
  call adds('works_share', works_share)
  call adds('calls_conj_grad', calls_conj_grad)
  call adds('chain_of_two', chain_of_two)
  call adds('contains_one', contains_one)
  if (failed) stop 1
contains

  ! Run f, which is to leave i in each a(i).
  subroutine adds(name, f)
    character(*), intent(in) :: name
    interface
      subroutine f()
      end subroutine
    end interface
    integer :: i
    a = 0
    call f()
    if (any(a /= [(i, i = 1, n)])) then
      print *, name, ': wrong'
      failed = .true.
    end if
  end subroutine
end program
