/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Needleman-Wunsch of the Rodinia suite: the scores of aligning two sequences, in blocks, one
   anti-diagonal of them after the other, in loops that grow longer and then shorter.

   Source: Needleman, Wunsch, "A general method applicable to the search for similarities in the
   amino acid sequence of two proteins", J. Mol. Biol. 48, 1970, with gaps that cost in proportion
   to their length; Che et al., "Rodinia", IISWC 2009, for the blocks.

   Verified by every score, exactly, against a computation row by row.  */

#include "bench.h"

#include <stdint.h>
#include <string.h>

enum
{
  LETTERS = 20,
  /* A letter matches itself by MATCH to MATCH + VARIETY - 1, another one by MISMATCH to
     MISMATCH + VARIETY - 1.  */
  MATCH = 4,
  MISMATCH = -4,
  VARIETY = 8
};

static const uint64_t seed_down = 1, seed_across = 2, seed_similarity = 3;

/* Two sequences of SIZE letters; SCORE has SIZE + 1 rows and columns, of which the first ones are
   gaps only.  */
struct alignment
{
  long size, block, penalty;
  uint8_t *down, *across;
  int similarity[LETTERS][LETTERS];
  int *score;
};

static inline int
largest (int a, int b)
{
  return a > b ? a : b;
}

static void
make_alignment (struct alignment *a)
{
  long width = a->size + 1;
  a->down = bench_allocate (a->size, 1);
  a->across = bench_allocate (a->size, 1);
  for (long i = 0; i < a->size; i++)
    {
      a->down[i] = bench_random (seed_down, i) % LETTERS;
      a->across[i] = bench_random (seed_across, i) % LETTERS;
    }
  for (int i = 0; i < LETTERS; i++)
    for (int j = 0; j <= i; j++)
      a->similarity[i][j] = a->similarity[j][i]
	= (i == j ? MATCH : MISMATCH)
	  + (int) (bench_random (seed_similarity, i * LETTERS + j) % VARIETY);
  a->score = bench_allocate (width * width, sizeof *a->score);
  for (long i = 0; i < width; i++)
    a->score[i] = a->score[i * width] = -i * a->penalty;
}

/* Forget all scores but the given ones.  */
static void
clear_scores (struct alignment *a)
{
  long width = a->size + 1;
  for (long i = 1; i < width; i++)
    memset (a->score + i * width + 1, 0, a->size * sizeof *a->score);
}

/* Fill the block in row ROW and column COLUMN of the blocks.  */
static void
fill_block (const struct alignment *a, long row, long column)
{
  long width = a->size + 1, block = a->block;
  int penalty = a->penalty;
  long left = column * block, right = bench_least (left + block, a->size);

  for (long i = row * block; i < bench_least ((row + 1) * block, a->size); i++)
    {
      const int *similarity = a->similarity[a->down[i]];
      const int *above = a->score + i * width;
      int *here = a->score + (i + 1) * width;
      int score = here[left];
      for (long j = left; j < right; j++)
	{
	  int other = largest (above[j] + similarity[a->across[j]], above[j + 1] - penalty);
	  here[j + 1] = score = largest (score - penalty, other);
	}
    }
}

static void
align (const struct alignment *a)
{
  long blocks = (a->size + a->block - 1) / a->block;

  for (long diagonal = 0; diagonal < 2 * blocks - 1; diagonal++)
    {
      long first = diagonal < blocks ? 0 : diagonal - blocks + 1;
      long last = bench_least (diagonal, blocks - 1);

#pragma omp parallel for
      for (long row = first; row <= last; row++)
	fill_block (a, row, diagonal - row);
    }
}

/* The scores row by row, by the definition, into EXPECTED.  */
static void
align_serially (const struct alignment *a, int *expected)
{
  long width = a->size + 1;
  for (long i = 0; i < width; i++)
    for (long j = 0; j < width; j++)
      {
	int *here = expected + i * width + j;
	if (i == 0 || j == 0)
	  *here = -(i + j) * a->penalty;
	else
	  {
	    *here = here[-width - 1] + a->similarity[a->down[i - 1]][a->across[j - 1]];
	    if (here[-width] - a->penalty > *here)
	      *here = here[-width] - a->penalty;
	    if (here[-1] - a->penalty > *here)
	      *here = here[-1] - a->penalty;
	  }
      }
}

int
main (int argc, char **argv)
{
  struct alignment a = { .size = 4096, .block = 32, .penalty = 10 };
  long repeats = 10;
  bench_options (argc, argv, "Align two sequences of letters.",
      { "size", &a.size, 1, 30000, "letters of a sequence", NULL },
      { "block", &a.block, 1, 30000, "rows and columns of a block", NULL },
      { "penalty", &a.penalty, 0, 100, "what a gap costs a letter", NULL },
      { "repeats", &repeats, 1, 100000, "times the sequences are aligned", NULL });

  make_alignment (&a);
  size_t scores = (size_t) (a.size + 1) * (a.size + 1);
  int *expected = bench_allocate (scores, sizeof *expected);
  align_serially (&a, expected);

  for (long r = 0; r < repeats; r++)
    {
      clear_scores (&a);
      bench_start ();
      align (&a);
      bench_stop ();
      bench_verify (memcmp (a.score, expected, scores * sizeof *expected) == 0);
    }
  return bench_result (NULL);
}
