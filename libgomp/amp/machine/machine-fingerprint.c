/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Computes the fingerprint that distinguishes machines.  */

#include "base/hash.h"
#include "machine/machine.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* HASH extended by NUMBER, independent of the byte order.  */

static unsigned long long
add_number (unsigned long long hash, unsigned number)
{
  for (int shift = 0; shift < 32; shift += 8)
    {
      unsigned char byte = number >> shift;

      hash = gomp_amp_hash (hash, &byte, 1);
    }
  return hash;
}

#ifndef GOMP_AMP_VIRTUAL
/* The beginnings of the lines of /proc/cpuinfo that identify the processor on
   x86, Arm, RISC-V and POWER.  Other lines change while the machine runs.  */

static const char *const identity[] = {
  "vendor_id", "cpu family", "model", "stepping", "CPU implementer", "CPU part",
  "mvendorid", "marchid", "uarch", "cpu\t\t:"
};

/* HASH extended by the text LINE of LENGTH characters if it identifies the
   processor.  */

static unsigned long long
add_if_identity (unsigned long long hash, const char *line, size_t length)
{
  for (size_t i = 0; i < sizeof identity / sizeof identity[0]; i++)
    if (strncmp (line, identity[i], strlen (identity[i])) == 0)
      return gomp_amp_hash (hash, line, length);
  return hash;
}

/* HASH extended by the kernel's description of the first processor.  Not by
   CPUID, which names another processor under Valgrind.  */

static unsigned long long
add_processor (unsigned long long hash)
{
  char text[4096];
  const char *line = text, *end;
  ssize_t length;
  int fd = open ("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    return hash;
  length = read (fd, text, sizeof text - 1);
  close (fd);
  text[length > 0 ? length : 0] = '\0';
  /* A blank line ends the first processor.  */
  while ((end = strchr (line, '\n')) != NULL && end != line)
    {
      hash = add_if_identity (hash, line, end - line);
      line = end + 1;
    }
  return hash;
}
#endif

unsigned long long
gomp_amp_fingerprint (const struct gomp_amp_machine *machine)
{
  unsigned long long hash = GOMP_AMP_HASH_EMPTY;

  hash = gomp_amp_hash (hash, machine->source, strlen (machine->source));
  hash = add_number (hash, machine->ncpus);
  hash = gomp_amp_hash (hash, machine->class_of_cpu, machine->ncpus);
  for (unsigned class = 0; class < machine->count && !machine->drifts; class++)
    hash = add_number (hash, machine->capacity[class]);
#ifndef GOMP_AMP_VIRTUAL
  hash = add_processor (hash);
#endif
  return hash;
}

unsigned long long
gomp_amp_classes_fingerprint (void)
{
  if (!gomp_amp_classes_forced ())
    return gomp_amp_fingerprint (gomp_amp_machine ());
  return add_number (GOMP_AMP_HASH_EMPTY,
		     gomp_amp_options.thread_classes.classes);
}
