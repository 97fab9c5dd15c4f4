/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The guard: what every object with routed loops carries, so that these run
   static on a libgomp that is not ours, as they would have without routing.  A
   stock libgomp runs schedule(runtime) as dynamic,1 unless OMP_SCHEDULE says
   otherwise.

   A routed loop calls a thunk __amp_* of its own object in the place of
   libgomp's GOMP_*.  The thunk jumps through a slot.  The slot first leads to
   code that finds out what the process has, sets the slot and jumps on.  With
   our library a loop's start then costs what it costs without the guard: the
   jump through the slot stands in for the one of the procedure linkage table.
   The jumps leave the return address alone, by which our library knows a loop.

   This is compiled to assembly code when the compiler's part is built, which
   puts that text into each object (amp-guard.cc).  Everything is link-once and
   hidden: one copy remains in each program and shared library.  A change of the
   meaning of one of these names requires a new name.

   No header is included, so that code for -m32 needs no 32-bit C library.  */

typedef __UINTPTR_TYPE__ word;
typedef __SIZE_TYPE__ size;
typedef unsigned long long ull;

#define GUARD inline __attribute__ ((used, visibility ("hidden")))
/* Code that runs once is kept away from the code of loops.  */
#define GUARD_ONCE GUARD __attribute__ ((noinline, cold))
#define WEAK_NAME(name) __attribute__ ((weakref (name)))
/* Targets of jumps through a pointer need a landing pad under control-flow
   protection.  The thunks are only called, and a landing pad would cost them
   an instruction.  */
#ifdef __CET__
# define LANDED __attribute__ ((cf_check))
#else
# define LANDED
#endif

extern "C" {

/* libgomp's functions.  Each libgomp that has the first three has their static
   variants.  The first parameter of the unsigned ones is a bool, which is
   passed like an int; as an int it is passed on unchanged.  */
typedef bool loop_start (long, long, long, long *, long *);
typedef bool loop_ull_start (int, ull, ull, ull, ull *, ull *);
typedef void parallel_loop (void (*) (void *), void *, unsigned, long, long,
			    long, unsigned);
typedef bool loop_start_reductions (long, long, long, long, long, long *,
				    long *, word *, void **);
typedef bool loop_ull_start_reductions (int, ull, ull, ull, long, ull, ull *,
					ull *, word *, void **);
extern loop_start GOMP_loop_nonmonotonic_runtime_start;
extern loop_ull_start GOMP_loop_ull_nonmonotonic_runtime_start;
extern parallel_loop GOMP_parallel_loop_nonmonotonic_runtime;
extern bool GOMP_loop_static_start (long, long, long, long, long *, long *);
extern bool GOMP_loop_ull_static_start (int, ull, ull, ull, ull, ull *,
					ull *);
extern void GOMP_parallel_loop_static (void (*) (void *), void *, unsigned,
				       long, long, long, long, unsigned);
/* Not every runtime with libgomp's names has these.  */
static loop_start_reductions __amp_reductions WEAK_NAME ("GOMP_loop_start");
static loop_ull_start_reductions __amp_reductions_ull
  WEAK_NAME ("GOMP_loop_ull_start");

/* The C library's functions, by names that no program defines.  Weak where a
   program may lack them; a .weak would make the unit's own references weak
   too.  */
extern unsigned long __getauxval (unsigned long);
static char **__amp_environ WEAK_NAME ("__environ");
static char *__amp_program WEAK_NAME ("__progname");
static long __amp_write (int, const void *, size) WEAK_NAME ("__write");

struct program_header		/* Elf32_Phdr or Elf64_Phdr.  */
{
  unsigned type;
#if __SIZEOF_POINTER__ == 8
  unsigned flags;
#endif
  word offset, vaddr, paddr, filesz, memsz;
#if __SIZEOF_POINTER__ != 8
  unsigned flags;
#endif
  word align;
};

struct loaded			/* struct dl_phdr_info.  */
{
  word base;
  const char *name;
  const program_header *headers;
  unsigned short count;
};

enum { SEGMENT_LOAD = 1, SEGMENT_NOTE = 4 };
enum { AUXV_SECURE = 23 };

static int __amp_iterate (int (*) (loaded *, size, void *), void *)
  WEAK_NAME ("dl_iterate_phdr");

/* The notes that mark ELF files.  */
enum
{
  NOTE_OURS = 1,		/* Our library (libgomp/amp/base/version.c).  */
  NOTE_ROUTED			/* Of routed loops: the distance to
				   __amp_said.  */
};

struct note
{
  unsigned name_size, content_size, type;
};

/* Nonzero after the message was printed.  */
GUARD int __amp_said = 0;

__asm__ (".pushsection .note.libgomp-amp.routed,\"aG\",%note,"
	 "__amp_said,comdat\n"
	 "\t.balign 4\n"
	 "\t.long 12, 4, 2\n"
	 "\t.asciz \"libgomp-amp\"\n"
	 "\t.long __amp_said - .\n"
	 "\t.popsection\n");

/* A query over all loaded files.  */
struct __amp_question
{
  word entry;			/* The target of this object's calls.  */
  const char *file;		/* The file with that target; NULL:
				   unknown.  */
  bool ours;			/* That file is our library.  */
  int *said;			/* The first flag in the process.  */
};

/* Read the notes of INFO from AT to END for query Q.  HOLDS: the file has the
   entry.  */

GUARD_ONCE void
__amp_read_notes (word at, word end, word align, bool holds,
		  __amp_question *q)
{
  while (end - at >= sizeof (note) && at < end)
    {
      const note *n = (const note *) at;
      const char *name = (const char *) (n + 1);
      word content = at + sizeof *n + ((n->name_size + align - 1) & -align);
      bool match = n->name_size == sizeof "libgomp-amp" && n->content_size >= 4;
      for (unsigned i = 0; match && i < sizeof "libgomp-amp"; i++)
	match = name[i] == "libgomp-amp"[i];
      if (match && n->type == NOTE_OURS)
	q->ours |= holds;
      if (match && n->type == NOTE_ROUTED && !q->said)
	q->said = (int *) (content + *(const int *) content);
      at = content + ((n->content_size + align - 1) & -align);
    }
}

GUARD_ONCE LANDED int
__amp_look_at (loaded *info, size, void *question)
{
  __amp_question *q = (__amp_question *) question;
  bool holds = false;

  for (int i = 0; i < info->count; i++)
    {
      const program_header *h = &info->headers[i];
      holds |= (h->type == SEGMENT_LOAD
		&& q->entry - (info->base + h->vaddr) < h->memsz);
    }
  if (holds)
    q->file = info->name;
  for (int i = 0; i < info->count; i++)
    {
      const program_header *h = &info->headers[i];
      word at = info->base + h->vaddr;
      if (h->type == SEGMENT_NOTE)
	__amp_read_notes (at, at + h->memsz, h->align == 8 ? 8 : 4, holds, q);
    }
  return 0;
}

GUARD_ONCE const char *
__amp_skip_blanks (const char *s)
{
  while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
    s++;
  return s;
}

/* The rest of S if S begins with WORD in upper or lower case; else NULL.  */

GUARD_ONCE const char *
__amp_skip_word (const char *s, const char *word)
{
  for (; *word; s++, word++)
    if ((*s >= 'A' && *s <= 'Z' ? *s - 'A' + 'a' : *s) != *word)
      return 0;
  return s;
}

/* The environment variable that begins with NAME, which ends in '='; NULL if it
   is unset.  */

GUARD_ONCE const char *
__amp_variable (const char *name)
{
  const char *value = 0;
  if (&__amp_environ && __amp_environ)
    for (char **at = __amp_environ; *at && !value; at++)
      {
	const char *s = *at, *n = name;
	while (*n && *s == *n)
	  s++, n++;
	if (!*n)
	  value = s;
      }
  return value;
}

/* True if S is a value of OMP_SCHEDULE that a stock libgomp accepts.  It
   reports any other value and runs dynamic,1.  */

GUARD_ONCE bool
__amp_schedule_known (const char *s)
{
  const char *rest;

  s = __amp_skip_blanks (s);
  if ((rest = __amp_skip_word (s, "monotonic"))
      || (rest = __amp_skip_word (s, "nonmonotonic")))
    {
      rest = __amp_skip_blanks (rest);
      if (*rest != ':')
	return false;
      s = __amp_skip_blanks (rest + 1);
    }
  if (!(rest = __amp_skip_word (s, "static"))
      && !(rest = __amp_skip_word (s, "dynamic"))
      && !(rest = __amp_skip_word (s, "guided"))
      && !(rest = __amp_skip_word (s, "auto")))
    return false;
  s = __amp_skip_blanks (rest);
  if (!*s)
    return true;
  if (*s != ',')
    return false;
  s = __amp_skip_blanks (s + 1);
  if (*s == '+')
    s++;
  if (*s < '0' || *s > '9')
    return false;
  ull chunk = 0;
  for (; *s >= '0' && *s <= '9' && chunk <= __INT_MAX__; s++)
    chunk = 10 * chunk + (*s - '0');
  return chunk <= __INT_MAX__ && !*__amp_skip_blanks (s);
}

/* Append S to the text that ends at END; LIMIT is the end of its space.  */

GUARD_ONCE char *
__amp_append (char *end, const char *limit, const char *s)
{
  while (*s && end < limit)
    *end++ = *s++;
  return end;
}

/* Print the message that our library is missing, once in a process.  Not in a
   set-user-ID program, whose standard error may be any file.  */

GUARD_ONCE void
__amp_say (const __amp_question *q)
{
  const char *notice = __amp_variable ("GOMP_AMP_NOTICE=");
  char text[640], *end = text;
  const char *limit = text + sizeof text;
  const char *program = &__amp_program ? __amp_program : 0;

  if (!__amp_write || __getauxval (AUXV_SECURE)
      || (notice && (notice = __amp_skip_word (notice, "off")) && !*notice)
      || __atomic_exchange_n (q->said ? q->said : &__amp_said, 1,
			      __ATOMIC_RELAXED))
    return;
  end = __amp_append (end, limit - 400, "libgomp-amp: ");
  end = __amp_append (end, limit - 400, program ? program : "this program");
  end = __amp_append (end, limit - 400, " runs on another libgomp (");
  /* The main program's own name is empty: it was linked statically.  */
  end = __amp_append (end, limit - 200, q->file && *q->file ? q->file
		      : "one that was linked into it");
  end = __amp_append (end, limit, "): the loops that amp-gcc routed run static;"
		      " ");
#if !defined __i386__ && !defined __ILP32__
  if (q->file && *q->file)
    end = __amp_append (end, limit, "amp-run brings libgomp-amp, ");
#endif
  end = __amp_append (end, limit, "GOMP_AMP_NOTICE=off hides this\n");
  /* A failure has no remedy.  */
  if (__amp_write (2, text, end - text) < 0)
    return;
}

/* True if routed loops of this object, whose calls go to ENTRY, are to be
   started there: ENTRY is in our library, or OMP_SCHEDULE has a schedule that
   the other library knows.  If GOMP_AMP_SCHEDULE is set, OMP_SCHEDULE is not
   meant for these loops.

   The dynamic linker's list of files is read under the lock of that list
   alone.  dlsym and dladdr take the lock that dlopen holds while constructors
   run, so a region in a constructor would wait forever for a thread that calls
   them.  */

GUARD_ONCE bool
__amp_enter (word entry)
{
  __amp_question q = { entry, 0, false, 0 };
  if (__amp_iterate)
    __amp_iterate (__amp_look_at, &q);
  if (q.ours)
    return true;
  const char *schedule = __amp_variable ("OMP_SCHEDULE=");
  const char *routed = __amp_variable ("GOMP_AMP_SCHEDULE=");
  if (schedule && !(routed && *routed) && __amp_schedule_known (schedule))
    return true;
  __amp_say (&q);
  return false;
}

/* The static variants, with the arguments of the entry points that they
   replace.  A later GOMP_*_runtime_next uses the schedule that the loop was
   started with.  */

GUARD LANDED bool
__amp_loop_static (long start, long end, long incr, long *istart, long *iend)
{
  return GOMP_loop_static_start (start, end, incr, 0, istart, iend);
}

GUARD LANDED bool
__amp_loop_ull_static (int up, ull start, ull end, ull incr, ull *istart,
		       ull *iend)
{
  return GOMP_loop_ull_static_start (up, start, end, incr, 0, istart, iend);
}

GUARD LANDED void
__amp_parallel_static (void (*fn) (void *), void *data, unsigned threads,
		       long start, long end, long incr, unsigned flags)
{
  GOMP_parallel_loop_static (fn, data, threads, start, end, incr, 0, flags);
}

/* The schedule arguments of these two.  GFS_AUTO stands for
   nonmonotonic:runtime; other loops of the unit may pass others.  */
enum { SCHEDULE_STATIC = 1, SCHEDULE_NONMONOTONIC_RUNTIME = 4 };

GUARD LANDED bool
__amp_reductions_static (long start, long end, long incr, long sched,
			 long chunk, long *istart, long *iend, word *reductions,
			 void **mem)
{
  if (sched == SCHEDULE_NONMONOTONIC_RUNTIME)
    sched = SCHEDULE_STATIC;
  return __amp_reductions (start, end, incr, sched, chunk, istart, iend,
			   reductions, mem);
}

GUARD LANDED bool
__amp_reductions_ull_static (int up, ull start, ull end, ull incr, long sched,
			     ull chunk, ull *istart, ull *iend,
			     word *reductions, void **mem)
{
  if (sched == SCHEDULE_NONMONOTONIC_RUNTIME)
    sched = SCHEDULE_STATIC;
  return __amp_reductions_ull (up, start, end, incr, sched, chunk, istart, iend,
			       reductions, mem);
}

/* Define the thunk NAME for ENTRY, which INSTEAD replaces.  It takes
   PARAMETERS, which are ARGUMENTS of a call, and returns RESULT.  Several
   threads may set the slot at the same time: all store the same value, as one
   word, and both its old and its new value are valid targets.  */
#define THUNK(result, name, entry, instead, parameters, arguments)	\
  extern LANDED result name##_first parameters;				\
  GUARD __typeof__ (name##_first) *name##_slot = name##_first;		\
									\
  GUARD result								\
  name parameters							\
  {									\
    return name##_slot arguments;					\
  }									\
									\
  GUARD_ONCE LANDED result						\
  name##_first parameters						\
  {									\
    __typeof__ (name##_first) *target					\
      = __amp_enter ((word) entry) ? entry : instead;			\
    __atomic_store_n (&name##_slot, target, __ATOMIC_RELAXED);		\
    return target arguments;						\
  }

THUNK (bool, __amp_loop_nonmonotonic_runtime_start,
       GOMP_loop_nonmonotonic_runtime_start, __amp_loop_static,
       (long start, long end, long incr, long *istart, long *iend),
       (start, end, incr, istart, iend))

THUNK (bool, __amp_loop_ull_nonmonotonic_runtime_start,
       GOMP_loop_ull_nonmonotonic_runtime_start, __amp_loop_ull_static,
       (int up, ull start, ull end, ull incr, ull *istart, ull *iend),
       (up, start, end, incr, istart, iend))

THUNK (void, __amp_parallel_loop_nonmonotonic_runtime,
       GOMP_parallel_loop_nonmonotonic_runtime, __amp_parallel_static,
       (void (*fn) (void *), void *data, unsigned threads, long start, long end,
	long incr, unsigned flags),
       (fn, data, threads, start, end, incr, flags))

THUNK (bool, __amp_loop_start, __amp_reductions, __amp_reductions_static,
       (long start, long end, long incr, long sched, long chunk, long *istart,
	long *iend, word *reductions, void **mem),
       (start, end, incr, sched, chunk, istart, iend, reductions, mem))

THUNK (bool, __amp_loop_ull_start, __amp_reductions_ull,
       __amp_reductions_ull_static,
       (int up, ull start, ull end, ull incr, long sched, ull chunk,
	ull *istart, ull *iend, word *reductions, void **mem),
       (up, start, end, incr, sched, chunk, istart, iend, reductions, mem))

}
