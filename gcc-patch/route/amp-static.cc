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

/* If STMT is a call that may run a loop, store it in DATA.  NESTED: another
   team runs STMT.  Returns true if the content of STMT matters: OpenMP forbids
   worksharing loops within worksharing and exclusive regions.  */

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

/* The first statement of a region whose effect differs between threads.  */
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

/* What the statements of a region do with a variable.  */
enum
{
  USED_OUTSIDE = 1,		/* Of the loop; or set before the loop
				   begins.  */
  READ = 2,			/* The others are in the loop's body.  */
  WRITTEN = 4,
  ADDED_TO = 8			/* Only its sum, product or the like
				   changes.  */
};

/* A search for variables that are private to a thread and keep their value
   from one iteration of a loop to the next.  */
struct carry_search
{
  carry_search (const amp_region &r, gomp_for *l)
    : region (r), loop (l), outside (false), skipped (NULL_TREE) {}

  const amp_region &region;
  gomp_for *loop;
  bool outside;			/* Else the walk is in the loop's body.  */
  tree skipped;			/* What the current statement writes.  */
  hash_set<tree> locals;	/* Of the loop's body.  */
  hash_map<tree, int> uses;
};

/* True if CLAUSES has a clause for DECL whose code is one of CODES.  */

static bool
has_clause_p (tree clauses, tree decl,
	      const std::vector<omp_clause_code> &codes)
{
  for (tree c = clauses; c; c = OMP_CLAUSE_CHAIN (c))
    for (omp_clause_code code : codes)
      if (OMP_CLAUSE_CODE (c) == code && OMP_CLAUSE_DECL (c) == decl)
	return true;
  return false;
}

/* The clauses of REGION's construct.  REGION is not a function.  */

static tree
clauses_of (const amp_region &region)
{
  gimple *construct = region.construct;
  return gimple_code (construct) == GIMPLE_OMP_TEAMS
	 ? gimple_omp_teams_clauses (as_a <gomp_teams *> (construct))
	 : gimple_code (construct) == GIMPLE_OMP_TARGET
	   ? gimple_omp_target_clauses (construct)
	   : gimple_omp_taskreg_clauses (construct);
}

/* True if every thread of S's region has its own DECL, but not every
   iteration.  */

static bool
own_variable_p (carry_search *s, tree decl)
{
  if (!DECL_P (decl)
      || !(VAR_P (decl) || TREE_CODE (decl) == PARM_DECL)
      || is_global_var (decl)
      || DECL_ARTIFICIAL (decl)
      || s->locals.contains (decl))
    return false;
  return !has_clause_p (gimple_omp_for_clauses (s->loop), decl,
			{ OMP_CLAUSE_PRIVATE, OMP_CLAUSE_LASTPRIVATE,
			  OMP_CLAUSE_REDUCTION, OMP_CLAUSE_LINEAR })
	 && !has_clause_p (clauses_of (s->region), decl,
			   { OMP_CLAUSE_SHARED, OMP_CLAUSE_REDUCTION });
}

static void
note_use (carry_search *s, tree decl, int use)
{
  s->uses.get_or_insert (decl) |= s->outside ? (int) USED_OUTSIDE : use;
}

/* True if STMT, which writes DECL, only adds to it or the like.  */

static bool
adds_p (gimple *stmt, tree decl)
{
  if (!is_gimple_assign (stmt) || gimple_assign_lhs (stmt) != decl)
    return false;
  switch (gimple_assign_rhs_code (stmt))
    {
    case PLUS_EXPR:
    case MULT_EXPR:
    case BIT_AND_EXPR:
    case BIT_IOR_EXPR:
    case BIT_XOR_EXPR:
    case MIN_EXPR:
    case MAX_EXPR:
      return ((gimple_assign_rhs1 (stmt) == decl)
	      != (gimple_assign_rhs2 (stmt) == decl));
    case MINUS_EXPR:
      return (gimple_assign_rhs1 (stmt) == decl
	      && gimple_assign_rhs2 (stmt) != decl);
    default:
      return false;
    }
}

static tree
note_statement (gimple_stmt_iterator *gsi, bool *handled, walk_stmt_info *wi)
{
  carry_search *s = (carry_search *) wi->info;
  gimple *stmt = gsi_stmt (*gsi);

  if (s->outside && stmt == s->loop)
    {
      *handled = true;
      return NULL_TREE;
    }
  if (gbind *bind = dyn_cast <gbind *> (stmt))
    for (tree v = gimple_bind_vars (bind); v && !s->outside; v = DECL_CHAIN (v))
      s->locals.add (v);

  tree lhs = gimple_get_lhs (stmt);
  tree base = lhs ? get_base_address (lhs) : NULL_TREE;
  s->skipped = base && DECL_P (base) ? base : NULL_TREE;
  if (s->skipped)
    note_use (s, base, adds_p (stmt, base) ? ADDED_TO : WRITTEN);
  return NULL_TREE;
}

static tree
note_operand (tree *tp, int *walk_subtrees, void *data)
{
  walk_stmt_info *wi = (walk_stmt_info *) data;
  carry_search *s = (carry_search *) wi->info;
  gimple *stmt = gsi_stmt (wi->gsi);

  if (TYPE_P (*tp))
    *walk_subtrees = 0;
  else if (TREE_CODE (*tp) == ADDR_EXPR)
    {
      tree base = get_base_address (TREE_OPERAND (*tp, 0));
      if (base && DECL_P (base))
	note_use (s, base, WRITTEN);
    }
  else if (DECL_P (*tp)
	   && !(*tp == s->skipped && (wi->is_lhs || adds_p (stmt, *tp))))
    note_use (s, *tp,
	      gimple_code (stmt) == GIMPLE_ASM ? READ | WRITTEN : READ);
  return NULL_TREE;
}

/* A variable through which an iteration of LOOP, the only loop of REGION, may
   pass a value to the next iteration of the same thread; NULL_TREE if there is
   none.  Sums and the like do not count, since iterations may add to them in
   any order.  A variable without a value at the loop's begin is set by every
   iteration that reads it.  */

static tree
carried_variable (const amp_region &region, gomp_for *loop)
{
  carry_search s (region, loop);
  walk_stmt_info wi;
  tree found = NULL_TREE;

  memset (&wi, 0, sizeof wi);
  wi.info = &s;
  walk_gimple_seq (gimple_omp_body (loop), note_statement, note_operand, &wi);
  s.outside = true;
  walk_gimple_seq (region.body, note_statement, note_operand, &wi);

  for (const auto &use : s.uses)
    {
      int how = use.second;
      if (!(how & WRITTEN) && !((how & ADDED_TO) && (how & READ)))
	continue;
      if (!own_variable_p (&s, use.first))
	continue;
      if (!(how & USED_OUTSIDE)
	  && !has_clause_p (gimple_omp_for_clauses (loop), use.first,
			    { OMP_CLAUSE_FIRSTPRIVATE })
	  && !has_clause_p (clauses_of (region), use.first,
			    { OMP_CLAUSE_FIRSTPRIVATE }))
	continue;
      /* If there are several, take the one that was declared first,
	 independent of the map's order.  */
      if (!found || DECL_UID (use.first) < DECL_UID (found))
	found = use.first;
    }
  return found;
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
      return "schedule(static) clause; relied on, perhaps, by a loop in what "
	     "is called";
    }

  thread_use use = { NULL, false };
  walk_stmt_info wi;
  memset (&wi, 0, sizeof wi);
  wi.info = &use;
  walk_gimple_seq (region.body, find_thread_number, find_thread_variable, &wi);
  if (!use.stmt)
    {
      tree carried
	= carried_variable (region, as_a <gomp_for *> (flow.nodes[loop].stmt));
      if (!carried)
	return NULL;
      *where = DECL_SOURCE_LOCATION (carried);
      return "schedule(static) clause; relied on, perhaps, by what an "
	     "iteration leaves in the private variable";
    }
  *where = gimple_location (use.stmt);
  return use.number
	 ? "schedule(static) clause; relied on, perhaps, by the thread's number"
	 : "schedule(static) clause; relied on, perhaps, by the threadprivate "
	   "variable";
}
