/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The fork's version.  */

#ifndef GOMP_AMP_VERSION_H
#define GOMP_AMP_VERSION_H 1

#define GOMP_AMP_MAJOR 0
#define GOMP_AMP_MINOR 3
#define GOMP_AMP_PATCH 0

/* Exported, and so declared in ompx_amp.h for programs.  */
extern int ompx_amp_version (void);

#endif /* GOMP_AMP_VERSION_H */
