/* SPDX-License-Identifier: GPL-3.0-or-later */
/* regions COUNT [leaf]

   Runs COUNT regions with a barrier and a loop of schedule(runtime), or that
   only compute, and prints its counter file in hexadecimal; then what a child
   prints that was forked before the first region and runs one, and its own file
   again.  */

#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double sink;

static void
compute (int n)
{
  double x = 0;

  for (int i = 0; i < n * 1000; i++)
    x += i;
  sink = x;
}

static bool leaf;

static void
regions (int count)
{
  for (int r = 0; r < count && leaf; r++)
#pragma omp parallel
    compute (20);
  for (int r = 0; r < count && !leaf; r++)
#pragma omp parallel
    {
      compute (20);
#pragma omp barrier
#pragma omp for schedule(runtime)
      for (int i = 0; i < 200; i++)
	compute (1);
    }
}

static void
print_file (void)
{
  char path[4096];
  FILE *file;
  int c;

  snprintf (path, sizeof path, "%s/libgomp-amp/up/%d",
	    getenv ("XDG_RUNTIME_DIR"), getpid ());
  file = fopen (path, "r");
  if (file == NULL)
    puts ("none");
  else
    {
      while ((c = getc (file)) != EOF)
	printf ("%02x", c);
      putchar ('\n');
      fclose (file);
    }
  fflush (stdout);
}

int
main (int argc, char **argv)
{
  int pipes[2];

  leaf = argc == 3;
  if (argc < 2 || pipe (pipes) != 0)
    return 2;
  if (fork () == 0)
    {
      char c;

      close (pipes[1]);
      /* Until the parent has printed.  */
      if (read (pipes[0], &c, 1) != 1)
	return 1;
      print_file ();
      regions (1);
      print_file ();
      exit (0);
    }
  regions (atoi (argv[1]) - 1);
  /* The file is written at the end of a region, but not at each.  */
  usleep (200000);
  regions (1);
  print_file ();
  /* Of this one the file is its parent's.  */
  if (fork () == 0)
    exit (0);
  wait (NULL);
  if (write (pipes[1], "", 1) != 1)
    return 1;
  wait (NULL);
  print_file ();
  return 0;
}
