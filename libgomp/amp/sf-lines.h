/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The lines of a file of speedup factors; for sf-*.c only.

   The file is text: the line GOMP_AMP_SF_HEADER, a line with the fingerprint
   of the machine (machine.h) as 16 hexadecimal digits,

     # machine 0123456789abcdef

   or with the word any in place of the digits, if the factors are good for any
   machine; then one line a loop,

     module+0xoffset class:SF,class:SF,... # samples

   with the numbers that classes have on that machine, and the loop's name, as
   gomp_amp_site_name makes it.  The number of samples is for a mean over
   several runs; anything else behind a '#' is a comment.  Format 1 has no
   fingerprint, and its class numbers were those of the process that saved it.

   The lab's library reads the same format from amp-emu.  There a module is
   named by its path, written in the same way, and a loop may be named by all
   addresses of its code, the last one exclusive: path+0xstart-0xend.  */

#ifndef GOMP_AMP_SF_LINES_H
#define GOMP_AMP_SF_LINES_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

#define GOMP_AMP_SF_HEADER "# libgomp-amp speedup factors, format 2"
#define GOMP_AMP_SF_HEADER_1 "# libgomp-amp speedup factors, format 1"
#define GOMP_AMP_SF_MACHINE "# machine "

/* Stands for "any" among fingerprints.  */
#define GOMP_AMP_SF_ANY_MACHINE 0ULL

struct gomp_amp_sf_line
{
  char *site;			/* module+0xoffset.  */
  unsigned long samples;	/* How many loop executions went into it.  */
  unsigned count;		/* Length of sf.  */
  double sf[];			/* By class; 0 = not known.  */
};

/* A set of lines, each of another site, sorted by site.  NULL is empty.  */
typedef void *gomp_amp_sf_lines;

/* A new line for SITE, a name that it takes over even if it fails, with COUNT
   factors copied from SF.  NULL if memory is short.  */
extern struct gomp_amp_sf_line *gomp_amp_new_sf_line (char *site,
						      unsigned long samples,
						      unsigned count,
						      const double *sf);

/* The line of SITE in LINES; NULL if there is none.  */
extern struct gomp_amp_sf_line *gomp_amp_find_sf_line
  (const gomp_amp_sf_lines *lines, const char *site);

/* Add LINE to LINES.  Returns false if LINES has its site already, or memory
   is short.  */
extern bool gomp_amp_add_sf_line (gomp_amp_sf_lines *lines,
				  struct gomp_amp_sf_line *line);

/* Remove the line of SITE from LINES, if there is one, and free it.  */
extern void gomp_amp_remove_sf_line (gomp_amp_sf_lines *lines,
				     const char *site);

/* Free LINE, unless it is NULL.  */
extern void gomp_amp_free_sf_line (struct gomp_amp_sf_line *line);

/* Takes over LINE and returns NULL; or returns what is wrong with LINE.  */
typedef const char *gomp_amp_sf_user (struct gomp_amp_sf_line *line,
				      void *data);

/* Call USE with DATA for each line of the file PATH.  A malformed line, one
   with a factor outside of 1/MAX..MAX, or one that USE does not take, is
   reported with its number and skipped.  A file that cannot be read, is none of
   ours, or is of another machine than the one with the fingerprint MACHINE, is
   reported.  */
extern void gomp_amp_read_sf_file (const char *path, double max,
				   unsigned long long machine,
				   gomp_amp_sf_user *use, void *data);

/* Add the lines of the file PATH to LINES.  */
extern void gomp_amp_read_sf_lines (gomp_amp_sf_lines *lines, const char *path,
				    double max, unsigned long long machine);

/* Write LINES, which are of MACHINE, to the file PATH, which is either replaced
   as a whole or, as is then reported, left as it was.  Not to be called by two
   threads at once.  */
extern void gomp_amp_write_sf_lines (const gomp_amp_sf_lines *lines,
				     const char *path,
				     unsigned long long machine);

#pragma GCC visibility pop

#endif /* GOMP_AMP_SF_LINES_H */
