# SPDX-License-Identifier: GPL-3.0-or-later
# A static loop of Cython's, as docs/guide/python.md has extensions.

from cython.parallel cimport prange
from libc.math cimport sin


def waves(double[::1] values, int terms):
    """Replace each of the values by a sum of as many sines."""
    cdef Py_ssize_t i
    for i in prange(values.shape[0], nogil=True):
        values[i] = _wave(values[i], terms)


cdef double _wave(double x, int terms) noexcept nogil:
    cdef double sum = 0
    cdef int k
    for k in range(1, terms + 1):
        sum += sin(k * x) / k
    return sum
