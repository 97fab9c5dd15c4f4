/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds and searches the flow graph of one OpenMP region.  */

#include "amp-gcc.h"
#include "amp-flow.h"

amp_flow::amp_flow (function *fn, gimple_seq body, amp_callee_filter filter)
  : m_fn (fn), m_filter (filter), m_here (entry), m_defined (0)
{
  add_node (AMP_FLOW_PLAIN, NULL);
  add_node (AMP_FLOW_PLAIN, NULL);
  m_handlers.push_back (exit);
  build (body);
  add_edge (m_here, exit);
  connect_abnormal ();
}

std::vector<bool>
amp_flow::reach (int node, bool over_barriers) const
{
  std::vector<bool> seen (nodes.size (), false);
  std::vector<int> work (nodes[node].succs);
  while (!work.empty ())
    {
      int n = work.back ();
      work.pop_back ();
      if (seen[n])
	continue;
      seen[n] = true;
      if (over_barriers || !nodes[n].stops)
	work.insert (work.end (), nodes[n].succs.begin (),
		     nodes[n].succs.end ());
    }
  return seen;
}

int
amp_flow::add_node (enum amp_flow_kind kind, gimple *stmt)
{
  amp_flow_node node = { kind, stmt, NULL_TREE, false, {} };
  nodes.push_back (node);
  return nodes.size () - 1;
}

void
amp_flow::add_edge (int from, int to)
{
  if (from >= 0)
    nodes[from].succs.push_back (to);
}

/* Add a node after the current one, and make it the current one.  */

int
amp_flow::step (enum amp_flow_kind kind, gimple *stmt)
{
  int node = add_node (kind, stmt);
  add_edge (m_here, node);
  m_here = node;
  return node;
}

/* The record of label DECL; created on first use.  */

amp_flow::label &
amp_flow::find_label (tree decl)
{
  bool existed;
  int &index = m_label_index.get_or_insert (decl, &existed);
  if (!existed)
    {
      index = m_labels.size ();
      label l = { decl, add_node (AMP_FLOW_PLAIN, NULL), -1 };
      m_labels.push_back (l);
    }
  return m_labels[index];
}

/* Add an edge from the current node to TARGET, and remember it for the
   cleanups that it leaves.  */

void
amp_flow::jump_to (int target)
{
  add_edge (m_here, target);
  jump j = { m_here, target };
  m_jumps.push_back (j);
}

void
amp_flow::jump_to_label (tree decl)
{
  jump_to (find_label (decl).node);
}

/* The current node may throw an exception.  */

void
amp_flow::throw_from_here ()
{
  add_edge (m_here, m_handlers.back ());
}

void
amp_flow::build (gimple_seq seq)
{
  for (gimple_stmt_iterator i = gsi_start (seq); !gsi_end_p (i); gsi_next (&i))
    build_stmt (gsi_stmt (i));
}

void
amp_flow::build_label (tree decl)
{
  label &l = find_label (decl);
  l.defined = m_defined++;
  add_edge (m_here, l.node);
  m_here = l.node;
  if (FORCED_LABEL (decl) || DECL_NONLOCAL (decl))
    m_receivers.push_back (l.node);
}

/* A label, or what may jump to one.  */

void
amp_flow::build_jump (gimple *stmt)
{
  switch (gimple_code (stmt))
    {
    case GIMPLE_LABEL:
      build_label (gimple_label_label (as_a <glabel *> (stmt)));
      break;
    case GIMPLE_GOTO:
      step (AMP_FLOW_PLAIN, NULL);
      if (TREE_CODE (gimple_goto_dest (stmt)) == LABEL_DECL)
	jump_to_label (gimple_goto_dest (stmt));
      else
	m_computed.push_back (m_here);
      m_here = -1;
      break;
    case GIMPLE_COND:
      {
	gcond *cond = as_a <gcond *> (stmt);
	tree yes = gimple_cond_true_label (cond);
	tree no = gimple_cond_false_label (cond);
	step (AMP_FLOW_PLAIN, NULL);
	if (yes)
	  jump_to_label (yes);
	if (no)
	  jump_to_label (no);
	if (yes && no)
	  m_here = -1;
	break;
      }
    case GIMPLE_SWITCH:
      {
	gswitch *sw = as_a <gswitch *> (stmt);
	step (AMP_FLOW_PLAIN, NULL);
	for (unsigned i = 0; i < gimple_switch_num_labels (sw); i++)
	  jump_to_label (CASE_LABEL (gimple_switch_label (sw, i)));
	m_here = -1;
	break;
      }
    case GIMPLE_ASM:
      {
	gasm *a = as_a <gasm *> (stmt);
	if (gimple_asm_nlabels (a))
	  step (AMP_FLOW_PLAIN, NULL);
	for (unsigned i = 0; i < gimple_asm_nlabels (a); i++)
	  jump_to_label (TREE_VALUE (gimple_asm_label_op (a, i)));
	break;
      }
    case GIMPLE_RETURN:
      step (AMP_FLOW_PLAIN, NULL);
      jump_to (exit);
      m_here = -1;
      break;

    default:
      gcc_unreachable ();
    }
}

void
amp_flow::build_stmt (gimple *stmt)
{
  switch (gimple_code (stmt))
    {
    case GIMPLE_BIND:
      build (gimple_bind_body (as_a <gbind *> (stmt)));
      break;
    case GIMPLE_TRANSACTION:
      build (gimple_transaction_body (as_a <gtransaction *> (stmt)));
      break;

    case GIMPLE_LABEL:
    case GIMPLE_GOTO:
    case GIMPLE_COND:
    case GIMPLE_SWITCH:
    case GIMPLE_ASM:
    case GIMPLE_RETURN:
      build_jump (stmt);
      break;

    case GIMPLE_CALL:
      build_call (as_a <gcall *> (stmt));
      break;

    case GIMPLE_TRY:
      if (gimple_try_kind (stmt) == GIMPLE_TRY_CATCH)
	build_try_catch (as_a <gtry *> (stmt));
      else
	build_try_finally (as_a <gtry *> (stmt));
      break;
    case GIMPLE_CATCH:
      build_optional (gimple_catch_handler (as_a <gcatch *> (stmt)));
      break;
    case GIMPLE_EH_FILTER:
      build_optional (gimple_eh_filter_failure (stmt));
      break;
    case GIMPLE_EH_ELSE:
      build_optional (gimple_eh_else_n_body (as_a <geh_else *> (stmt)));
      build_optional (gimple_eh_else_e_body (as_a <geh_else *> (stmt)));
      break;

    default:
      if (is_gimple_omp (stmt))
	build_omp (stmt);
      else if (stmt_could_throw_p (m_fn, stmt))
	{
	  step (AMP_FLOW_PLAIN, NULL);
	  throw_from_here ();
	}
      break;
    }
}

/* SEQ runs or is skipped.  */

void
amp_flow::build_optional (gimple_seq seq)
{
  int before = step (AMP_FLOW_PLAIN, NULL);
  build (seq);
  step (AMP_FLOW_PLAIN, NULL);
  add_edge (before, m_here);
}

bool
amp_library_call_p (tree decl)
{
  /* Cython writes calls of Python's functions into parallel regions.  */
  static const char *const prefixes[]
    = { "omp_", "_gfortran_", "__cxa_", "PyGILState_", "PyEval_SaveThread",
	"PyEval_RestoreThread" };
  const char *name = IDENTIFIER_POINTER (DECL_NAME (decl));

  if (fndecl_built_in_p (decl)
      || DECL_IS_OPERATOR_NEW_P (decl)
      || DECL_IS_OPERATOR_DELETE_P (decl)
      || (flags_from_decl_or_type (decl) & (ECF_CONST | ECF_PURE | ECF_LEAF)))
    return true;
  for (const char *prefix : prefixes)
    if (startswith (name, prefix))
      return true;
  return false;
}

/* True if CALL goes to code that is not visible here and that might hold
   OpenMP constructs.  */

static bool
unknown_call_p (gcall *call)
{
  if (gimple_call_internal_p (call)
      || (gimple_call_flags (call) & (ECF_CONST | ECF_PURE | ECF_LEAF)))
    return false;
  tree decl = gimple_call_fndecl (call);
  if (!decl)
    return true;
  cgraph_node *node = cgraph_node::get (decl);
  if (node && node->definition)
    return false;
  return !amp_library_call_p (decl);
}

void
amp_flow::build_call (gcall *call)
{
  tree decl = gimple_call_fndecl (call);
  enum amp_flow_kind kind = AMP_FLOW_PLAIN;

  if (gimple_call_builtin_p (call, BUILT_IN_GOMP_BARRIER))
    {
      step (AMP_FLOW_BARRIER, call);
      nodes[m_here].stops = true;
      return;
    }
  if (decl && m_filter (decl))
    kind = AMP_FLOW_CALL;
  else if (unknown_call_p (call))
    kind = AMP_FLOW_UNKNOWN_CALL;
  else if (decl && fndecl_built_in_p (decl)
	   && !(gimple_call_flags (call) & ECF_RETURNS_TWICE)
	   && !stmt_could_throw_p (m_fn, call))
    return;

  int node = step (kind, call);
  nodes[node].callee = decl;
  m_calls.push_back (node);
  if (gimple_call_flags (call) & ECF_RETURNS_TWICE)
    m_receivers.push_back (node);
  if (stmt_could_throw_p (m_fn, call))
    throw_from_here ();
}

/* Add the flow through OpenMP construct STMT.  */

void
amp_flow::build_omp (gimple *stmt)
{
  tree clauses = NULL_TREE;

  switch (gimple_code (stmt))
    {
    case GIMPLE_OMP_FOR:
      build (gimple_omp_for_pre_body (stmt));
      if (gimple_omp_for_kind (stmt) == GF_OMP_FOR_KIND_FOR)
	{
	  step (AMP_FLOW_LOOP, stmt);
	  nodes[m_here].stops
	    = !omp_find_clause (gimple_omp_for_clauses (stmt),
				OMP_CLAUSE_NOWAIT);
	}
      return;

    case GIMPLE_OMP_SECTIONS:
      clauses = gimple_omp_sections_clauses (stmt);
      break;
    case GIMPLE_OMP_SINGLE:
      clauses = gimple_omp_single_clauses (stmt);
      break;
    case GIMPLE_OMP_SCOPE:
      build (gimple_omp_body (stmt));
      clauses = gimple_omp_scope_clauses (stmt);
      break;

    case GIMPLE_OMP_TARGET:
      if (!is_gimple_omp_offloaded (stmt))
	build_optional (gimple_omp_body (stmt));
      return;
    case GIMPLE_OMP_MASTER:
    case GIMPLE_OMP_MASKED:
    case GIMPLE_OMP_CRITICAL:
    case GIMPLE_OMP_ORDERED:
    case GIMPLE_OMP_TASKGROUP:
      build_optional (gimple_omp_body (stmt));
      return;

    default:
      return;
    }

  if (!omp_find_clause (clauses, OMP_CLAUSE_NOWAIT))
    {
      step (AMP_FLOW_BARRIER, stmt);
      nodes[m_here].stops = true;
    }
}

/* Add TRY, whose cleanup runs only for an exception.  */

void
amp_flow::build_try_catch (gtry *stmt)
{
  int handler = add_node (AMP_FLOW_PLAIN, NULL);
  m_handlers.push_back (handler);
  build (gimple_try_eval (stmt));
  m_handlers.pop_back ();
  int after = step (AMP_FLOW_PLAIN, NULL);

  /* An exception that no catch takes goes on outwards, before or after the
     cleanup.  */
  m_here = handler;
  throw_from_here ();
  gimple_seq cleanup = gimple_try_cleanup (stmt);
  bool catches = (cleanup && gimple_code (cleanup) == GIMPLE_CATCH);
  if (catches)
    for (gimple_stmt_iterator i = gsi_start (cleanup); !gsi_end_p (i);
	 gsi_next (&i))
      {
	m_here = handler;
	build (gimple_catch_handler (as_a <gcatch *> (gsi_stmt (i))));
	add_edge (m_here, after);
      }
  else
    {
      build (cleanup);
      if (m_here >= 0)
	throw_from_here ();
      /* The handler of an exception specification may return.  */
      add_edge (m_here, after);
    }
  m_here = after;
}

/* True if SEQ, a cleanup, holds nothing that matters to the flow, so that the
   paths through it need not be kept apart.  */

static bool
transparent_p (gimple_seq seq, amp_callee_filter filter)
{
  for (gimple_stmt_iterator i = gsi_start (seq); !gsi_end_p (i); gsi_next (&i))
    {
      gimple *stmt = gsi_stmt (i);
      tree decl;
      switch (gimple_code (stmt))
	{
	case GIMPLE_CALL:
	  decl = gimple_call_fndecl (stmt);
	  if (gimple_call_builtin_p (stmt, BUILT_IN_GOMP_BARRIER)
	      || (decl && filter (decl)))
	    return false;
	  break;
	case GIMPLE_BIND:
	  if (!transparent_p (gimple_bind_body (as_a <gbind *> (stmt)),
			      filter))
	    return false;
	  break;
	case GIMPLE_TRY:
	  if (!transparent_p (gimple_try_eval (stmt), filter)
	      || !transparent_p (gimple_try_cleanup (stmt), filter))
	    return false;
	  break;
	case GIMPLE_EH_ELSE:
	  {
	    geh_else *e = as_a <geh_else *> (stmt);
	    if (!transparent_p (gimple_eh_else_n_body (e), filter)
		|| !transparent_p (gimple_eh_else_e_body (e), filter))
	      return false;
	    break;
	  }
	case GIMPLE_ASSIGN:
	case GIMPLE_DEBUG:
	case GIMPLE_NOP:
	case GIMPLE_PREDICT:
	case GIMPLE_EH_MUST_NOT_THROW:
	  break;
	case GIMPLE_COND:
	case GIMPLE_LABEL:
	case GIMPLE_GOTO:
	  /* A test within the cleanup, for example of a C++ guard.  */
	  break;
	default:
	  return false;
	}
    }
  return true;
}

/* Add TRY, whose cleanup runs on every way out of its body.  */

void
amp_flow::build_try_finally (gtry *stmt)
{
  gimple_seq cleanup = gimple_try_cleanup (stmt);
  if (transparent_p (cleanup, m_filter))
    {
      build (gimple_try_eval (stmt));
      return;
    }

  int start = add_node (AMP_FLOW_PLAIN, NULL);
  size_t first_jump = m_jumps.size ();
  int first_label = m_defined;
  m_handlers.push_back (start);
  build (gimple_try_eval (stmt));
  m_handlers.pop_back ();
  add_edge (m_here, start);

  /* Only jumps out of the body run the cleanup first.  */
  std::vector<int> inner;
  for (const label &l : m_labels)
    if (l.defined >= first_label)
      inner.push_back (l.node);
  std::vector<int> targets;
  for (size_t i = first_jump; i < m_jumps.size (); i++)
    {
      bool leaves = true;
      for (int node : inner)
	leaves = leaves && node != m_jumps[i].target;
      if (leaves)
	{
	  add_edge (m_jumps[i].from, start);
	  targets.push_back (m_jumps[i].target);
	}
    }

  m_here = start;
  build (cleanup);
  int end = step (AMP_FLOW_PLAIN, NULL);
  for (int target : targets)
    add_edge (end, target);
  throw_from_here ();
  step (AMP_FLOW_PLAIN, NULL);
}

/* Add the edges that no single statement shows: from computed gotos, non-local
   gotos and longjmp to the places where they may arrive.  */

void
amp_flow::connect_abnormal ()
{
  for (int to : m_receivers)
    {
      for (int from : m_computed)
	add_edge (from, to);
      for (int from : m_calls)
	add_edge (from, to);
    }
  /* A goto whose label is not in this region leaves it.  */
  for (const label &l : m_labels)
    if (l.defined < 0)
      add_edge (l.node, exit);
}
