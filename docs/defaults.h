/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The default of an option as text, for programs that print the tables.  */

#ifndef DEFAULTS_H
#define DEFAULTS_H

#include "options/option-table.h"

/* The lab's options are known, and printed apart from those of options.def.  */
#undef GOMP_AMP_VIRTUAL

/* The default of the option NAME; NULL if it is then unset.  The next call
   overwrites the text.  */

static inline const char *
option_default (const char *name)
{
  static char text[64];
  FILE *stream;

  text[0] = '\0';
  stream = fmemopen (text, sizeof text, "w");
  if (stream == NULL)
    return NULL;
  /* The environment was not read: the option has its default.  */
  gomp_amp_show_option (gomp_amp_find_option (name), stream);
  fclose (stream);
  return *text != '\0' ? text : NULL;
}

#endif /* DEFAULTS_H */
