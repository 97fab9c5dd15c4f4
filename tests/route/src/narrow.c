/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that GCC compiles wrongly for 32 bits under any schedule but static, and
   ones that it does not.  */

extern void use (unsigned long);

void
wrong (unsigned n, unsigned long m, char *p, char *q)
{
#pragma omp parallel for
  for (unsigned i = n; i > 0; i--)
    use (i);
#pragma omp parallel for
  for (unsigned long i = m; i > 0; i--)
    use (i);
#pragma omp parallel for
  for (char *i = p; i < q; i++)
    use (*i);
#pragma omp parallel for
  for (char *i = q; i > p; i--)
    use (*i);
}

void
right (unsigned n, char *p, char *q)
{
#pragma omp parallel for
  for (unsigned i = 0; i < n; i++)
    use (i);
#pragma omp parallel for
  for (unsigned long long i = n; i > 0; i--)
    use (i);
#pragma omp parallel for
  for (int i = n; i > 0; i--)
    use (i);
#pragma omp parallel for collapse(2)
  for (unsigned i = n; i > 0; i--)
    for (char *j = p; j < q; j++)
      use (i + *j);
}
