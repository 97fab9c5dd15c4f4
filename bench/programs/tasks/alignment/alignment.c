/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scores of aligning all pairs of protein-like sequences of uneven lengths, with affine gaps: a
   task, or an iteration of one loop, for each pair.

   Sources: Gotoh, "An Improved Algorithm for Matching Biological Sequences", J. Mol. Biol. 162,
   1982, in linear space as by Myers, Miller, "Optimal Alignments in Linear Space", CABIOS 4, 1988;
   Duran et al., "Barcelona OpenMP Tasks Suite", ICPP 2009 (Alignment).

   Verified by every score, exactly, against alignments of the reversed sequences in three full
   matrices, of what ends in a pair of letters and of what ends in a gap on either side.  */

#include "bench.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  SEED = 1988,
  LETTERS = 20,
  /* A letter matches itself by MATCH to MATCH + VARIETY - 1, another one by MISMATCH to
     MISMATCH + VARIETY - 1; a gap of N letters costs OPENING + N EXTENSION.  */
  MATCH = 4,
  MISMATCH = -5,
  VARIETY = 6,
  OPENING = 10,
  EXTENSION = 1,
  /* Letters of the longest sequence accepted.  */
  LONGEST = 2000,
  /* Ancestors that the sequences are descended from; of 100 letters, CHANGED are replaced, and at
     LOST up to LOST_MOST of the ancestor's letters are left out.  */
  ANCESTORS = 8,
  CHANGED = 40,
  LOST = 4,
  LOST_MOST = 12,
  /* A score that no alignment gets, but that bears being added to.  */
  IMPOSSIBLE = INT_MIN / 2
};

static const uint64_t seed_similarity = SEED, seed_length = SEED + 1, seed_chance = SEED + 2,
		      seed_letter = SEED + 3, seed_ancestor = SEED + 4;


struct sequence
{
  long length;
  uint8_t *letter;
};

/* Sequences DOWN and ACROSS of a matrix.  */
struct pair
{
  const struct sequence *down, *across;
};

struct problem
{
  long count, pairs;
  struct sequence *sequence;
  struct pair *pair;
  int similarity[LETTERS][LETTERS];
};

static inline int
largest (int a, int b)
{
  return a > b ? a : b;
}

/* Sequence NUMBER of LENGTH letters, a descendant of an ancestor, which has no end.  */
static void
make_sequence (struct sequence *s, long number, long length)
{
  s->length = length;
  s->letter = bench_allocate (length, 1);
  uint64_t lost = 0;
  for (long i = 0; i < length; i++)
    {
      uint64_t place = number * (uint64_t) LONGEST + i;
      uint64_t chance = bench_random (seed_chance, place);
      if (chance % 100 < LOST)
	lost += 1 + chance / 100 % LOST_MOST;
      uint64_t letter = bench_random (seed_ancestor + number % ANCESTORS, i + lost);
      if (chance / 10000 % 100 < CHANGED)
	letter = bench_random (seed_letter, place);
      s->letter[i] = letter % LETTERS;
    }
}

static void
make_problem (struct problem *p, long count, long shortest, long longest)
{
  p->count = count;
  p->sequence = bench_allocate (count, sizeof *p->sequence);
  for (long i = 0; i < count; i++)
    {
      uint64_t chance = bench_random (seed_length, i);
      make_sequence (&p->sequence[i], i, shortest + chance % (longest - shortest + 1));
    }
  p->pairs = 0;
  p->pair = bench_allocate (count * (count - 1) / 2, sizeof *p->pair);
  for (long i = 0; i < count; i++)
    for (long j = i + 1; j < count; j++)
      p->pair[p->pairs++] = (struct pair){ &p->sequence[i], &p->sequence[j] };
  for (int i = 0; i < LETTERS; i++)
    for (int j = 0; j <= i; j++)
      p->similarity[i][j] = p->similarity[j][i]
	= (i == j ? MATCH : MISMATCH)
	  + (int) (bench_random (seed_similarity, i * LETTERS + j) % VARIETY);
}

/* The score of the best alignment, row by row.  BEST and GAP hold, of each column, the best score
   as yet, and the best one that ends in a gap in ACROSS.  */
static int
align (const struct problem *p, struct pair pair)
{
  long rows = pair.down->length, columns = pair.across->length;
  const uint8_t *across = pair.across->letter;
  int best[LONGEST + 1], gap[LONGEST + 1];
  best[0] = 0;
  for (long j = 1; j <= columns; j++)
    {
      best[j] = -OPENING - EXTENSION * (int) j;
      gap[j] = IMPOSSIBLE;
    }
  for (long i = 1; i <= rows; i++)
    {
      const int *similarity = p->similarity[pair.down->letter[i - 1]];
      int diagonal = best[0], here = -OPENING - EXTENSION * (int) i, gap_down = IMPOSSIBLE;
      best[0] = here;
      for (long j = 1; j <= columns; j++)
	{
	  gap_down = largest (gap_down, here - OPENING) - EXTENSION;
	  gap[j] = largest (gap[j], best[j] - OPENING) - EXTENSION;
	  here = largest (diagonal + similarity[across[j - 1]], largest (gap_down, gap[j]));
	  diagonal = best[j];
	  best[j] = here;
	}
    }
  return best[columns];
}

static void
align_by_tasks (const struct problem *p, int *score)
{
#pragma omp parallel default(none) firstprivate(p, score)
#pragma omp single
  for (long i = 0; i < p->pairs; i++)
    {
#pragma omp task default(none) firstprivate(p, score, i)
      score[i] = align (p, p->pair[i]);
    }
}

static void
align_by_loop (const struct problem *p, int *score)
{
#pragma omp parallel for default(none) firstprivate(p, score)
  for (long i = 0; i < p->pairs; i++)
    score[i] = align (p, p->pair[i]);
}

/* What alignments of two prefixes score at best that end in a pair of letters, or with a letter of
   DOWN or of ACROSS and a gap in the other.  */
struct ending
{
  int pair, down, across;
};

static int
best_of (struct ending e)
{
  return largest (e.pair, largest (e.down, e.across));
}

/* The score of the best alignment of the sequences read backwards.  */
static int
align_backwards (const struct problem *p, struct pair pair, struct ending *table)
{
  long rows = pair.down->length, columns = pair.across->length, width = columns + 1;
  for (long i = 0; i <= rows; i++)
    for (long j = 0; j <= columns; j++)
      {
	struct ending *here = &table[i * width + j];
	*here = (struct ending){ i + j == 0 ? 0 : IMPOSSIBLE, IMPOSSIBLE, IMPOSSIBLE };
	if (i > 0)
	  {
	    const struct ending *above = here - width;
	    int opened = largest (above->pair, above->across) - OPENING;
	    here->down = largest (opened, above->down) - EXTENSION;
	  }
	if (j > 0)
	  {
	    const struct ending *before = here - 1;
	    int opened = largest (before->pair, before->down) - OPENING;
	    here->across = largest (opened, before->across) - EXTENSION;
	  }
	if (i > 0 && j > 0)
	  {
	    int first = pair.down->letter[rows - i], second = pair.across->letter[columns - j];
	    here->pair = best_of (here[-width - 1]) + p->similarity[first][second];
	  }
      }
  return best_of (table[rows * width + columns]);
}

static int
verify (const struct problem *p, const int *score, long longest)
{
  struct ending *table = bench_allocate ((longest + 1) * (longest + 1), sizeof *table);
  int agree = 1;
  for (long i = 0; i < p->pairs; i++)
    agree &= score[i] == align_backwards (p, p->pair[i], table);
  free (table);
  return agree;
}

int
main (int argc, char **argv)
{
  long size = 100, shortest = 100, longest = 300, with = BENCH_TASKS;
  bench_options (argc, argv, "Align all pairs of sequences.",
      { "size", &size, 2, 4000, "sequences", NULL },
      { "shortest", &shortest, 1, LONGEST, "letters of a sequence at least", NULL },
      { "longest", &longest, 1, LONGEST, "letters of a sequence at most", NULL },
      { "with", &with, 0, 0, "what the work is shared out by", bench_ways });
  if (longest < shortest)
    bench_refuse ("--longest=%ld: must be at least --shortest=%ld", longest, shortest);

  struct problem problem;
  make_problem (&problem, size, shortest, longest);
  int *score = bench_allocate (problem.pairs, sizeof *score);
  for (long i = 0; i < problem.pairs; i++)
    score[i] = IMPOSSIBLE;

  bench_start ();
  if (with == BENCH_TASKS)
    align_by_tasks (&problem, score);
  else
    align_by_loop (&problem, score);
  bench_stop ();

  bench_verify (verify (&problem, score, longest));
  char extra[32];
  snprintf (extra, sizeof extra, "pairs=%ld", problem.pairs);
  return bench_result (extra);
}
