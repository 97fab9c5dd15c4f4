! SPDX-License-Identifier: GPL-3.0-or-later
! FT, the Fourier kernel of the NAS Parallel Benchmarks: the heat equation in a periodic box, solved
! by three-dimensional Fourier transforms.
!
! Source: Bailey et al., "The NAS Parallel Benchmarks", report RNR-94-007, section 2.2.4, with the
! problem sizes of NPB's classes S, W, A and B.
!
! Usage: ft [--class] S|W|A|B, default A. Exits with status 1 if verification fails.
program ft
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use bench, only: bench_now
  use checksums, only: expected_checksums
  use fourier, only: longest, pi, prepare_roots, transform
  use lcg46, only: fill_uniform, multiplier, power46, product46
  use npb, only: chosen_class, finish
  implicit none

  !> The points along each edge of the box, by class.
  integer, parameter :: boxes(3, 4) = reshape( &
    [64, 64, 64, 128, 128, 32, 256, 256, 128, 512, 256, 256], [3, 4])

  integer(int64), parameter :: seed = 314159265
  real(real64), parameter :: diffusivity = 1e-6_real64, tolerance = 1e-12_real64
  integer, parameter :: forward = -1, inverse = 1, summed = 1024

  !> The transform of the initial field, and a field at a later time or what it is transformed from.
  complex(real64), allocatable :: spectrum(:, :, :), field(:, :, :)
  complex(real64), allocatable :: expected(:), sums(:)
  integer :: class, n(3), t
  real(real64) :: start, seconds

  class = chosen_class('ft', 'A')
  n = boxes(:, class)
  expected = expected_checksums(class)
  allocate (spectrum(0:n(1) - 1, 0:n(2) - 1, 0:n(3) - 1), sums(size(expected)))
  allocate (field, mold=spectrum)
  call prepare_roots()
  call fill_randomly()

  start = bench_now()
  call transform(n, forward, spectrum)
  do t = 1, size(sums)
    call evolve(t)
    call transform(n, inverse, field)
    sums(t) = checksum()
  end do
  seconds = bench_now() - start
  call report()

contains

  !> Fills the spectrum's array with the initial field, and the other one, to bring its memory in.
  subroutine fill_randomly()
    integer(int64) :: state
    real(real64) :: numbers(2 * longest)
    integer :: row, plane

    !$omp parallel do private(row, state, numbers)
    do plane = 0, n(3) - 1
      state = product46(seed, power46(multiplier, 2_int64 * n(1) * n(2) * plane))
      do row = 0, n(2) - 1
        call fill_uniform(state, numbers(:2 * n(1)))
        spectrum(:, row, plane) = cmplx(numbers(1:2 * n(1):2), numbers(2:2 * n(1):2), real64)
        field(:, row, plane) = 0
      end do
    end do
    !$omp end parallel do
  end subroutine fill_randomly

  !> Sets the field to the spectrum at time t. A frequency decays by a product of three factors, one
  !> a dimension; the last one has in it the factor of the inverse transform.
  subroutine evolve(t)
    integer, intent(in) :: t
    real(real64) :: decay(0:longest - 1, 3)
    integer :: dimension, k, row, plane

    do dimension = 1, 3
      do k = 0, n(dimension) - 1
        decay(k, dimension) = exp(-4 * diffusivity * pi**2 * t &
                                  * real(min(k, n(dimension) - k), real64)**2)
      end do
    end do
    decay(:n(3) - 1, 3) = decay(:n(3) - 1, 3) / product(real(n, real64))

    !$omp parallel do collapse(2)
    do plane = 0, n(3) - 1
      do row = 0, n(2) - 1
        field(:, row, plane) = spectrum(:, row, plane) &
                               * (decay(:n(1) - 1, 1) * (decay(row, 2) * decay(plane, 3)))
      end do
    end do
    !$omp end parallel do
  end subroutine evolve

  !> The sum of some elements of the field.
  function checksum() result(total)
    complex(real64) :: total
    integer :: j

    total = 0
    !$omp parallel do reduction(+ : total)
    do j = 0, summed - 1
      total = total + field(mod(j, n(1)), mod(3 * j, n(2)), mod(5 * j, n(3)))
    end do
    !$omp end parallel do
  end function checksum

  !> Prints the checksums and NPB's result block.
  subroutine report()
    character(len=25) :: edges
    real(real64) :: points, operations
    integer :: t

    write (*, '(a, i3, a, 2es22.12)') (' FT: step ', t, ', checksum', sums(t), t=1, size(sums))
    write (edges, '(i0, 2("x", i0))') n
    points = product(real(n, real64))
    operations = points * (14.8157_real64 + 7.19641_real64 * log(points) &
                           + size(sums) * (5.23518_real64 + 7.21113_real64 * log(points)))
    call finish('FT', class, adjustr(edges), size(sums), seconds, operations * 1e-6_real64, &
                'Floating point', all(abs(sums - expected) <= tolerance * abs(expected)))
  end subroutine report

end program ft
