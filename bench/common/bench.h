/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the benchmark programs share: a clock, options, and the result line that
   bench/figures reads.  */

#ifndef BENCH_H
#define BENCH_H 1

/* One option, given on the command line as --NAME=VALUE: a whole number, or one of several words.
   A table of them ends in an entry whose NAME is null.  */
struct bench_option
{
  const char *name;
  /* Where the value goes; holds the default beforehand.  Of a word, its index in WORDS.  */
  long *value;
  /* The smallest and the largest number accepted.  */
  long least, most;
  const char *help;
  /* The words accepted, ending in a null; or null, if a number is wanted.  */
  const char *const *words;
};

/* Seconds since an arbitrary moment, from OpenMP's clock: what a program has to read for its times
   to be those of the machine that amp-emu virtual emulates.  */
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
