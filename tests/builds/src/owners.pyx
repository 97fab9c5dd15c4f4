# SPDX-License-Identifier: GPL-3.0-or-later
# cython: language_level=3
"""Prints which thread ran each iteration of a loop without a schedule clause."""

from cython.parallel cimport prange, threadid
from openmp cimport omp_get_num_threads
from posix.unistd cimport usleep

cdef void meet(int *here, int thread) noexcept nogil:
    """Wait until all threads of the team have run an iteration, as THREAD has now: none comes so
    late that nothing is left for it."""
    cdef int i
    here[thread] = 1
    for i in range(omp_get_num_threads()):
        while not here[i]:
            usleep(100)

def owners():
    cdef int owner[240]
    cdef int here[1024]
    cdef int i
    for i in range(1024):
        here[i] = 0
    for i in prange(240, nogil=True):
        owner[i] = threadid()
        meet(here, owner[i])
        usleep(100)
    print(*[owner[i] for i in range(240)])
