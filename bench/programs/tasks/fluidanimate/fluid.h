/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fluid in a box of cells that is cut into tiles, and what is done to one tile in a step.

   Tiles are squares of columns of cells.  A stage of a tile writes to nothing but this tile, and
   reads this and the up to eight tiles around it: particles are not sent to other tiles, but
   fetched by them, and two that push each other are computed twice.  So every number is
   the same in whatever order tiles are done.  */

#ifndef FLUID_H
#define FLUID_H 1

#include "sph.h"

/* The particles of a tile in one step: COUNT of them, by cells and, in a cell, by their numbers;
   those of the tile's cell C are from START[C] up to START[C + 1] - 1.  MOVED are the same in the
   same order, after the step.  There is room for ROOM of each.  */
struct generation
{
  long *start, count, room;
  struct particle *particle, *moved;
  double *density;
};

/* The columns of cells from LOW up to HIGH - 1 in each of X and Z; one step's particles and the
   next one's, which take turns.  */
struct tile
{
  long low[DIMENSIONS], high[DIMENSIONS];
  struct generation generation[2];
};

/* A box of SIZE cells, in tiles of EDGE columns each way, or less at the far ends: ACROSS of them
   along X times DEEP along Z, the latter being neighbours in memory.  */
struct fluid
{
  long size[DIMENSIONS], edge, across, deep;
  struct tile *tile;
};

/* Cut F, whose size and edge are set, into tiles.  */
void fluid_cut (struct fluid *f);

/* Put COUNT particles, by their numbers, into generation 0 of all tiles.  */
void fluid_fill (struct fluid *f, const struct particle *particle, long count);


/* The cell of P in tile T, or -1 if it is in another tile.  */
long tile_cell (const struct fluid *f, const struct tile *t, const struct particle *p);

/* The stages of a step of the tile at place T, of generation G: densities from the particles of
   the tiles around; the moved particles from these densities; and from the moved
   particles around it the next generation.  */
void tile_weigh (struct fluid *f, long t, int g);
void tile_move (struct fluid *f, long t, int g);
void tile_rebuild (struct fluid *f, long t, int g);

#endif
