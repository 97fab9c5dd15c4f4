/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulates a country's hospitals: villages are a tree, each has a hospital, and whom it cannot
   treat is sent to the one above. In every step of time each village has a task for each village
   below it, waits for them, takes in whom they send, and does its own day's work, which is a few
   patients' lists.

   Source: Duran, Teruel, Ferrer, Martorell, Ayguade, "Barcelona OpenMP Tasks Suite", ICPP 2009
   (Health, after Olden's Colombian health care simulation).

   Verified by a serial simulation: the same patients at the same places with the same histories;
   exactly.  */

#include "bench.h"

#include <string.h>

enum
{
  BRANCHES = 4,
  PEOPLE = 24,
  STAFF = 4,
  ASSESSMENT_DAYS = 3,
  TREATMENT_DAYS = 10,
  /* Of a hundred.  */
  ILL = 12,
  SENT_UP = 30,
  TREATED = 40
};

struct patient
{
  struct patient *next;
  uint32_t name, days_left, waited, visited;
};

/* First in, first out.  */
struct line
{
  struct patient *first, **end;
};

struct village
{
  uint64_t seed;
  long level, staff;
  struct village *below[BRANCHES];
  struct patient people[PEOPLE];
  struct line healthy, waiting, assessed, treated, sent;
};

static void
clear (struct line *line)
{
  line->first = NULL;
  line->end = &line->first;
}

static void
append (struct line *line, struct patient *p)
{
  p->next = NULL;
  *line->end = p;
  line->end = &p->next;
}

static struct patient *
take_first (struct line *line)
{
  struct patient *p = line->first;
  line->first = p->next;
  if (line->first == NULL)
    line->end = &line->first;
  return p;
}

/* A number of a hundred that belongs to the patient's day.  */
static long
throw_dice (const struct village *v, const struct patient *p, long day)
{
  return bench_random (v->seed + p->name, day) % 100;
}

/* Move those of FROM whose days are over by MOVE; the others stay.  */
static void
pass_day (struct village *v, struct line *from, long day,
	  void (*move) (struct village *, struct patient *, long day))
{
  struct line old = *from;
  clear (from);
  while (old.first != NULL)
    {
      struct patient *p = old.first;
      old.first = p->next;
      if (--p->days_left == 0)
	move (v, p, day);
      else
	append (from, p);
    }
}

static void
discharge (struct village *v, struct patient *p, long day)
{
  (void) day;
  v->staff++;
  append (&v->healthy, p);
}

static void
decide (struct village *v, struct patient *p, long day)
{
  long dice = throw_dice (v, p, day);
  p->visited++;
  if (dice < SENT_UP && v->level > 0)
    {
      v->staff++;
      append (&v->sent, p);
    }
  else if (dice < SENT_UP + TREATED)
    {
      p->days_left = TREATMENT_DAYS;
      append (&v->treated, p);
    }
  else
    discharge (v, p, day);
}

/* The village's own day, after those below it have had theirs.  */
static void
work (struct village *v, long day)
{
  for (long i = 0; i < BRANCHES && v->below[i] != NULL; i++)
    while (v->below[i]->sent.first != NULL)
      append (&v->waiting, take_first (&v->below[i]->sent));
  pass_day (v, &v->treated, day, discharge);
  pass_day (v, &v->assessed, day, decide);
  struct line people = v->healthy;
  clear (&v->healthy);
  while (people.first != NULL)
    {
      struct patient *p = people.first;
      people.first = p->next;
      append (throw_dice (v, p, day) < ILL ? &v->waiting : &v->healthy, p);
    }
  for (; v->staff > 0 && v->waiting.first != NULL; v->staff--)
    {
      struct patient *p = take_first (&v->waiting);
      p->days_left = ASSESSMENT_DAYS;
      append (&v->assessed, p);
    }
  for (struct patient *p = v->waiting.first; p != NULL; p = p->next)
    p->waited++;
}

static void
simulate (struct village *v, long day)
{
  for (long i = 0; i < BRANCHES && v->below[i] != NULL; i++)
    {
      struct village *below = v->below[i];
#pragma omp task default(none) firstprivate(below, day)
      simulate (below, day);
    }
#pragma omp taskwait
  work (v, day);
}

static void
simulate_in_parallel (struct village *v, long days)
{
#pragma omp parallel default(none) firstprivate(v, days)
#pragma omp single
  for (long day = 0; day < days; day++)
    simulate (v, day);
}

static void
simulate_serially (struct village *v, long day)
{
  for (long i = 0; i < BRANCHES && v->below[i] != NULL; i++)
    simulate_serially (v->below[i], day);
  work (v, day);
}

/* Make the village called SEED and the LEVELS below it.  LEVEL is how far it is from the top.  */
static struct village *
found_village (uint64_t seed, long level, long levels)
{
  struct village *v = bench_allocate (1, sizeof *v);
  v->seed = bench_random (2009, seed);
  v->level = level;
  v->staff = STAFF;
  clear (&v->healthy);
  clear (&v->waiting);
  clear (&v->assessed);
  clear (&v->treated);
  clear (&v->sent);
  for (long i = 0; i < PEOPLE; i++)
    {
      v->people[i].name = i;
      append (&v->healthy, &v->people[i]);
    }
  if (levels > 1)
    for (long i = 0; i < BRANCHES; i++)
      v->below[i] = found_village (seed * BRANCHES + i + 1, level + 1, levels - 1);
  return v;
}

/* A number of who is where in the line, and what has happened to them.  */
static uint64_t
digest (uint64_t sum, const struct line *line)
{
  for (const struct patient *p = line->first; p != NULL; p = p->next)
    {
      sum = bench_random (sum, (uint64_t) p->name << 32 | p->days_left);
      sum = bench_random (sum, (uint64_t) p->waited << 32 | p->visited);
    }
  return bench_random (sum, 0);
}

static uint64_t
digest_village (const struct village *v)
{
  uint64_t sum = bench_random (v->seed, v->staff);
  sum = digest (sum, &v->healthy);
  sum = digest (sum, &v->waiting);
  sum = digest (sum, &v->assessed);
  sum = digest (sum, &v->treated);
  sum = digest (sum, &v->sent);
  for (long i = 0; i < BRANCHES && v->below[i] != NULL; i++)
    sum = bench_random (sum, digest_village (v->below[i]));
  return sum;
}

int
main (int argc, char **argv)
{
  long levels = 6, days = 100;
  bench_options (argc, argv, "Simulate hospitals by tasks for villages.",
      { "levels", &levels, 1, 12, "levels of villages", NULL },
      { "days", &days, 1, 1000000, "steps of time", NULL });

  struct village *country = found_village (0, 0, levels);
  bench_start ();
  simulate_in_parallel (country, days);
  bench_stop ();

  struct village *reference = found_village (0, 0, levels);
  for (long day = 0; day < days; day++)
    simulate_serially (reference, day);
  bench_verify (digest_village (country) == digest_village (reference));
  return bench_result (NULL);
}
