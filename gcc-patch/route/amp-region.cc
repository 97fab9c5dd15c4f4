/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the OpenMP regions of a function in high GIMPLE.  */

#include "amp-gcc.h"
#include "amp-region.h"

/* True if STMT's body is run by another team or task.  */

static bool
opens_region_p (gimple *stmt)
{
  switch (gimple_code (stmt))
    {
    case GIMPLE_OMP_PARALLEL:
    case GIMPLE_OMP_TASK:
    case GIMPLE_OMP_TEAMS:
      return true;
    case GIMPLE_OMP_TARGET:
      return is_gimple_omp_offloaded (stmt);
    default:
      return false;
    }
}

/* The sequences that STMT holds, at most two.  */

static void
bodies_of (gimple *stmt, gimple_seq body[2])
{
  body[0] = body[1] = NULL;
  switch (gimple_code (stmt))
    {
    case GIMPLE_BIND:
      body[0] = gimple_bind_body (as_a <gbind *> (stmt));
      break;
    case GIMPLE_TRY:
      body[0] = gimple_try_eval (stmt);
      body[1] = gimple_try_cleanup (stmt);
      break;
    case GIMPLE_CATCH:
      body[0] = gimple_catch_handler (as_a <gcatch *> (stmt));
      break;
    case GIMPLE_EH_FILTER:
      body[0] = gimple_eh_filter_failure (stmt);
      break;
    case GIMPLE_EH_ELSE:
      body[0] = gimple_eh_else_n_body (as_a <geh_else *> (stmt));
      body[1] = gimple_eh_else_e_body (as_a <geh_else *> (stmt));
      break;
    case GIMPLE_TRANSACTION:
      body[0] = gimple_transaction_body (as_a <gtransaction *> (stmt));
      break;
    case GIMPLE_OMP_FOR:
    case GIMPLE_OMP_SECTIONS:
    case GIMPLE_OMP_SECTION:
    case GIMPLE_OMP_SINGLE:
    case GIMPLE_OMP_SCOPE:
    case GIMPLE_OMP_MASTER:
    case GIMPLE_OMP_MASKED:
    case GIMPLE_OMP_CRITICAL:
    case GIMPLE_OMP_ORDERED:
    case GIMPLE_OMP_TASKGROUP:
    case GIMPLE_OMP_SCAN:
    case GIMPLE_OMP_TARGET:
    case GIMPLE_OMP_PARALLEL:
    case GIMPLE_OMP_TASK:
    case GIMPLE_OMP_TEAMS:
      body[0] = gimple_omp_body (stmt);
      break;
    default:
      break;
    }
}

void
amp_walk (gimple_seq seq, bool nested,
	  bool (*visit) (gimple *, bool, void *), void *data)
{
  for (gimple_stmt_iterator i = gsi_start (seq); !gsi_end_p (i); gsi_next (&i))
    {
      gimple *stmt = gsi_stmt (i);
      gimple_seq body[2];
      if (!visit (stmt, nested, data))
	continue;
      bodies_of (stmt, body);
      bool inner = nested || opens_region_p (stmt);
      for (gimple_seq b : body)
	if (b)
	  amp_walk (b, inner, visit, data);
    }
}

/* Add the loops in SEQ to region INDEX of REGIONS, and add the regions in SEQ
   to REGIONS.  */

static void
collect (gimple_seq seq, std::vector<amp_region> &regions, size_t index)
{
  for (gimple_stmt_iterator i = gsi_start (seq); !gsi_end_p (i); gsi_next (&i))
    {
      gimple *stmt = gsi_stmt (i);
      gimple_seq body[2];
      size_t inner = index;

      bodies_of (stmt, body);
      if (gomp_for *loop = dyn_cast <gomp_for *> (stmt))
	{
	  if (gimple_omp_for_kind (loop) == GF_OMP_FOR_KIND_FOR)
	    regions[index].loops.push_back (loop);
	  else if (!gimple_omp_for_combined_into_p (loop))
	    regions[index].others.push_back (loop);
	}
      else if (opens_region_p (stmt))
	{
	  bool combined = (gimple_code (stmt) == GIMPLE_OMP_PARALLEL
			   && gimple_omp_parallel_combined_p (stmt));
	  amp_region region
	    = { stmt, body[0], false,
		regions[index].offloaded || is_gimple_omp_offloaded (stmt),
		combined ? gimple_location (stmt) : UNKNOWN_LOCATION,
		{}, {} };
	  inner = regions.size ();
	  regions.push_back (region);
	}
      for (gimple_seq b : body)
	if (b)
	  collect (b, regions, inner);
    }
}

std::vector<amp_region>
amp_regions_of (tree decl)
{
  std::vector<amp_region> regions;
  tree attributes = DECL_ATTRIBUTES (decl);
  bool offloaded
    = (lookup_attribute ("omp declare target", attributes)
       || lookup_attribute ("omp declare target block", attributes)
       || lookup_attribute ("omp target entrypoint", attributes));
  amp_region whole = { NULL, gimple_body (decl), true, offloaded,
		       UNKNOWN_LOCATION, {}, {} };

  regions.push_back (whole);
  collect (whole.body, regions, 0);
  return regions;
}
