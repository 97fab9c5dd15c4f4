/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each loop's pragma says in a comment what --amp-explain is to tell of it in
   mode default.  */

enum { N = 1000 };
static int a[N];
extern void elsewhere (void);

#define LOOP for (int i = 0; i < N; i++) a[i]++;

void
of_its_own (void)
{
#pragma omp parallel for /* routed: schedule(nonmonotonic:runtime) */
  LOOP
#pragma omp parallel for ordered /* not routed: ordered clause */
  LOOP
#pragma omp parallel for schedule(static) /* not routed: schedule(static) clause */
  LOOP
#pragma omp parallel for schedule(dynamic) /* not routed: explicit schedule clause */
  LOOP
#pragma omp simd /* not routed: simd loop */
  LOOP
#pragma omp parallel for simd /* routed: schedule(nonmonotonic:runtime) */
  LOOP
#pragma omp teams distribute parallel for simd /* not routed: distribute construct */
  LOOP
#pragma omp parallel for ordered(1) /* not routed: doacross loop */
  for (int i = 0; i < N; i++)
    {
#pragma omp ordered depend(source)
    }
#pragma omp parallel for order(concurrent) /* not routed: order(concurrent) clause */
  LOOP
#pragma omp parallel loop /* not routed: loop construct */
  LOOP
#pragma omp target parallel for /* not routed: offloaded code */
  LOOP
#pragma omp taskloop /* not routed: taskloop construct */
  LOOP
#pragma omp parallel for collapse(2) /* not routed: non-rectangular loop nest */
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++)
      a[i]++;
}

void
by_type_and_clause (void)
{
  int last = 0;
#pragma omp parallel for /* not routed: counts down in an unsigned type, which GCC compiles wrongly under a schedule of the run time */
  for (unsigned i = N - 1; i > 0; i--)
    a[i]++;
#pragma omp parallel for collapse(2) /* not routed: index wider than 64 bits */
  for (int i = 0; i < N; i++)
    for (__int128 j = 0; j < N; j++)
      a[i]++;
#pragma omp parallel for lastprivate(conditional: last) /* not routed: lastprivate(conditional:) clause */
  for (int i = 0; i < N; i++)
    if (a[i] > 5)
      last = i;
#pragma omp parallel for simd reduction(inscan, +: last) /* not routed: inscan reduction */
  for (int i = 0; i < N; i++)
    {
      last += a[i];
#pragma omp scan inclusive(last)
      a[i] = last;
    }
}

void
in_chains (void)
{
#pragma omp parallel
  {
#pragma omp for nowait /* not routed: nowait chain with the loop at explained.c:78 */
    LOOP
#pragma omp for /* not routed: nowait chain with the loop at explained.c:76 */
    LOOP
    for (int k = 0; k < 3; k++)
      {
#pragma omp for nowait /* not routed: nowait chain with its own next run */
        LOOP
      }
#pragma omp barrier
#pragma omp for nowait /* routed: schedule(nonmonotonic:runtime); not seen: what is called with no barrier after it at explained.c:88 */
    LOOP
    elsewhere ();
  }
}

void
orphaned (void)
{
#pragma omp for /* routed: schedule(nonmonotonic:runtime); not seen: what precedes calls of its function elsewhere */
  LOOP
}
