/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded, makes the stock libgomp look like ours.  */

int
ompx_amp_version (void)
{
  return 100;
}
