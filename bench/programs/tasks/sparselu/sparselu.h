/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sparse matrix of blocks, the plan of its decomposition, and the operations on blocks that this
   consists of.  */

#ifndef SPARSELU_H
#define SPARSELU_H 1

/* Blocks of ROWS rows, COUNT by COUNT of them, null where there is none.  */
struct matrix
{
  long count, rows;
  double **block;
};

/* The blocks other than the diagonal one that a step needs: those BELOW it, in rows ROW, and those
   to the RIGHT of it, in columns COLUMN.  */
struct step
{
  long below, right;
  long *row, *column;
};

/* Which blocks a matrix has and which its factors, and the steps from the one to the others.  */
struct plan
{
  long count;
  char *given, *filled;
  struct step *step;
};

/* In addition to the diagonal and its neighbours, DENSITY percent of the blocks are there at first.
   Fill-in is found beforehand, so that no two threads ever have to agree on a new block.  */
void plan_make (struct plan *p, long count, long density);


/* Random elements from -1 to 1 in the blocks given, zeros in those that PRESENT has beyond, and a
   diagonal that outweighs their spectral radius, so that no pivot is small.  */
void matrix_make (struct matrix *a, const struct plan *p, const char *present, long rows);


static inline double *
block_at (const struct matrix *a, long row, long column)
{
  return a->block[row * a->count + column];
}

/* Split a diagonal block into its triangular factors.  */
void factor_diagonal (double *d, long rows);

/* A block to the right of diagonal block D: solve L X = block.  */
void factor_right (const double *d, double *x, long rows);

/* A block below diagonal block D: solve X U = block.  */
void factor_below (const double *d, double *x, long rows);

/* Any other block: subtract the product of the step's block in its row and that in its column.  */
void update (const double *left, const double *top, double *x, long rows);

#endif
