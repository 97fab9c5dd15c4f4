/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Parsing of blanks, numbers and names that does not depend on the locale.  */

#include "base/parse.h"
#include "base/assert.h"
#include <string.h>

static bool
digit_p (char c)
{
  return c >= '0' && c <= '9';
}

static char
fold (char c)
{
  if (c == '-')
    return '_';
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

void
gomp_amp_skip_blanks (const char **cursor)
{
  while (gomp_amp_blank_p (**cursor))
    ++*cursor;
}

bool
gomp_amp_at_end (const char *cursor)
{
  gomp_amp_skip_blanks (&cursor);
  return *cursor == '\0';
}

bool
gomp_amp_read_number (const char **cursor, unsigned long max,
		      unsigned long *number)
{
  const char *p = *cursor;
  unsigned long value = 0;

  if (!digit_p (*p))
    return false;
  for (; digit_p (*p); p++)
    {
      unsigned digit = *p - '0';
      if (digit > max || value > (max - digit) / 10)
	return false;
      value = 10 * value + digit;
    }
  *cursor = p;
  *number = value;
  return true;
}

bool
gomp_amp_read_decimal (const char **cursor, double max, double *number)
{
  const char *p = *cursor;
  unsigned long whole;
  double value;

  GOMP_AMP_ASSERT (max >= 0 && max < 9007199254740992.0);
  if (!gomp_amp_read_number (&p, (unsigned long) max, &whole))
    return false;
  value = whole;
  if (*p == '.')
    {
      /* Nine digits are enough; further digits are skipped.  */
      unsigned long fraction = 0, scale = 1;
      if (!digit_p (*++p))
	return false;
      for (; digit_p (*p); p++)
	if (scale < 1000000000ul)
	  {
	    fraction = 10 * fraction + (*p - '0');
	    scale *= 10;
	  }
      value += (double) fraction / scale;
    }
  if (value > max)
    return false;
  *cursor = p;
  *number = value;
  return true;
}

bool
gomp_amp_read_char (const char **cursor, char c)
{
  const char *p = *cursor;

  gomp_amp_skip_blanks (&p);
  if (*p != c)
    return false;
  ++p;
  gomp_amp_skip_blanks (&p);
  *cursor = p;
  return true;
}

bool
gomp_amp_read_word (const char **cursor, const char **word, size_t *length)
{
  const char *p = *cursor;

  while (digit_p (*p) || *p == '_' || (fold (*p) >= 'a' && fold (*p) <= 'z')
	 || *p == '-')
    ++p;
  if (p == *cursor)
    return false;
  *word = *cursor;
  *length = p - *cursor;
  *cursor = p;
  return true;
}

bool
gomp_amp_word_is (const char *word, size_t length, const char *name)
{
  size_t i;

  for (i = 0; i < length; i++)
    if (name[i] == '\0' || fold (word[i]) != fold (name[i]))
      return false;
  return name[length] == '\0';
}

unsigned
gomp_amp_edit_distance (const char *a, const char *b)
{
  /* The distances of the beginning of A from each beginning of B.  */
  unsigned row[GOMP_AMP_MAX_NAME + 1];
  size_t length = strlen (b);

  GOMP_AMP_ASSERT (length <= GOMP_AMP_MAX_NAME);
  for (size_t j = 0; j <= length; j++)
    row[j] = j;
  for (size_t i = 0; a[i] != '\0'; i++)
    {
      /* The distance of the first I characters of A from the first J of B.  */
      unsigned diagonal = row[0];

      row[0] = i + 1;
      for (size_t j = 0; j < length; j++)
	{
	  unsigned best = diagonal + (fold (a[i]) != fold (b[j]));

	  diagonal = row[j + 1];
	  if (best > diagonal + 1)
	    best = diagonal + 1;
	  if (best > row[j] + 1)
	    best = row[j] + 1;
	  row[j + 1] = best;
	}
    }
  return row[length];
}

void
gomp_amp_printable (char *buffer, size_t size, const char *value)
{
  size_t i;

  GOMP_AMP_ASSERT (size > 4);
  for (i = 0; i < size - 1 && value[i] != '\0'; i++)
    buffer[i] = value[i] >= ' ' && value[i] <= '~' ? value[i] : '?';
  if (value[i] != '\0')
    for (size_t dot = size - 4; dot < size - 1; dot++)
      buffer[dot] = '.';
  buffer[i] = '\0';
}
