/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each loop's pragma says in a comment what --amp-explain is to tell of it in
   mode static.  */

enum { N = 1000 };
static int a[N], own;
#pragma omp threadprivate(own)
extern void elsewhere (void);
extern int omp_get_thread_num (void);

#define LOOP for (int i = 0; i < N; i++) a[i]++;

void
regions (void)
{
#pragma omp parallel for schedule(static) /* routed: schedule(nonmonotonic:runtime) */
  LOOP
#pragma omp parallel for ordered schedule(static) /* not routed: ordered clause */
  LOOP
#pragma omp parallel for schedule(static, 3) /* not routed: explicit schedule clause */
  LOOP
#pragma omp parallel for schedule(static) /* not routed: schedule(static) clause; relied on, perhaps, by the thread's number at explained_static.c:24 */
  for (int i = 0; i < N; i++)
    a[i] = omp_get_thread_num ();
#pragma omp parallel for schedule(static) /* not routed: schedule(static) clause; relied on, perhaps, by the threadprivate variable at explained_static.c:27 */
  for (int i = 0; i < N; i++)
    a[i] = own;
#pragma omp parallel
  {
#pragma omp for schedule(static) /* routed: schedule(nonmonotonic:runtime) */
    LOOP
  }
#pragma omp parallel
  {
#pragma omp for schedule(static) /* not routed: schedule(static) clause; relied on, perhaps, by the loop at explained_static.c:37 */
    LOOP
#pragma omp for /* routed: schedule(nonmonotonic:runtime) */
    LOOP
  }
#pragma omp parallel
  {
#pragma omp for schedule(static) /* not routed: schedule(static) clause; relied on, perhaps, by a loop in what is called at explained_static.c:44 */
    LOOP
    elsewhere ();
  }
#pragma omp parallel
  for (int k = 0; k < 3; k++)
    {
#pragma omp for schedule(static) /* not routed: schedule(static) clause; relied on, perhaps, by its own next run */
      LOOP
    }
}

void
carries (int state)
{
#pragma omp parallel for schedule(static) firstprivate(state) /* not routed: schedule(static) clause; relied on, perhaps, by what an iteration leaves in the private variable at explained_static.c:55 */
  for (int i = 0; i < N; i++)
    a[i] = state++;
}

void
orphaned (void)
{
#pragma omp for schedule(static) /* not routed: schedule(static) clause; relied on, perhaps, by loops of its region that are not known */
  LOOP
}
