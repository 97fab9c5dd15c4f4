/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summarizes how worksharing loops of a translation unit's functions follow
   one another across calls.  */

#include "amp-gcc.h"
#include "amp-flow.h"
#include "amp-loop.h"
#include "amp-region.h"
#include "amp-unit.h"

/* One function of the unit.  */
struct amp_function
{
  tree decl;			/* Valid only while the unit is summarized.  */
  /* The function has a worksharing loop; it has one outside any parallel
     region.  */
  bool has_loop, has_orphan;
  /* The function calls code that is not visible here, outside any parallel
     region.  */
  bool calls_unseen;
  /* The results, see amp_unit.  */
  bool matters, may_run_loop, reaches_loop, ends_open, pinned;
  /* The functions that it calls outside parallel regions.  */
  std::vector<tree> callees;
  /* The flow of its regions, the orphaned one first.  Valid only while the
     unit is summarized, and only if has_loop.  */
  std::vector<amp_flow *> flows;
};

static amp_unit *the_unit;

const amp_unit &
amp_unit::get ()
{
  if (!the_unit)
    {
      the_unit = new amp_unit;
      the_unit->build ();
    }
  return *the_unit;
}

bool
amp_unit::filter (tree decl)
{
  return the_unit->matters (decl);
}

/* Record the calls and loops of the current function.  NESTED: in a parallel
   or similar region.  */

static void
note_call (amp_function *f, tree callee, int flags, bool nested)
{
  if (nested)
    return;
  if (callee && TREE_CODE (callee) == FUNCTION_DECL)
    f->callees.push_back (callee);
  else
    f->calls_unseen |= !(flags & (ECF_CONST | ECF_PURE | ECF_LEAF));
}

static void
note_loop (amp_function *f, bool nested)
{
  f->has_loop = true;
  f->has_orphan |= !nested;
}

static bool
scan_gimple (gimple *stmt, bool nested, void *data)
{
  amp_function *f = (amp_function *) data;
  if (is_gimple_call (stmt) && !gimple_call_internal_p (stmt))
    note_call (f, gimple_call_fndecl (stmt), gimple_call_flags (stmt), nested);
  else if (gimple_code (stmt) == GIMPLE_OMP_FOR
	   && gimple_omp_for_kind (stmt) == GF_OMP_FOR_KIND_FOR)
    note_loop (f, nested);
  return true;
}

struct generic_scan
{
  amp_function *f;
  bool nested;
};

static tree
scan_generic (tree *tp, int *walk_subtrees, void *data)
{
  generic_scan *scan = (generic_scan *) data;
  tree t = *tp, callee;
  switch (TREE_CODE (t))
    {
    case CALL_EXPR:
      if (CALL_EXPR_FN (t))
	note_call (scan->f, get_callee_fndecl (t), call_expr_flags (t),
		   scan->nested);
      break;
    case AGGR_INIT_EXPR:
      /* A call whose result is constructed in place: the gimplifier makes a
	 CALL_EXPR of it.  */
      callee = TREE_OPERAND (t, 1);
      if (callee && TREE_CODE (callee) == ADDR_EXPR)
	callee = TREE_OPERAND (callee, 0);
      note_call (scan->f, callee, 0, scan->nested);
      break;
    case OMP_FOR:
    case OMP_LOOP:
      note_loop (scan->f, scan->nested);
      break;
    case OMP_PARALLEL:
    case OMP_TASK:
    case OMP_TASKLOOP:
    case OMP_TEAMS:
    case OMP_TARGET:
      if (!scan->nested)
	{
	  generic_scan inner = { scan->f, true };
	  for (int i = 0; i < TREE_OPERAND_LENGTH (t); i++)
	    walk_tree_without_duplicates (&TREE_OPERAND (t, i), scan_generic,
					  &inner);
	  *walk_subtrees = 0;
	}
      break;
    default:
      if (TYPE_P (t))
	*walk_subtrees = 0;
      break;
    }
  return NULL_TREE;
}

/* The function that a call of DECL runs, aliases resolved.  */

static tree
resolve (tree decl)
{
  cgraph_node *node = cgraph_node::get (decl);
  if (!node || !node->alias)
    return decl;
  if (node->analyzed)
    return node->ultimate_alias_target ()->decl;
  tree target = node->alias_target;
  if (target && TREE_CODE (target) == IDENTIFIER_NODE)
    {
      symtab_node *named = symtab_node::get_for_asmname (target);
      return named ? named->decl : decl;
    }
  return target ? target : decl;
}

amp_function *
amp_unit::lookup (tree decl) const
{
  amp_function **f
    = const_cast <amp_unit *> (this)->m_by_uid.get (DECL_UID (resolve (decl)));
  return f ? *f : NULL;
}

bool
amp_unit::matters (tree decl) const
{
  amp_function *f = lookup (decl);
  return f && f->matters;
}

bool
amp_unit::may_run_loop (tree decl) const
{
  if (!decl)
    return true;
  amp_function *f = lookup (decl);
  /* The linker may take another definition than a weak one.  */
  if (f && (!DECL_WEAK (decl) || DECL_COMDAT (decl)))
    return f->may_run_loop;
  return f || !amp_library_call_p (decl);
}

bool
amp_unit::reaches_loop (tree decl) const
{
  amp_function *f = lookup (decl);
  return f && f->reaches_loop;
}

bool
amp_unit::ends_open (tree decl) const
{
  amp_function *f = lookup (decl);
  return f && f->ends_open;
}

bool
amp_unit::pinned (tree decl) const
{
  amp_function *f = lookup (decl);
  return f && (f->pinned || m_open_loop != UNKNOWN_LOCATION);
}

bool
amp_unit::chain_start_p (const amp_flow_node &node) const
{
  if (node.kind == AMP_FLOW_CALL)
    return ends_open (node.callee);
  if (node.kind != AMP_FLOW_LOOP || node.stops)
    return false;
  return amp_loop_traits_of (as_a <gomp_for *> (node.stmt), false)
	 .maps_statically ();
}

bool
amp_unit::chain_member_p (const amp_flow_node &node) const
{
  if (node.kind == AMP_FLOW_CALL)
    return reaches_loop (node.callee);
  return node.kind == AMP_FLOW_LOOP;
}

/* Scan every function's body in its present form, GENERIC or GIMPLE.  */

void
amp_unit::find_functions ()
{
  cgraph_node *node;
  FOR_EACH_DEFINED_FUNCTION (node)
    {
      tree decl = node->decl;
      if (node->alias || node->thunk)
	continue;
      amp_function *f = new amp_function ();
      f->decl = decl;
      if (gimple_has_body_p (decl))
	amp_walk (gimple_body (decl), false, scan_gimple, f);
      else if (DECL_SAVED_TREE (decl))
	{
	  generic_scan scan = { f, false };
	  walk_tree_without_duplicates (&DECL_SAVED_TREE (decl), scan_generic,
					&scan);
	}
      m_functions.push_back (f);
      m_by_uid.put (DECL_UID (decl), f);
    }
}

/* Find the functions whose call runs an orphaned loop, or may do so.  */

void
amp_unit::find_relevant ()
{
  bool changed;
  for (amp_function *f : m_functions)
    {
      f->matters = f->has_orphan;
      f->may_run_loop = f->has_orphan || f->calls_unseen;
    }
  do
    {
      changed = false;
      for (amp_function *f : m_functions)
	for (tree callee : f->callees)
	  {
	    if (!f->matters && matters (callee))
	      f->matters = changed = true;
	    if (!f->may_run_loop && may_run_loop (callee))
	      f->may_run_loop = changed = true;
	  }
    }
  while (changed);
}

/* Gimplify DECL, and before it the functions around it, unless that is done
   already. cgraph_node::analyze will find the result of this early
   gimplification.  */

static void
ensure_gimple (tree decl)
{
  if (gimple_has_body_p (decl) || !DECL_SAVED_TREE (decl))
    return;
  if (cgraph_node *outer = nested_function_origin (cgraph_node::get (decl)))
    ensure_gimple (outer->decl);
  location_t saved = input_location;
  gimplify_function_tree (decl);
  input_location = saved;
}

/* Make the flow graphs of all functions that hold a worksharing loop.  */

void
amp_unit::make_flows ()
{
  for (amp_function *f : m_functions)
    if (f->has_loop)
      {
	ensure_gimple (f->decl);
	if (!gimple_has_body_p (f->decl))
	  continue;
	for (const amp_region &r : amp_regions_of (f->decl))
	  f->flows.push_back (new amp_flow (DECL_STRUCT_FUNCTION (f->decl),
					    r.body, filter));
      }
}

/* Compute the least solution for reaches_loop and ends_open.  A function
   without a loop of its own is assumed to have no barrier on the way to its
   calls.  */

void
amp_unit::summarize ()
{
  bool changed;
  do
    {
      changed = false;
      for (amp_function *f : m_functions)
	{
	  bool reaches = false, open = false;
	  if (!f->matters)
	    continue;
	  if (f->flows.empty ())
	    for (tree callee : f->callees)
	      {
		reaches |= reaches_loop (callee);
		open |= ends_open (callee);
	      }
	  else
	    {
	      const amp_flow &flow = *f->flows[0];
	      std::vector<bool> seen = flow.reach (amp_flow::entry);
	      for (size_t n = 0; n < flow.nodes.size (); n++)
		{
		  const amp_flow_node &node = flow.nodes[n];
		  reaches |= seen[n] && chain_member_p (node);
		  if (chain_start_p (node)
		      && flow.reach (n)[amp_flow::exit])
		    {
		      open = true;
		      if (node.kind == AMP_FLOW_LOOP)
			m_open_loop = gimple_location (node.stmt);
		    }
		}
	    }
	  changed |= reaches != f->reaches_loop || open != f->ends_open;
	  f->reaches_loop = reaches;
	  f->ends_open = open;
	}
    }
  while (changed);
}

/* Pin the functions that FLOW calls at the nodes in REACHED.  Returns true if
   any was not pinned before.  */

bool
amp_unit::pin_callees (const amp_flow &flow, const std::vector<bool> &reached)
{
  bool news = false;
  for (size_t n = 0; n < flow.nodes.size (); n++)
    if (reached[n] && flow.nodes[n].kind == AMP_FLOW_CALL)
      {
	amp_function *f = lookup (flow.nodes[n].callee);
	news |= !f->pinned;
	f->pinned = true;
      }
  return news;
}

/* Pin the functions that a nowait chain runs into, and what these call in
   turn.  */

void
amp_unit::pin ()
{
  bool changed;
  for (amp_function *f : m_functions)
    for (const amp_flow *flow : f->flows)
      for (size_t n = 0; n < flow->nodes.size (); n++)
	if (chain_start_p (flow->nodes[n]))
	  pin_callees (*flow, flow->reach (n));
  do
    {
      changed = false;
      for (amp_function *f : m_functions)
	if (f->pinned && !f->flows.empty ())
	  changed |= pin_callees (*f->flows[0],
				  f->flows[0]->reach (amp_flow::entry));
	else if (f->pinned)
	  for (tree callee : f->callees)
	    if (matters (callee) && !lookup (callee)->pinned)
	      lookup (callee)->pinned = changed = true;
    }
  while (changed);
}

void
amp_unit::build ()
{
  find_functions ();
  find_relevant ();
  bool any = false;
  for (amp_function *f : m_functions)
    any |= f->matters;
  if (!any)
    return;
  make_flows ();
  summarize ();
  pin ();
  for (amp_function *f : m_functions)
    {
      for (amp_flow *flow : f->flows)
	delete flow;
      f->flows.clear ();
    }
}
