/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The lines of a file of speedup factors; for sf-*.c only.

   The file is text: the line GOMP_AMP_SF_HEADER, a line with the fingerprint
   of the machine (machine.h) as 16 hexadecimal digits,

     # machine 0123456789abcdef

   then one line a loop,

     module+0xoffset class:SF,class:SF,... # samples

   with the numbers that classes have on that machine, and the loop's address
   relative to where its module was loaded, which neither position-independent
   code nor address randomization changes.  What follows a '#' is a comment
   otherwise, except for the number of samples, which a mean over several runs
   needs.  In a module's name blanks, '#', '%' and what does not print are
   written as %XX.  Format 1 has no fingerprint, and its class numbers were
   those of the process that saved it.  */

#ifndef GOMP_AMP_SF_LINES_H
#define GOMP_AMP_SF_LINES_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

#define GOMP_AMP_SF_HEADER "# libgomp-amp speedup factors, format 2"
#define GOMP_AMP_SF_HEADER_1 "# libgomp-amp speedup factors, format 1"
#define GOMP_AMP_SF_MACHINE "# machine "

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

/* Add what the file PATH holds to LINES.  A malformed line, or one with a
   factor outside of 1/MAX..MAX, is reported with its number and skipped; a
   file that cannot be read, is none of ours, or is of another machine than the
   one with the fingerprint MACHINE, is reported.  */
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
