/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts the guard of routed loops into a translation unit.

   While a function with routed loops is lowered and expanded, the built-in
   functions that start such loops are replaced by functions of the guard with
   the same arguments.  The guard itself is assembly code, which the build
   generates for this compiler's target.  */

#include "amp-gcc.h"
#include "tm.h"
#include "ggc.h"
#include "amp-region.h"
#include "amp-guard.h"
#include "amp-guard-text.h"

/* The functions that start a loop with schedule(nonmonotonic:runtime), and
   those of the guard that replace them.  */
static const struct { enum built_in_function code; const char *thunk; }
  entries[]
  = { { BUILT_IN_GOMP_LOOP_NONMONOTONIC_RUNTIME_START,
	"__amp_loop_nonmonotonic_runtime_start" },
      { BUILT_IN_GOMP_LOOP_ULL_NONMONOTONIC_RUNTIME_START,
	"__amp_loop_ull_nonmonotonic_runtime_start" },
      { BUILT_IN_GOMP_PARALLEL_LOOP_NONMONOTONIC_RUNTIME,
	"__amp_parallel_loop_nonmonotonic_runtime" },
      { BUILT_IN_GOMP_LOOP_START, "__amp_loop_start" },
      { BUILT_IN_GOMP_LOOP_ULL_START, "__amp_loop_ull_start" } };
static const unsigned n_entries = ARRAY_SIZE (entries);

/* The declarations of libgomp's functions and of the guard's.  NULL as long as
   the unit has no routed loop.  */
static tree libgomps[n_entries], thunks[n_entries];
static const ggc_root_tab roots[]
  = { { libgomps, n_entries, sizeof (tree), gt_ggc_mx_tree_node,
	gt_pch_nx_tree_node },
      { thunks, n_entries, sizeof (tree), gt_ggc_mx_tree_node,
	gt_pch_nx_tree_node },
      LAST_GGC_ROOT_TAB };

/* True while the built-in functions are those of the guard.  */
static bool guarding;

/* Make the guard's function NAME, which replaces ENTRY.  */

static tree
make_thunk (tree entry, const char *name)
{
  tree decl = build_decl (UNKNOWN_LOCATION, FUNCTION_DECL,
			  get_identifier (name), TREE_TYPE (entry));
  SET_DECL_ASSEMBLER_NAME (decl, DECL_NAME (decl));
  TREE_PUBLIC (decl) = 1;
  DECL_EXTERNAL (decl) = 1;
  DECL_ARTIFICIAL (decl) = 1;
  TREE_NOTHROW (decl) = TREE_NOTHROW (entry);
  DECL_ATTRIBUTES (decl) = DECL_ATTRIBUTES (entry);
  DECL_VISIBILITY (decl) = VISIBILITY_HIDDEN;
  DECL_VISIBILITY_SPECIFIED (decl) = 1;
  return decl;
}

/* The guard's text for the target's ABI.  */

static const char *
guard_text ()
{
#ifdef AMP_GUARD_X86
  return !TARGET_64BIT ? amp_guard_m32 : TARGET_X32 ? amp_guard_mx32
						    : amp_guard_m64;
#else
  return amp_guard_default;
#endif
}

/* Put the guard into the unit.  */

static void
add_guard ()
{
  const char *before = "", *after = "";
#ifdef AMP_GUARD_X86
  if (ASSEMBLER_DIALECT == ASM_INTEL)
    {
      before = "\t.att_syntax prefix\n";
      after = "\t.intel_syntax noprefix\n";
    }
#endif
  char *text = concat (before, guard_text (), after, NULL);
  symtab->finalize_toplevel_asm (build_string (strlen (text), text));
  free (text);
}

/* Set the built-in functions to DECLS.  */

static void
set_entries (const tree *decls)
{
  for (unsigned i = 0; i < n_entries; i++)
    set_builtin_decl (entries[i].code, decls[i], true);
}

/* Remove the modifier from those loops of function DECL that are for a device
   and have schedule(nonmonotonic:runtime) in the source.  They would call the
   same function of libgomp, but devices have no guard.  In OpenMP the schedule
   means the same without the modifier.  */

static void
spare_devices (tree decl)
{
  for (const amp_region &region : amp_regions_of (decl))
    for (gomp_for *loop : region.loops)
      {
	tree c = omp_find_clause (gimple_omp_for_clauses (loop),
				  OMP_CLAUSE_SCHEDULE);
	if (region.offloaded && c
	    && (OMP_CLAUSE_SCHEDULE_KIND (c)
		== (OMP_CLAUSE_SCHEDULE_RUNTIME
		    | OMP_CLAUSE_SCHEDULE_NONMONOTONIC)))
	  OMP_CLAUSE_SCHEDULE_KIND (c) = OMP_CLAUSE_SCHEDULE_RUNTIME;
      }
}

void
amp_guard_begin ()
{
  if (guarding)
    set_entries (libgomps);
  guarding = false;
}

void
amp_guard_function (tree decl)
{
  if (guarding)
    return;
  guarding = true;
  if (!thunks[0])
    {
      ggc_register_root_tab (roots);
      for (unsigned i = 0; i < n_entries; i++)
	{
	  libgomps[i] = builtin_decl_explicit (entries[i].code);
	  thunks[i] = make_thunk (libgomps[i], entries[i].thunk);
	}
      add_guard ();
    }
  set_entries (thunks);
  spare_devices (decl);
}
