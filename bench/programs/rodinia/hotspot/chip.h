/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thermal model of a chip that hotspot and hotspot3D simulate: a net of cells, each of which
   has a heat capacity, conducts heat to its neighbours, and is given the power of the circuits in
   it.

   Source: Huang et al., "HotSpot: a compact thermal modeling methodology for early-stage VLSI
   design", IEEE Trans. VLSI Systems 14(5), 2006, with Rodinia's chip.  */

#ifndef CHIP_H
#define CHIP_H 1

#include <math.h>

/* In metres: the chip's edge and how thick it is.  */
static const double chip_edge = 0.016, chip_thickness = 0.0005;

/* Of silicon, J/(m^3 K) and W/(m K); the part of the volume that takes part.  */
static const double chip_specific_heat = 1.75e6, chip_conductivity = 100, chip_factor = 0.5;

/* The most that the circuits use, W/m^2, and what of it a step may warm a cell by, in kelvin.  */
static const double chip_power_density = 3e6, chip_precision = 0.001;

/* In kelvin: the ambience, and the coolest and the warmest cell in the beginning.  */
static const double chip_ambience = 318.15, chip_coolest = 323, chip_warmest = 343;

/* What a step does to one cell of a net.  X, Y and Z are the parts of the difference in temperature
   to the neighbours to the sides, before and behind, and above and below that flow in; POWER is
   what circuits of the highest density warm the cell by, in kelvin.  */
struct chip_cell
{
  double x, y, z, power;
};

/* The cell of a net of ROWS by COLUMNS by LAYERS.  Nothing overshoots: a cell keeps at least half
   of its temperature in a step.  */
static inline struct chip_cell
chip_make_cell (long rows, long columns, long layers)
{
  double width = chip_edge / columns, height = chip_edge / rows, depth = chip_thickness / layers;
  double capacity = chip_factor * chip_specific_heat * width * height * depth;
  double x = 2 * chip_conductivity * depth * height / width;
  double y = 2 * chip_conductivity * depth * width / height;
  double z = chip_conductivity * width * height / depth;
  double power = chip_power_density * width * height / layers;
  double step = fmin (chip_precision * capacity / power, capacity / (2 * (2 * x + 2 * y + 3 * z)));

  return (struct chip_cell){ x * step / capacity, y * step / capacity, z * step / capacity,
			     power * step / capacity };
}

#endif
