/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that uses no OpenMP, though it is compiled for it.  */

int
main (void)
{
  return 0;
}
