/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A mesh of tetrahedra around a body, in an order that tells nothing of where they are.  */

#ifndef MESH_H
#define MESH_H 1

enum
{
  AXES = 3,
  /* Of a tetrahedron.  */
  FACES = 4,
  /* What is beyond a face where there is no cell: the body's surface, or the undisturbed flow.  */
  WALL = -1,
  FAR = -2
};

/* Of each cell, by face, the cell beyond it and its normal, which points outwards and is as long
   as the face's area.  */
struct mesh
{
  long cells;
  double (*normal)[FACES][AXES];
  int (*neighbour)[FACES];
};

/* A mesh of the cells of SIZE * SIZE * SIZE cubes, six each, without those cubes in the middle
   where the body is.  */
void mesh_build (struct mesh *m, long size);

#endif
