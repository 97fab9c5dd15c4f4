/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thermal model of a chip that hotspot and hotspot3D simulate: a net of cells, each of which
   has a heat capacity, conducts heat to its neighbours, and is given the power of the circuits in
   it.

   Source: Huang et al., "HotSpot: a compact thermal modeling methodology for early-stage VLSI
   design", IEEE Trans. VLSI Systems 14(5), 2006, with Rodinia's chip.  */

#ifndef CHIP_H
#define CHIP_H 1

/* In kelvin, around the chip.  */
static const double chip_ambience = 318.15;

/* What a step does to one cell of a net.  X, Y and Z are the parts of the difference in temperature
   to the neighbours to the sides, before and behind, and above and below that flow in; POWER is
   what circuits of the highest density warm the cell by, in kelvin.  */
struct chip_cell
{
  double x, y, z, power;
};

/* LAYERS planes of SIZE rows and columns.  POWER is what the circuits of each cell warm it by in a
   step, FIRST are the temperatures in the beginning.  BLOCK rows are an iteration of a loop.  */
struct chip
{
  long size, layers, block;
  struct chip_cell cell;
  double *power, *first;
};

/* Fill in a chip of the given SIZE, LAYERS and BLOCK, and simulate it REPEATS times by SIMULATE,
   which swaps the temperatures and the room for others after each step.  Verify every cell's
   temperature, to 1e-9 kelvin, against those of SERIALLY.  Returns the status to exit with.  */
int chip_compare (struct chip *c, long steps, long repeats,
		  void (*simulate) (const struct chip *, long steps, double **, double **),
		  void (*serially) (const struct chip *, long steps, double *));

#endif
