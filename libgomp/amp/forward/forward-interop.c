/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The interop construct and its routines on a machine without devices: every
   interoperability object is omp_interop_none, which is 0.  */

#include "libgomp.h"
#include "libgomp_g.h"
#include <string.h>
#include "forward-lacks.h"

#ifdef GOMP_LACKS_GOMP_interop

/* The properties that OpenMP defines, by their number -1 to -9.  */
static const char *const properties[] = {
  "fr_id", "fr_name", "vendor", "vendor_name", "device_num", "platform",
  "device", "device_context", "targetsync"
};
#define COUNT ((int) (sizeof properties / sizeof *properties))

/* Return codes, from 1 down, and what they mean.  Upstream's test suite asks
   for the texts of EMPTY and OUT_OF_RANGE.  */
enum { OUT_OF_RANGE = -2, EMPTY = -1, LAST_CODE = 1 };
static const char *const meanings[] = {
  "the property has no value",
  "success",
  "provided interoperability object is equal to omp_interop_none",
  "property ID is out of range",
  "the property is an integer: omp_get_interop_int returns it",
  "the property is a pointer: omp_get_interop_ptr returns it",
  "the property is a string: omp_get_interop_str returns it"
};
#define MEANINGS ((int) (sizeof meanings / sizeof *meanings))

static bool
defined (int property)
{
  return property < 0 && property >= -COUNT;
}

/* Of omp_interop_none no property has a value.  */

static void
set_code (int property, int *code)
{
  if (code)
    *code = defined (property) ? EMPTY : OUT_OF_RANGE;
}

/* Initialize the N_INIT objects of INIT and destroy the N_DESTROY of DESTROY.
   There is none to use.  DEPEND, if not NULL, is as GOMP_task's.  */

void
GOMP_interop (int device __attribute__ ((unused)), int n_init,
	      uintptr_t **init, const int *types __attribute__ ((unused)),
	      const char **preferred __attribute__ ((unused)),
	      int n_use __attribute__ ((unused)),
	      uintptr_t *use __attribute__ ((unused)), int n_destroy,
	      uintptr_t **destroy, unsigned flags __attribute__ ((unused)),
	      void **depend)
{
  for (int i = 0; i < n_destroy; i++)
    *destroy[i] = 0;
  for (int i = 0; i < n_init; i++)
    *init[i] = 0;
  if (depend)
    GOMP_taskwait_depend (depend);
}

/* How many properties there are besides those of OpenMP.  */

int
omp_get_num_interop_properties (uintptr_t interop __attribute__ ((unused)))
{
  return 0;
}

/* The value of PROPERTY, which is of TYPE.  */
#define VALUE(type, name) \
  type									\
  name (uintptr_t interop __attribute__ ((unused)), int property,	\
	int *code)							\
  {									\
    set_code (property, code);						\
    return 0;								\
  }

VALUE (intptr_t, omp_get_interop_int)
VALUE (void *, omp_get_interop_ptr)
VALUE (const char *, omp_get_interop_str)

const char *
omp_get_interop_name (uintptr_t interop __attribute__ ((unused)), int property)
{
  return defined (property) ? properties[-1 - property] : NULL;
}

const char *
omp_get_interop_type_desc (uintptr_t interop __attribute__ ((unused)),
			   int property __attribute__ ((unused)))
{
  return NULL;
}

const char *
omp_get_interop_rc_desc (uintptr_t interop __attribute__ ((unused)), int code)
{
  return (code <= LAST_CODE && code > LAST_CODE - MEANINGS
	  ? meanings[LAST_CODE - code] : NULL);
}

/* For Fortran: TEXT into *RESULT and *LENGTH.  */

static void
return_text (const char *text, const char **result, size_t *length)
{
  *result = text;
  *length = text ? strlen (text) : 0;
}

/* NAME_ for Fortran: NAME's text into *RESULT and *LENGTH.  */
#define TEXT(name, parms, args) \
  void									\
  name##_ (const char **result, size_t *length, uintptr_t interop, parms) \
  {									\
    return_text (name args, result, length);				\
  }

#define REST(...) __VA_ARGS__
TEXT (omp_get_interop_str, REST (int property, int *code),
      (interop, property, code))
TEXT (omp_get_interop_name, int property, (interop, property))
TEXT (omp_get_interop_type_desc, int property, (interop, property))
TEXT (omp_get_interop_rc_desc, int code, (interop, code))
#endif
