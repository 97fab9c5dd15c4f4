# SPDX-License-Identifier: GPL-3.0-or-later
# cython: language_level=3
"""Prints which thread ran each iteration of a loop without a schedule clause."""

from cython.parallel cimport prange, threadid
from posix.unistd cimport usleep

def owners():
    cdef int owner[240]
    cdef int i
    for i in prange(240, nogil=True):
        owner[i] = threadid()
        usleep(100)
    print(*[owner[i] for i in range(240)])
