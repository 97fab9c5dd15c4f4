/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a mesh of tetrahedra: cubes are cut along their diagonals (Kuhn's triangulation, whose
   cubes fit together), inner vertices moved a little, cells numbered at random and matched by
   their faces.  */

#include "mesh.h"

#include "bench.h"

#include <stdlib.h>

enum
{
  SEED = 97,
  CELLS_OF_CUBE = 6,
  CORNERS = 4,
  /* The bits that hold a vertex's number in a face's key.  */
  VERTEX_BITS = 21
};

/* How far a vertex is moved along an axis at most, in sides of a cube.  */
static const double moved = 0.1;

/* The cubes' grid; each cell's corners.  */
struct grid
{
  long size, cells;
  int (*corner)[CORNERS];
};

/* A face by its vertices in ascending order, and the cell and the face of it that this is.  */
struct face
{
  uint64_t key;
  long cell;
  int which;
};

/* Whether the cube at AT is part of the body: along each axis, its centre is in the middle
   quarter.  */
static int
in_body (const struct grid *g, const long at[AXES])
{
  for (int k = 0; k < AXES; k++)
    if (8 * at[k] + 4 < 3 * g->size || 8 * at[k] + 4 > 5 * g->size)
      return 0;
  return 1;
}

static int
vertex_number (const struct grid *g, const long at[AXES])
{
  return (at[2] * (g->size + 1) + at[1]) * (g->size + 1) + at[0];
}

static void
vertex_place (const struct grid *g, int vertex, long at[AXES])
{
  for (int k = 0; k < AXES; k++, vertex /= g->size + 1)
    at[k] = vertex % (g->size + 1);
}

/* Where a vertex is; the cubes' sides are 1.  */
static void
vertex_position (const struct grid *g, int vertex, double position[AXES])
{
  long at[AXES];
  int inner = 1;
  vertex_place (g, vertex, at);
  for (int k = 0; k < AXES; k++)
    inner = inner && at[k] > 0 && at[k] < g->size;
  for (int k = 0; k < AXES; k++)
    {
      double away = 2 * bench_uniform (SEED, (uint64_t) vertex * AXES + k) - 1;
      position[k] = at[k] + (inner ? moved * away : 0);
    }
}

/* Cut the cube at AT: a cell for each order in which a walk along the axes leads from its first
   corner to the last one.  */
static void
cut_cube (struct grid *g, const long at[AXES])
{
  for (int order = 0; order < CELLS_OF_CUBE; order++)
    {
      int first = order % AXES, second = (first + 1 + order / AXES) % AXES;
      const int axis[AXES] = { first, second, AXES - first - second };
      long walk[AXES] = { at[0], at[1], at[2] };
      int *corner = g->corner[g->cells++];
      corner[0] = vertex_number (g, walk);
      for (int k = 0; k < AXES; k++)
	{
	  walk[axis[k]]++;
	  corner[k + 1] = vertex_number (g, walk);
	}
    }
}

/* Put the cells into random order.  */
static void
shuffle (struct grid *g)
{
  for (long i = g->cells - 1; i > 0; i--)
    {
      long j = bench_random (SEED + 1, i) % (i + 1);
      for (int k = 0; k < CORNERS; k++)
	{
	  int swapped = g->corner[i][k];
	  g->corner[i][k] = g->corner[j][k];
	  g->corner[j][k] = swapped;
	}
    }
}

static void
cut_cubes (struct grid *g)
{
  g->corner
    = bench_allocate (g->size * g->size * g->size * CELLS_OF_CUBE, sizeof *g->corner);
  for (long z = 0; z < g->size; z++)
    for (long y = 0; y < g->size; y++)
      for (long x = 0; x < g->size; x++)
	{
	  const long at[AXES] = { x, y, z };
	  if (!in_body (g, at))
	    cut_cube (g, at);
	}
  shuffle (g);
}

/* The corners of a cell's face WHICH, the one that lacks corner WHICH, in ascending order: the
   walk that made the cell ascends.  */
static void
face_corners (const int corner[CORNERS], int which, int of_face[AXES])
{
  for (int k = 0, n = 0; k < CORNERS; k++)
    if (k != which)
      of_face[n++] = corner[k];
}

/* The vector from vertex FROM to vertex TO.  */
static void
edge (const struct grid *g, int from, int to, double vector[AXES])
{
  double start[AXES];
  vertex_position (g, from, start);
  vertex_position (g, to, vector);
  for (int k = 0; k < AXES; k++)
    vector[k] -= start[k];
}

/* Set the normal of face WHICH of cell I: half the cross product of two of its sides, away from the
   corner opposite.  */
static void
measure (struct mesh *m, const struct grid *g, long i, int which)
{
  int of_face[AXES];
  double a[AXES], b[AXES], inwards[AXES], product[AXES], height = 0;
  face_corners (g->corner[i], which, of_face);
  edge (g, of_face[0], of_face[1], a);
  edge (g, of_face[0], of_face[2], b);
  edge (g, of_face[0], g->corner[i][which], inwards);
  for (int k = 0; k < AXES; k++)
    {
      int next = (k + 1) % AXES, last = (k + 2) % AXES;
      product[k] = a[next] * b[last] - a[last] * b[next];
      height += product[k] * inwards[k];
    }
  for (int k = 0; k < AXES; k++)
    m->normal[i][which][k] = height > 0 ? -product[k] / 2 : product[k] / 2;
}

static int
by_key (const void *a, const void *b)
{
  uint64_t x = ((const struct face *) a)->key, y = ((const struct face *) b)->key;
  return (x > y) - (x < y);
}

/* WALL or FAR, for a face with no cell beyond: FAR if it is in one of the grid's outer planes.  */
static int
boundary (const struct grid *g, const struct face *face)
{
  int of_face[AXES];
  long at[AXES][AXES];
  face_corners (g->corner[face->cell], face->which, of_face);
  for (int n = 0; n < AXES; n++)
    vertex_place (g, of_face[n], at[n]);
  for (int k = 0; k < AXES; k++)
    if (at[0][k] == at[1][k] && at[0][k] == at[2][k] && (at[0][k] == 0 || at[0][k] == g->size))
      return FAR;
  return WALL;
}

static void
match_faces (struct mesh *m, const struct grid *g)
{
  long faces = g->cells * FACES;
  struct face *face = bench_allocate (faces, sizeof *face);
  for (long n = 0; n < faces; n++)
    {
      int of_face[AXES];
      face[n] = (struct face){ .cell = n / FACES, .which = n % FACES };
      face_corners (g->corner[n / FACES], n % FACES, of_face);
      for (int k = 0; k < AXES; k++)
	face[n].key = face[n].key << VERTEX_BITS | (uint64_t) of_face[k];
    }
  qsort (face, faces, sizeof *face, by_key);
  for (long n = 0; n < faces; n++)
    {
      int (*neighbour)[FACES] = m->neighbour;
      if (n + 1 < faces && face[n].key == face[n + 1].key)
	{
	  neighbour[face[n].cell][face[n].which] = face[n + 1].cell;
	  neighbour[face[n + 1].cell][face[n + 1].which] = face[n].cell;
	  n++;
	}
      else
	neighbour[face[n].cell][face[n].which] = boundary (g, &face[n]);
    }
  free (face);
}

void
mesh_build (struct mesh *m, long size)
{
  struct grid g = { .size = size };
  cut_cubes (&g);
  m->cells = g.cells;
  m->normal = bench_allocate (m->cells, sizeof *m->normal);
  m->neighbour = bench_allocate (m->cells, sizeof *m->neighbour);
  for (long i = 0; i < m->cells; i++)
    for (int which = 0; which < FACES; which++)
      measure (m, &g, i, which);
  match_faces (m, &g);
  free (g.corner);
}
