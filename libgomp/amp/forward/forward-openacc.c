/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Routines of OpenACC that GCC 16 added, and those for Fortran that upstream's
   older maps name although no source defines them.  */

#include "libgomp.h"
#include "openacc.h"
#include "oacc-int.h"
#include <stdlib.h>
#include <string.h>
#include "forward-lacks.h"

#ifdef GOMP_LACKS_acc_memcpy_device
/* Copy SIZE bytes from FROM to TO, both on the current device.  */

void
acc_memcpy_device (void *to, void *from, size_t size)
{
  goacc_lazy_initialize ();
  struct gomp_device_descr *device = goacc_thread ()->dev;

  if (device->capabilities & GOMP_OFFLOAD_CAP_SHARED_MEM)
    memmove (to, from, size);
  else if (!device->dev2dev_func (device->target_id, to, from, size))
    gomp_fatal ("acc_memcpy_device: %zu bytes cannot be copied within device"
		" %d", size, device->target_id);
}

/* acc_memcpy_device behind what the queue ASYNC has to do.  It is complete on
   return, which is sooner than OpenACC asks for.  */

void
acc_memcpy_device_async (void *to, void *from, size_t size, int async)
{
  acc_wait (async);
  acc_memcpy_device (to, from, size);
}
#endif

#ifdef GOMP_LACKS_acc_copyout_finalize_async_array_h_

/* How gfortran describes an array.  */
struct array
{
  void *base;
  size_t offset;
  struct
  {
    size_t element;
    int version;
    signed char rank, type;
    signed short attribute;
  } dtype;
  ptrdiff_t span;
  struct
  {
    ptrdiff_t stride, lower, upper;
  } dimension[];
};

/* The size in bytes of ARRAY, which is contiguous.  */

static size_t
size_of (const struct array *array)
{
  size_t size = array->dtype.element;

  for (int i = 0; i < array->dtype.rank; i++)
    {
      ptrdiff_t extent
	= array->dimension[i].upper - array->dimension[i].lower + 1;
      size *= extent > 0 ? extent : 0;
    }
  return size;
}

/* For Fortran: NAME of SIZE bytes at DATA, or of an array.  */
#define FINALIZE(name) \
  void									\
  name##_32_h_ (void *data, const int32_t *size, const int32_t *async)	\
  {									\
    name (data, *size, *async);						\
  }									\
  void									\
  name##_64_h_ (void *data, const int64_t *size, const int32_t *async)	\
  {									\
    name (data, *size, *async);						\
  }									\
  void									\
  name##_array_h_ (const struct array *array, const int32_t *async)	\
  {									\
    name (array->base, size_of (array), *async);			\
  }

FINALIZE (acc_copyout_finalize_async)
FINALIZE (acc_delete_finalize_async)
#endif
