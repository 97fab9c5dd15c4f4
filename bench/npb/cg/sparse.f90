! SPDX-License-Identifier: GPL-3.0-or-later
! The sparse symmetric matrix of NPB's CG: a sum of outer products of random sparse vectors.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 2.2 (kernel CG),
! with the order in which NPB draws the random numbers: one is dropped, then each candidate for an
! element of a vector takes two, its value and its place.
module sparse
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use lcg46, only: fill_uniform
  implicit none
  private
  public :: matrix, make_matrix, row_times

  !> Row i has the elements first(i) to last(i), by ascending column.
  type matrix
    integer :: rows
    integer, allocatable :: first(:), last(:), column(:)
    real(real64), allocatable :: value(:)
  end type matrix

  !> The vectors x(i) of the sum of w(i) * x(i) * x(i)^T, an array's column each: count(i) elements,
  !> in no order, of which one is x(i)'s own, at place i.
  type vectors
    integer, allocatable :: count(:), place(:, :)
    real(real64), allocatable :: value(:, :), weight(:)
  end type vectors

  integer(int64), parameter :: seed = 314159265

  !> The smallest eigenvalue and the reciprocal of the condition number of the unshifted matrix.
  real(real64), parameter :: smallest = 0.1_real64

  !> What each vector has at its own place.
  real(real64), parameter :: own_value = 0.5_real64

contains

  !> The matrix of that many rows, made of vectors of so many random elements, minus shift times the
  !> identity.
  function make_matrix(rows, nonzeros, shift) result(a)
    integer, intent(in) :: rows, nonzeros
    real(real64), intent(in) :: shift
    type(matrix) :: a
    type(vectors) :: v
    integer, allocatable :: begin(:), holder(:)
    real(real64), allocatable :: held(:)
    integer :: row

    v = make_vectors(rows, nonzeros)
    call transpose_vectors(v, begin, holder, held)

    ! Room for the elements that a row has if no two of its vectors share a place: few do.
    allocate (a%first(rows), a%last(rows))
    a%rows = rows
    a%first(1) = 1
    do row = 1, rows
      a%last(row) = a%first(row) + sum(v%count(holder(begin(row):begin(row + 1) - 1))) - 1
      if (row < rows) a%first(row + 1) = a%last(row) + 1
    end do
    allocate (a%column(a%last(rows)), a%value(a%last(rows)))
    call fill_rows(a, v, begin, holder, held, smallest - shift)
  end function make_matrix

  !> Draws the vectors.
  function make_vectors(rows, nonzeros) result(v)
    integer, intent(in) :: rows, nonzeros
    type(vectors) :: v
    integer(int64) :: state
    real(real64) :: dropped(1), drawn(2), ratio
    integer :: i, place, range, filled

    allocate (v%count(rows), v%weight(rows))
    allocate (v%place(nonzeros + 1, rows), v%value(nonzeros + 1, rows))
    ! Places are drawn from a power of two, and those beyond the last row dropped.
    range = 1
    do while (range < rows)
      range = 2 * range
    end do
    ratio = smallest**(1 / real(rows, real64))
    v%weight(1) = 1
    do i = 2, rows
      v%weight(i) = v%weight(i - 1) * ratio
    end do

    state = seed
    call fill_uniform(state, dropped)
    do i = 1, rows
      filled = 0
      do while (filled < nonzeros)
        call fill_uniform(state, drawn)
        place = int(range * drawn(2)) + 1
        if (place > rows .or. any(v%place(:filled, i) == place)) cycle
        filled = filled + 1
        v%place(filled, i) = place
        v%value(filled, i) = drawn(1)
      end do
      if (any(v%place(:filled, i) == i)) then
        where (v%place(:filled, i) == i) v%value(:filled, i) = own_value
      else
        filled = filled + 1
        v%place(filled, i) = i
        v%value(filled, i) = own_value
      end if
      v%count(i) = filled
    end do
  end function make_vectors

  !> For each row, the vectors that have an element there: holder(begin(row)) and on, up to the next
  !> row's, by ascending number; and what they have there, in held.
  subroutine transpose_vectors(v, begin, holder, held)
    type(vectors), intent(in) :: v
    integer, allocatable, intent(out) :: begin(:), holder(:)
    real(real64), allocatable, intent(out) :: held(:)
    integer, allocatable :: next(:)
    integer :: rows, i, k, row

    rows = size(v%count)
    allocate (begin(rows + 1), holder(sum(v%count)), held(sum(v%count)))
    begin = 0
    do i = 1, rows
      do k = 1, v%count(i)
        begin(v%place(k, i) + 1) = begin(v%place(k, i) + 1) + 1
      end do
    end do
    begin(1) = 1
    do row = 1, rows
      begin(row + 1) = begin(row + 1) + begin(row)
    end do
    next = begin(:rows)
    do i = 1, rows
      do k = 1, v%count(i)
        row = v%place(k, i)
        holder(next(row)) = i
        held(next(row)) = v%value(k, i)
        next(row) = next(row) + 1
      end do
    end do
  end subroutine transpose_vectors

  !> Sums up the rows, each in the order of its vectors, so that every team makes the same matrix;
  !> diagonal is added to the elements on the diagonal. Lowers a%last to what a row has.
  subroutine fill_rows(a, v, begin, holder, held, diagonal)
    type(matrix), intent(inout) :: a
    type(vectors), intent(in) :: v
    integer, intent(in) :: begin(:), holder(:)
    real(real64), intent(in) :: held(:), diagonal
    real(real64), allocatable :: total(:)
    logical, allocatable :: present(:)
    real(real64) :: factor
    integer :: row, h, i, k, column, last

    !$omp parallel private(total, present, factor, h, i, k, column, last)
    allocate (total(a%rows), present(a%rows))
    present = .false.
    !$omp do
    do row = 1, a%rows
      last = a%first(row) - 1
      do h = begin(row), begin(row + 1) - 1
        i = holder(h)
        factor = v%weight(i) * held(h)
        do k = 1, v%count(i)
          column = v%place(k, i)
          if (.not. present(column)) then
            present(column) = .true.
            total(column) = 0
            last = last + 1
            a%column(last) = column
          end if
          total(column) = total(column) + factor * v%value(k, i)
        end do
      end do
      total(row) = total(row) + diagonal
      call sort(a%column(a%first(row):last))
      do k = a%first(row), last
        a%value(k) = total(a%column(k))
        present(a%column(k)) = .false.
      end do
      a%last(row) = last
    end do
    !$omp end do
    deallocate (total, present)
    !$omp end parallel
  end subroutine fill_rows

  !> Sorts a few numbers, by insertion.
  pure subroutine sort(numbers)
    integer, intent(inout) :: numbers(:)
    integer :: i, k, moved

    do i = 2, size(numbers)
      moved = numbers(i)
      k = i - 1
      do while (k >= 1)
        if (numbers(k) <= moved) exit
        numbers(k + 1) = numbers(k)
        k = k - 1
      end do
      numbers(k + 1) = moved
    end do
  end subroutine sort

  !> A row of the matrix times v.
  pure function row_times(a, row, v) result(product)
    type(matrix), intent(in) :: a
    integer, intent(in) :: row
    real(real64), intent(in) :: v(a%rows)
    real(real64) :: product
    integer :: k

    product = 0
    do k = a%first(row), a%last(row)
      product = product + a%value(k) * v(a%column(k))
    end do
  end function row_times

end module sparse
