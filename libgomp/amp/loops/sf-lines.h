/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The lines of a file of speedup factors (SF); for sf-*.c only.

   The file is text.  Its first line is GOMP_AMP_SF_HEADER.  The second line has
   the fingerprint of the machine (machine.h) as 16 hexadecimal digits,

     # machine 0123456789abcdef

   or the word any in place of the digits, if the factors are valid for any
   machine.  Then follows one line for each loop,

     module+0xoffset class:SF,class:SF,... # samples

   with the loop's name, as gomp_amp_site_name makes it, and the numbers that
   classes have on that machine.  The number of samples is for a mean over
   several runs.  Any other text after a '#' is a comment.  Format 1 has no
   fingerprint, and its class numbers were those of the process that saved it.

   The lab's library reads the same format from amp-emu.  There a module is
   named by its path, written in the same way.  A loop may be named by all
   addresses of its code, the last one exclusive: path+0xstart-0xend.  */

#ifndef GOMP_AMP_SF_LINES_H
#define GOMP_AMP_SF_LINES_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

#define GOMP_AMP_SF_HEADER "# libgomp-amp speedup factors, format 2"
#define GOMP_AMP_SF_MACHINE "# machine "

/* The fingerprint that stands for any machine.  */
#define GOMP_AMP_SF_ANY_MACHINE 0ULL

struct gomp_amp_sf_line
{
  char *site;			/* module+0xoffset.  */
  unsigned long samples;	/* Loop executions in its means.  */
  unsigned count;		/* Length of sf.  */
  double sf[];			/* By class; 0 = not known.  */
};

/* A set of lines, sorted by site, with at most one line for each site.  NULL is
   empty.  */
typedef void *gomp_amp_sf_lines;

/* A new line for SITE, with COUNT factors copied from SF.  Takes over the
   string SITE, even if it fails.  NULL if memory is short.  */
extern struct gomp_amp_sf_line *gomp_amp_new_sf_line (char *site,
						      unsigned long samples,
						      unsigned count,
						      const double *sf);

/* The line of SITE in LINES; NULL if there is none.  */
extern struct gomp_amp_sf_line *gomp_amp_find_sf_line
  (const gomp_amp_sf_lines *lines, const char *site);

/* Add LINE to LINES.  Returns false if LINES already has a line for its site,
   or if memory is short.  */
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

/* Call USE with DATA for each line of the file PATH.  A line is reported with
   its number and skipped if it is malformed, if it has a factor outside of
   1/MAX..MAX, or if USE rejects it.  The file is reported if it cannot be read,
   is no file of factors, or is of another machine than the one with the
   fingerprint MACHINE.  */
extern void gomp_amp_read_sf_file (const char *path, double max,
				   unsigned long long machine,
				   gomp_amp_sf_user *use, void *data);

/* Add the lines of the file PATH to LINES.  */
extern void gomp_amp_read_sf_lines (gomp_amp_sf_lines *lines, const char *path,
				    double max, unsigned long long machine);

/* Write LINES, which are of MACHINE, to the file PATH.  The file is either
   replaced as a whole or left unchanged, which is reported.  Two threads must
   not call it at once.  */
extern void gomp_amp_write_sf_lines (const gomp_amp_sf_lines *lines,
				     const char *path,
				     unsigned long long machine);

#pragma GCC visibility pop

#endif /* GOMP_AMP_SF_LINES_H */
