! SPDX-License-Identifier: GPL-3.0-or-later
! Bundles of parallel grid lines, copied out of a plane so that all their arithmetic is the same in
! each direction and runs in vector registers, a line a lane.
module adi_bundle
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: gather, scatter

  !> Lines in a bundle.
  integer, parameter, public :: lanes = 4

contains

  !> Copies the lines number first to first + lanes - 1 out of a plane. They run along its second
  !> index in direction 1, along its third one in the others. In the bundle the momentum along the
  !> lines is the second component, in exchange for the first direction's. Lanes past the last line
  !> inside of the grid repeat it.
  pure subroutine gather(plane, direction, first, bundle)
    real(real64), intent(in) :: plane(:, :, :)
    integer, intent(in) :: direction, first
    real(real64), intent(out) :: bundle(lanes, 5, size(plane, 3))
    integer :: i, lane, line, m

    do lane = 1, lanes
      line = min(first + lane - 1, size(plane, 3) - 1)
      if (direction == 1) then
        do i = 1, size(plane, 3)
          do m = 1, 5
            bundle(lane, m, i) = plane(m, i, line)
          end do
        end do
      else
        do i = 1, size(plane, 3)
          do m = 1, 5
            bundle(lane, m, i) = plane(m, line, i)
          end do
          bundle(lane, 2, i) = plane(direction + 1, line, i)
          bundle(lane, direction + 1, i) = plane(2, line, i)
        end do
      end if
    end do
  end subroutine gather

  !> Copies a bundle's points inside of the grid back to where gather finds them.
  pure subroutine scatter(bundle, direction, first, plane)
    real(real64), intent(inout) :: plane(:, :, :)
    real(real64), intent(in) :: bundle(lanes, 5, size(plane, 3))
    integer, intent(in) :: direction, first
    integer :: i, lane, line, m

    do lane = 1, min(lanes, size(plane, 3) - first)
      line = first + lane - 1
      if (direction == 1) then
        do i = 2, size(plane, 3) - 1
          do m = 1, 5
            plane(m, i, line) = bundle(lane, m, i)
          end do
        end do
      else
        do i = 2, size(plane, 3) - 1
          do m = 1, 5
            plane(m, line, i) = bundle(lane, m, i)
          end do
          plane(2, line, i) = bundle(lane, direction + 1, i)
          plane(direction + 1, line, i) = bundle(lane, 2, i)
        end do
      end if
    end do
  end subroutine scatter

end module adi_bundle
