/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that count up in unsigned types to next to the largest value, one a
   function.  GCC vectorizes those that begin at 0 when they are not routed.

   expect uint_from_0 1 1 1
   expect ushort_from_0 1 1 1
   expect uint_less 1 1 1
   expect uint_less_equal 1 1 1
   expect uint_not_equal 1 1 1
   expect ushort_less 1 1 1
   expect uchar_less 1 1 1
   expect uint_simd 1 1 1
   expect size_less 1 1 1
   expect int_less 1 1 1  */

#include <limits.h>
#include <stdint.h>
#include "check.h"

enum { N = 1000 };
static int a[N];

void
uint_from_0 (int *p, unsigned to)
{
#pragma omp parallel for
  for (unsigned i = 0; i < to; i++)
    p[i] += 2 * (int) i;
}

void
ushort_from_0 (int *p, unsigned short to)
{
#pragma omp parallel for
  for (unsigned short i = 0; i <= to; i++)
    p[i] += 2 * i;
}

void
uint_less (int *p, unsigned from, unsigned to)
{
#pragma omp parallel for
  for (unsigned i = from; i < to; i++)
    p[i] += 2 * (int) i;
}

void
uint_less_equal (int *p, unsigned from, unsigned to)
{
#pragma omp parallel for
  for (unsigned i = from; i <= to; i++)
    p[i] += 2 * (int) i;
}

void
uint_not_equal (int *p, unsigned from, unsigned to)
{
#pragma omp parallel for
  for (unsigned i = from; i != to; i++)
    p[i] += 2 * (int) i;
}

void
ushort_less (int *p, unsigned short from, unsigned short to)
{
#pragma omp parallel for
  for (unsigned short i = from; i < to; i++)
    p[i] += 2 * i;
}

void
uchar_less (int *p, unsigned char from, unsigned char to)
{
#pragma omp parallel for
  for (unsigned char i = from; i < to; i++)
    p[i] += 2 * i;
}

void
uint_simd (int *p, unsigned from, unsigned to)
{
#pragma omp parallel for simd
  for (unsigned i = from; i < to; i++)
    p[i] += 2 * (int) i;
}

void
size_less (int *p, size_t from, size_t to)
{
#pragma omp parallel for
  for (size_t i = from; i < to; i++)
    p[i] += 2 * (int) i;
}

void
int_less (int *p, int from, int to)
{
#pragma omp parallel for
  for (int i = from; i < to; i++)
    p[i] += 2 * i;
}

/* What FUNCTION left: COUNT elements as its loop from FROM makes them, and 0 in
   the others; all are 0 afterwards.  */

static void
check_loop (const char *function, unsigned from, int count)
{
  for (int i = 0; i < N; i++)
    {
      check (function, a[i], i < count ? (int) (2 * (from + i)) : 0);
      a[i] = 0;
    }
}

/* Where an array would begin whose element FROM is A's first.  */
#define BASE(from) ((int *) ((uintptr_t) a - (uintptr_t) (from) * sizeof *a))

#define RUN(function, from, to, count) \
  (function (BASE (from), from, to), \
   check_loop (#function, (unsigned) (from), count))

int
main (void)
{
  static const int counts[] = { 0, 1, 7, 200 };

  for (int c = 0; c < 4; c++)
    {
      int n = counts[c];
      uint_from_0 (a, n);
      check_loop ("uint_from_0", 0, n);
      ushort_from_0 (a, n);
      check_loop ("ushort_from_0", 0, n + 1);
      RUN (uint_less, UINT_MAX - n, UINT_MAX, n);
      RUN (uint_less, 5, 5 + n, n);
      RUN (uint_less_equal, UINT_MAX - n - 1, UINT_MAX - 1, n + 1);
      RUN (uint_not_equal, UINT_MAX - n, UINT_MAX, n);
      RUN (ushort_less, USHRT_MAX - n, USHRT_MAX, n);
      RUN (uchar_less, UCHAR_MAX - n, UCHAR_MAX, n);
      RUN (uint_simd, UINT_MAX - n, UINT_MAX, n);
      RUN (size_less, (size_t) -1 - n, (size_t) -1, n);
      RUN (int_less, 5, 5 + n, n);
    }
  return failures;
}
