/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Temporary files beside the file that they are going to replace.  */

#ifndef GOMP_AMP_TEMPORARY_H
#define GOMP_AMP_TEMPORARY_H 1

#pragma GCC visibility push(hidden)

/* Create a file for the caller alone beside PATH, with the permissions that a
   new file PATH would get.  Returns a descriptor to write to and the file's
   name in *NAME, which the caller frees; or -1 with errno set.  */
extern int gomp_amp_make_temporary (const char *path, char **name);

#pragma GCC visibility pop

#endif /* GOMP_AMP_TEMPORARY_H */
