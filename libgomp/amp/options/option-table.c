/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The rows of options.def at run time: each option's value, bounds and
   keywords.  Says nothing and reads nothing, so that generators of
   documentation and tools are linked with it.  */

#include "options/option-table.h"
#include "base/parse.h"
#include <string.h>

struct gomp_amp_options gomp_amp_options = {
#define GOMP_AMP_OPTION(field, name, type, def, min, max, expected, help) \
  .field = def,
#include "options/options.def"
};

const struct gomp_amp_option gomp_amp_option_table[] = {
#define GOMP_AMP_OPTION(field, name, type, def, min, max, expected, help) \
  { name, #field, GOMP_AMP_TYPE_##type, min, max, expected, \
    &gomp_amp_options.field },
#include "options/options.def"
};

#define N_ELEMENTS(array) (sizeof (array) / sizeof (array)[0])

const unsigned gomp_amp_option_count = N_ELEMENTS (gomp_amp_option_table);

_Static_assert (GOMP_AMP_MAX_CLASSES == 64, "options.def says 0..63");

static const struct keyword
{
  const char *field;
  const char *name;
  int value;
} keyword_table[] = {
#define GOMP_AMP_KEYWORD(field, name, ident) { #field, name, GOMP_AMP_##ident },
#include "options/options.def"
};

const struct gomp_amp_option *
gomp_amp_find_option (const char *name)
{
  for (size_t i = 0; i < N_ELEMENTS (gomp_amp_option_table); i++)
    if (strcmp (gomp_amp_option_table[i].name, name) == 0)
      return &gomp_amp_option_table[i];
  return NULL;
}

bool
gomp_amp_find_keyword (const char *field, const char *word, size_t length,
		       int *value)
{
  for (size_t i = 0; i < N_ELEMENTS (keyword_table); i++)
    if (strcmp (keyword_table[i].field, field) == 0
	&& gomp_amp_word_is (word, length, keyword_table[i].name))
      {
	*value = keyword_table[i].value;
	return true;
      }
  return false;
}

const char *
gomp_amp_keyword_name (const char *field, int value)
{
  for (size_t i = 0; i < N_ELEMENTS (keyword_table); i++)
    if (strcmp (keyword_table[i].field, field) == 0
	&& keyword_table[i].value == value)
      return keyword_table[i].name;
  return "";
}
