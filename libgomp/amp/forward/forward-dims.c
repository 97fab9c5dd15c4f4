/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Dimensions of teams and leagues (OpenMP 6.1).  There is one, as in
   upstream's library.  */

#include "libgomp.h"
#include "forward-lacks.h"

ialias_redirect (omp_get_num_threads)
ialias_redirect (omp_get_thread_num)
ialias_redirect (omp_get_thread_limit)
ialias_redirect (omp_get_num_teams)
ialias_redirect (omp_get_team_num)

#ifdef GOMP_LACKS_omp_get_num_threads_dim
int
omp_get_num_threads_dim (int dim)
{
  return dim == 0 ? omp_get_num_threads () : 1;
}
#endif

#ifdef GOMP_LACKS_omp_get_thread_num_dim
int
omp_get_thread_num_dim (int dim)
{
  return dim == 0 ? omp_get_thread_num () : 0;
}
#endif

#ifdef GOMP_LACKS_omp_get_thread_limit_dim
int
omp_get_thread_limit_dim (int dim)
{
  return dim == 0 ? omp_get_thread_limit () : 1;
}
#endif

#ifdef GOMP_LACKS_omp_get_num_teams_dim
int
omp_get_num_teams_dim (int dim)
{
  return dim == 0 ? omp_get_num_teams () : 1;
}
#endif

#ifdef GOMP_LACKS_omp_get_team_num_dim
int
omp_get_team_num_dim (int dim)
{
  return dim == 0 ? omp_get_team_num () : 0;
}
#endif

/* How many dimensions a team or league of DEVICE can have, natively or not.  */

#ifdef GOMP_LACKS_omp_get_supported_active_team_dims
int
omp_get_supported_active_team_dims (int device __attribute__ ((unused)),
				    int native __attribute__ ((unused)))
{
  return 1;
}

int32_t
omp_get_supported_active_team_dims_ (const int32_t *device,
				     const int32_t *native)
{
  return omp_get_supported_active_team_dims (*device, *native);
}
#endif

#ifdef GOMP_LACKS_omp_get_supported_active_league_dims
int
omp_get_supported_active_league_dims (int device __attribute__ ((unused)),
				      int native __attribute__ ((unused)))
{
  return 1;
}

int32_t
omp_get_supported_active_league_dims_ (const int32_t *device,
				       const int32_t *native)
{
  return omp_get_supported_active_league_dims (*device, *native);
}
#endif
