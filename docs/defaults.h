/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The default of an option of options.def as text, for what prints tables.  */

#ifndef DEFAULTS_H
#define DEFAULTS_H

#include "options.h"
#include <stdio.h>
#include <string.h>

/* Each default_TYPE returns NULL for an option that is then unset.  */

static inline const char *
default_NUMBER (const char *field, unsigned long value)
{
  static char text[24];
  (void) field;
  snprintf (text, sizeof text, "%lu", value);
  return text;
}

static inline const char *
default_KEYWORD (const char *field, unsigned long value)
{
  static const struct keyword
  {
    const char *option;
    const char *name;
    int value;
  } keywords[] = {
#define GOMP_AMP_KEYWORD(field, name, ident) { #field, name, GOMP_AMP_##ident },
#include "options.def"
  };
  for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
    if (strcmp (keywords[i].option, field) == 0
	&& (unsigned long) keywords[i].value == value)
      return keywords[i].name;
  return NULL;
}

static inline const char *
default_TEXT (const char *field, unsigned long value)
{
  (void) field;
  (void) value;
  return NULL;
}

#define default_FILE default_TEXT
#define default_SCHEDULE default_TEXT
#define default_SF_LIST default_TEXT
#define default_CLASS_LIST default_TEXT

#endif /* DEFAULTS_H */
