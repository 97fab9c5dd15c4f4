/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Parsing of blanks, numbers and names that does not depend on the locale.

   A reader takes the address of a cursor into a string and moves the cursor
   over what it has read.  When it returns false it has changed neither the
   cursor nor its results.  */

#ifndef GOMP_AMP_PARSE_H
#define GOMP_AMP_PARSE_H 1

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* Whether C is white space in the C locale.  */
static inline bool
gomp_amp_blank_p (char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Move *CURSOR over white space.  */
extern void gomp_amp_skip_blanks (const char **cursor);

/* Read decimal digits, no sign, as a number of at most MAX.  */
extern bool gomp_amp_read_number (const char **cursor, unsigned long max,
				  unsigned long *number);

/* Read digits[.digits] as a number of at most MAX.  MAX is below 2^53.  */
extern bool gomp_amp_read_decimal (const char **cursor, double max,
				   double *number);

/* Read the character C with any blanks around it.  */
extern bool gomp_amp_read_char (const char **cursor, char c);

/* Read the word [A-Za-z0-9_-]+ and store its beginning and length.  */
extern bool gomp_amp_read_word (const char **cursor, const char **word,
				size_t *length);

/* Whether the LENGTH characters at WORD equal NAME; case does not matter, and
   '-' counts as '_'.  */
extern bool gomp_amp_word_is (const char *word, size_t length,
			      const char *name);

/* The longest name that gomp_amp_edit_distance takes.  */
#define GOMP_AMP_MAX_NAME 63

/* How many characters have to be inserted, removed or replaced to turn A into
   B.  Case does not matter, and '-' counts as '_'.  B has at most
   GOMP_AMP_MAX_NAME characters.  */
extern unsigned gomp_amp_edit_distance (const char *a, const char *b);

/* Whether nothing but blanks is left at CURSOR.  */
extern bool gomp_amp_at_end (const char *cursor);

/* Copy VALUE to BUFFER of SIZE > 4 bytes for a message: a character that does
   not print becomes '?', and a copy that is cut off ends in "...".  */
extern void gomp_amp_printable (char *buffer, size_t size, const char *value);

#pragma GCC visibility pop

#endif /* GOMP_AMP_PARSE_H */
