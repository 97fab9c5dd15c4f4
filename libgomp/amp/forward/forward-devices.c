/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Routines about devices that GCC 15 to 17 added.  The host answers as
   upstream's does.  Of other devices these functions know what the base's
   public routines do, and nothing else.  */

#include "libgomp.h"
#include "libgomp_g.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "gomp-constants.h"
#include "forward-lacks.h"

/* Numbers of no device, of OpenMP 5.2 and 6.1.  Older headers lack them.  */
enum { INITIAL_DEVICE = -1, INVALID_DEVICE = -4, DEFAULT_DEVICE = -5 };

/* DEVICE as base routines expect it: the host is the number after the last
   device.  -1 if it is no device.  */

static __attribute__ ((unused)) int
number_of (int device)
{
  if (device == DEFAULT_DEVICE)
    device = omp_get_default_device ();
  if (device == INITIAL_DEVICE)
    return omp_get_initial_device ();
  return device < 0 || device > omp_get_num_devices () ? -1 : device;
}

static __attribute__ ((unused)) bool
is_host (int device)
{
  return number_of (device) == omp_get_initial_device ();
}

#ifdef GOMP_LACKS_omp_target_memset
void *
omp_target_memset (void *ptr, int value, size_t count, int device)
{
  if (count == 0)
    return ptr;
  /* A number of no device means the host, as upstream.  */
  if (is_host (device) || number_of (device) < 0)
    return memset (ptr, value, count);

  void *image = gomp_malloc (count);
  memset (image, value, count);
  if (omp_target_memcpy (ptr, image, count, 0, 0, number_of (device),
			 omp_get_initial_device ()))
    gomp_fatal ("omp_target_memset: %zu bytes on device %d cannot be set",
		count, device);
  free (image);
  return ptr;
}

/* Run FN with a copy of the SIZE bytes at DATA as a task that depends on the
   COUNT objects of DEPENDENCES.  */

static void
start_task (void (*fn) (void *), void *data, size_t size, int count,
	    omp_depend_t *dependences)
{
  bool depends = count > 0 && dependences != NULL;
  void *depend[depends ? count + 5 : 5];

  /* As the compiler passes dependences that are all objects.  */
  memset (depend, 0, 5 * sizeof *depend);
  for (int i = 0; depends && i < count; i++)
    depend[i + 5] = &dependences[i];
  depend[1] = (void *) (uintptr_t) (depends ? count : 0);
  GOMP_task (fn, data, NULL, size, __alignof__ (void *), true,
	     depends ? GOMP_TASK_FLAG_DEPEND : 0, depend, 0, NULL);
}

struct setting
{
  void *ptr;
  size_t count;
  int value, device;
};

static void
run_setting (void *data)
{
  struct setting *s = data;

  omp_target_memset (s->ptr, s->value, s->count, s->device);
}

void *
omp_target_memset_async (void *ptr, int value, size_t count, int device,
			 int depend_count, omp_depend_t *dependences)
{
  /* The default device is that of now.  */
  struct setting s = { ptr, count, value, number_of (device) };

  start_task (run_setting, &s, sizeof s, depend_count, dependences);
  return ptr;
}
#endif

#ifdef GOMP_LACKS_omp_get_uid_from_device
static const char host_uid[] = "OMP_INITIAL_DEVICE";

const char *
omp_get_uid_from_device (int device)
{
  return is_host (device) ? host_uid : NULL;
}

int
omp_get_device_from_uid (const char *uid)
{
  return uid && strcmp (uid, host_uid) == 0 ? INITIAL_DEVICE : INVALID_DEVICE;
}

/* Fortran's strings have a length and no end.  */

int
omp_get_device_from_uid_ (const char *uid, size_t length)
{
  bool host = (length == sizeof host_uid - 1
	       && memcmp (uid, host_uid, length) == 0);

  return host ? INITIAL_DEVICE : INVALID_DEVICE;
}

void
omp_get_uid_from_device_ (const char **uid, size_t *length, int32_t device)
{
  *uid = omp_get_uid_from_device (device);
  *length = *uid ? strlen (*uid) : 0;
}

void
omp_get_uid_from_device_8_ (const char **uid, size_t *length, int64_t device)
{
  omp_get_uid_from_device_ (uid, length, device);
}
#endif

/* Store into DISTANCES how far the calling thread is from each of the COUNT
   DEVICES: 0 is the host, -1 no device.  10 is what upstream says of a device
   if it does not know.  */

#ifdef GOMP_LACKS_omp_get_device_distances
void
omp_get_device_distances (int count, const int *devices, int *distances)
{
  for (int i = 0; i < count; i++)
    distances[i] = (is_host (devices[i]) ? 0
		    : number_of (devices[i]) < 0 ? -1 : 10);
}

/* How many threads or teams DEVICE can have in the dimension DIM; dimension 0
   is the only one.  */

int
omp_get_supported_threads_dim (int device, int dim)
{
  return !is_host (device) ? -1 : dim == 0 ? INT_MAX : 1;
}

extern __typeof (omp_get_supported_threads_dim) omp_get_supported_teams_dim
  __attribute__ ((alias ("omp_get_supported_threads_dim")));
#endif
