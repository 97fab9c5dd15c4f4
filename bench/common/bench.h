/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the benchmark programs share: a clock, numeric options, and the result line that
   bench/figures reads.  */

#ifndef BENCH_H
#define BENCH_H 1

/* One numeric option, given on the command line as --NAME=VALUE.  A table of them ends in an entry
   whose NAME is null.  */
struct bench_option
{
  const char *name;
  /* Where the value goes; holds the default beforehand.  */
  long *value;
  /* The smallest and the largest value accepted.  */
  long least, most;
  const char *help;
};

/* Seconds since an arbitrary moment, from a clock that never goes back.  */
double bench_now (void);

/* Read ARGV into the values of OPTIONS.  SUMMARY, one sentence, heads what --help prints.  On a bad
   argument say so on stderr and exit with status 2.  */
void bench_options (int argc, char **argv, const char *summary,
		    const struct bench_option *options);

/* Print the result line

     result: seconds=S verified=V threads=T amp=A EXTRA runtime=PATH

   in which A is the version of libgomp-amp in the process (0: another runtime serves it) and PATH
   the file of the OpenMP runtime.  SECONDS is the timed part, VERIFIED whether the answer is right,
   EXTRA further NAME=VALUE fields or null.  Returns the status to exit with: 0, or 1 if not
   VERIFIED.  */
int bench_result (double seconds, int verified, const char *extra);

#endif
