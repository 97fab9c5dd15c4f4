/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Temporary files beside the file that they are going to replace.  */

#ifndef GOMP_AMP_TEMPORARY_H
#define GOMP_AMP_TEMPORARY_H 1

#pragma GCC visibility push(hidden)

/* Create a file for the caller alone beside PATH, with the permissions that
   PATH would get if it were created.  Returns a descriptor to write to, with
   the file's name in *NAME, to be freed by the caller; or -1 with errno set.
   As long as the descriptor, or a duplicate, is open nobody's
   gomp_amp_remove_abandoned removes the file.  */
extern int gomp_amp_make_temporary (const char *path, char **name);

/* Remove the temporary files beside PATH whose processes have died.  */
extern void gomp_amp_remove_abandoned (const char *path);

#pragma GCC visibility pop

#endif /* GOMP_AMP_TEMPORARY_H */
