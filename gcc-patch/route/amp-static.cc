/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds what may rely on the mapping of a loop with schedule(static).  */

#include "amp-gcc.h"
#include "amp-flow.h"
#include "amp-loop.h"
#include "amp-region.h"
#include "amp-unit.h"
#include "amp-static.h"

/* True if STMT calls code that may hold a worksharing loop of the caller's
   team.  */

static bool
may_run_loop_p (gimple *stmt)
{
  if (!is_gimple_call (stmt)
      || gimple_call_internal_p (stmt)
      || (gimple_call_flags (stmt) & (ECF_CONST | ECF_PURE | ECF_LEAF)))
    return false;
  return amp_unit::get ().may_run_loop (gimple_call_fndecl (stmt));
}

/* Look for a call at STMT that may run a loop, and put it into DATA.  NESTED:
   another team runs STMT.  Returns true if what STMT holds matters: OpenMP
   forbids worksharing loops within worksharing and exclusive regions.  */

static bool
find_call (gimple *stmt, bool nested, void *data)
{
  gimple **found = (gimple **) data;

  if (nested)
    return false;
  if (!*found && may_run_loop_p (stmt))
    *found = stmt;
  switch (gimple_code (stmt))
    {
    case GIMPLE_OMP_FOR:
      amp_walk (gimple_omp_for_pre_body (stmt), false, find_call, data);
      return false;
    case GIMPLE_OMP_SECTIONS:
    case GIMPLE_OMP_SINGLE:
    case GIMPLE_OMP_MASTER:
    case GIMPLE_OMP_MASKED:
    case GIMPLE_OMP_CRITICAL:
    case GIMPLE_OMP_ORDERED:
      return false;
    default:
      return true;
    }
}

/* The first statement of a region that tells its threads apart.  */
struct thread_use
{
  gimple *stmt;
  bool number;			/* It asks for the thread's number.  */
};

static tree
find_thread_number (gimple_stmt_iterator *gsi, bool *handled,
		    walk_stmt_info *wi)
{
  thread_use *use = (thread_use *) wi->info;
  gimple *stmt = gsi_stmt (*gsi);
  tree decl = is_gimple_call (stmt) ? gimple_call_fndecl (stmt) : NULL_TREE;

  if (decl && id_equal (DECL_NAME (decl), "omp_get_thread_num"))
    {
      use->stmt = stmt;
      use->number = true;
      /* The walk ends here.  */
      *handled = true;
      return decl;
    }
  return NULL_TREE;
}

static tree
find_thread_variable (tree *tp, int *walk_subtrees, void *data)
{
  walk_stmt_info *wi = (walk_stmt_info *) data;

  if (VAR_P (*tp) && DECL_THREAD_LOCAL_P (*tp))
    {
      thread_use *use = (thread_use *) wi->info;
      use->stmt = gsi_stmt (wi->gsi);
      use->number = false;
      return *tp;
    }
  if (TYPE_P (*tp))
    *walk_subtrees = 0;
  return NULL_TREE;
}

const char *
amp_static_reliance (const amp_region &region, const amp_flow &flow, int loop,
		     location_t *where)
{
  *where = UNKNOWN_LOCATION;
  if (region.orphaned)
    return "schedule(static) clause; relied on, perhaps, by loops of its "
	   "region that are not known";
  for (gomp_for *other : region.loops)
    if (other != flow.nodes[loop].stmt)
      {
	*where = gimple_location (other);
	return "schedule(static) clause; relied on, perhaps, by the loop";
      }
  if (flow.reach (loop, true)[loop])
    return "schedule(static) clause; relied on, perhaps, by its own next run";

  gimple *call = NULL;
  if (region.combined == UNKNOWN_LOCATION)
    amp_walk (region.body, false, find_call, &call);
  if (call)
    {
      *where = gimple_location (call);
      return "schedule(static) clause; relied on, perhaps, by a loop in what is "
	     "called";
    }

  thread_use use = { NULL, false };
  walk_stmt_info wi;
  memset (&wi, 0, sizeof wi);
  wi.info = &use;
  walk_gimple_seq (region.body, find_thread_number, find_thread_variable, &wi);
  if (!use.stmt)
    return NULL;
  *where = gimple_location (use.stmt);
  return use.number
	 ? "schedule(static) clause; relied on, perhaps, by the thread's number"
	 : "schedule(static) clause; relied on, perhaps, by the threadprivate "
	   "variable";
}
