/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Dimensions of teams and leagues (OpenMP 6.1).  There is one, as in
   upstream's library.  */

#include "libgomp.h"
#include "forward-lacks.h"

/* A base has all of them or none.  */
#ifdef GOMP_LACKS_omp_get_num_threads_dim

/* NAME_dim: what NAME returns of the dimension 0, and OTHER of a further
   one.  */
#define DIMENSION(name, other) \
  ialias_redirect (name)						\
  int									\
  name##_dim (int dim)							\
  {									\
    return dim == 0 ? name () : (other);				\
  }

DIMENSION (omp_get_num_threads, 1)
DIMENSION (omp_get_thread_num, 0)
DIMENSION (omp_get_thread_limit, 1)
DIMENSION (omp_get_num_teams, 1)
DIMENSION (omp_get_team_num, 0)

/* How many dimensions a team or league of DEVICE can have, natively or not;
   for Fortran, too.  */
#define SUPPORTED(what) \
  int									\
  omp_get_supported_active_##what##_dims				\
    (int device __attribute__ ((unused)),				\
     int native __attribute__ ((unused)))				\
  {									\
    return 1;								\
  }									\
  int32_t								\
  omp_get_supported_active_##what##_dims_				\
    (const int32_t *device __attribute__ ((unused)),			\
     const int32_t *native __attribute__ ((unused)))			\
  {									\
    return 1;								\
  }

SUPPORTED (team)
SUPPORTED (league)
#endif
