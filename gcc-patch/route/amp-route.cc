/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides which worksharing loops of a function become schedule(runtime), and
   changes them.  */

#include "amp-gcc.h"
#include "amp-flow.h"
#include "amp-guard.h"
#include "amp-loop.h"
#include "amp-region.h"
#include "amp-unit.h"
#include "amp-static.h"
#include "amp-route.h"

/* The reason for a decision about a loop: a phrase, and the code that it
   refers to.  */
struct reason
{
  const char *why;		/* NULL: no reason.  */
  location_t where;		/* UNKNOWN_LOCATION: there is only the
				   phrase.  */
};

/* The result of the flow of a region for one of its loops.  */
struct finding
{
  reason stays;			/* Why it must stay static.  */
  reason unseen;		/* What might matter, but is not visible.  */
};

/* True if MODE considers nowait chains.  */

static bool
minds_chains_p (int mode)
{
  return mode == AMP_ROUTE_DEFAULT || mode == AMP_ROUTE_STATIC;
}

/* Why LOOP is not routed in MODE, independent of its surroundings; NULL if it
   may be.  */

static const char *
refusal (const amp_loop_traits &traits, int mode)
{
  if (mode == AMP_ROUTE_NONE)
    return "route=none";
  if (traits.refusal)
    return traits.refusal;
  switch (traits.schedule)
    {
    case AMP_LOOP_ABSENT:
      return NULL;
    case AMP_LOOP_STATIC:
      if (mode == AMP_ROUTE_STATIC)
	return NULL;
      return "schedule(static) clause";
    default:
      return "explicit schedule clause";
    }
}

/* Keep the first reason only.  */

static void
set_reason (reason &r, const char *why, location_t where)
{
  if (!r.why)
    {
      r.why = why;
      r.where = where;
    }
}

/* Find the effect of a chain that starts at node START of FLOW on the loops of
   the region, and add it to FINDINGS.  ORPHANED: FLOW is a whole function.  */

static void
follow_chain (const amp_flow &flow, int start, bool orphaned,
	      std::vector<finding> &findings)
{
  const amp_unit &unit = amp_unit::get ();
  const amp_flow_node &first = flow.nodes[start];
  std::vector<bool> reached = flow.reach (start);

  for (size_t n = 0; n < flow.nodes.size (); n++)
    {
      const amp_flow_node &node = flow.nodes[n];
      if (!reached[n])
	continue;
      if (node.kind == AMP_FLOW_UNKNOWN_CALL)
	set_reason (findings[start].unseen,
		    "what is called with no barrier after it",
		    gimple_location (node.stmt));
      if (!unit.chain_member_p (node))
	continue;
      bool itself = (int) n == start;
      set_reason (findings[start].stays,
		  itself ? "nowait chain with its own next run"
		  : node.kind == AMP_FLOW_LOOP
		    ? "nowait chain with the loop"
		    : "nowait chain with a loop in the function called",
		  itself ? UNKNOWN_LOCATION : gimple_location (node.stmt));
      if (!itself)
	set_reason (findings[n].stays,
		    first.kind == AMP_FLOW_LOOP
		    ? "nowait chain with the loop"
		    : "nowait chain with a loop in the function called",
		    gimple_location (first.stmt));
    }
  if (orphaned && reached[amp_flow::exit])
    set_reason (findings[start].stays,
		"orphaned nowait loop that can reach its function's end",
		UNKNOWN_LOCATION);
}

/* Find the effect of the entry of orphaned code FLOW of function DECL on its
   first loops.  */

static void
follow_entry (const amp_flow &flow, tree decl, std::vector<finding> &findings)
{
  const amp_unit &unit = amp_unit::get ();
  std::vector<bool> reached = flow.reach (amp_flow::entry);

  for (size_t n = 0; n < flow.nodes.size (); n++)
    if (reached[n] && flow.nodes[n].kind == AMP_FLOW_LOOP)
      {
	set_reason (findings[n].unseen,
		    "what precedes calls of its function elsewhere",
		    UNKNOWN_LOCATION);
	if (!unit.pinned (decl))
	  continue;
	if (unit.open_loop () != UNKNOWN_LOCATION)
	  set_reason (findings[n].stays,
		      "orphaned, may follow the nowait loop that ends its "
		      "function",
		      unit.open_loop ());
	else
	  set_reason (findings[n].stays,
		      "orphaned, its function is called within a nowait chain",
		      UNKNOWN_LOCATION);
      }
}

/* The findings for each node of FLOW, the flow of REGION of function DECL.  */

static std::vector<finding>
findings_of (const amp_flow &flow, const amp_region &region, tree decl)
{
  std::vector<finding> findings (flow.nodes.size ());
  for (size_t n = 0; n < flow.nodes.size (); n++)
    if (amp_unit::get ().chain_start_p (flow.nodes[n]))
      follow_chain (flow, n, region.orphaned, findings);
  if (region.orphaned)
    follow_entry (flow, decl, findings);
  return findings;
}

/* If the schedule(static) of loop node LOOP of FLOW may matter, record in F
   that the loop stays as it is.  */

static void
keep_promises (const amp_region &region, const amp_flow &flow, int loop,
	       finding &f)
{
  location_t where;
  const char *why = amp_static_reliance (region, flow, loop, &where);
  if (why)
    set_reason (f.stays, why, where);
}

/* Write R to P as text, with the line that it refers to.  */

static const char *
phrase (const reason &r)
{
  expanded_location at = expand_location (r.where);
  if (r.where == UNKNOWN_LOCATION || !at.file)
    return xstrdup (r.why);
  return xasprintf ("%s at %s:%d", r.why, at.file, at.line);
}

/* Report that the loop at WHERE is not routed because of R.  */

static void
explain_refusal (location_t where, const reason &r)
{
  const char *text = phrase (r);
  inform (where, "not routed: %s", text);
  free (const_cast<char *> (text));
}

/* Report that the loop at WHERE is routed, and what was UNSEEN then.  */

static void
explain_route (location_t where, const reason &unseen)
{
  static const char clause[] = "schedule(nonmonotonic:runtime)";
  if (!unseen.why)
    {
      inform (where, "routed: %s", clause);
      return;
    }
  const char *text = phrase (unseen);
  inform (where, "routed: %s; not seen: %s", clause, text);
  free (const_cast<char *> (text));
}

/* Decide on LOOP of function DECL at WHERE, for which F was found, and
   act.  */

static void
route_loop (gomp_for *loop, tree decl, location_t where,
	    const amp_loop_traits &traits, const finding &f, int mode,
	    bool explain)
{
  reason r = { refusal (traits, mode), UNKNOWN_LOCATION };
  if (!r.why)
    r = f.stays;
  if (!r.why)
    {
      amp_loop_set_runtime (loop);
      amp_guard_function (decl);
    }
  if (!explain)
    return;
  if (r.why)
    explain_refusal (where, r);
  else
    explain_route (where, f.unseen);
}

/* Route the loops of REGION of function DECL.  */

static void
route_region (const amp_region &region, tree decl, int mode,
	      bool explain)
{
  std::vector<amp_loop_traits> traits;
  bool candidates = false;
  for (gomp_for *loop : region.loops)
    {
      traits.push_back (amp_loop_traits_of (loop, region.offloaded));
      candidates |= !refusal (traits.back (), mode);
    }

  std::vector<finding> findings (region.loops.size ());
  if (candidates && minds_chains_p (mode))
    {
      amp_flow flow (DECL_STRUCT_FUNCTION (decl), region.body,
		     amp_unit::filter);
      std::vector<finding> all = findings_of (flow, region, decl);
      for (size_t i = 0; i < region.loops.size (); i++)
	for (size_t n = 0; n < flow.nodes.size (); n++)
	  if (flow.nodes[n].stmt == region.loops[i])
	    {
	      findings[i] = all[n];
	      if (traits[i].schedule == AMP_LOOP_STATIC)
		keep_promises (region, flow, n, findings[i]);
	    }
    }

  for (size_t i = 0; i < region.loops.size (); i++)
    {
      gomp_for *loop = region.loops[i];
      location_t where = region.combined;
      if (where == UNKNOWN_LOCATION)
	where = gimple_location (loop);
      /* A composite construct is reported as a whole, for its outermost
	 loop.  */
      route_loop (loop, decl, where, traits[i], findings[i], mode,
		  explain && !gimple_omp_for_combined_into_p (loop));
    }
  if (explain)
    for (gomp_for *loop : region.others)
      {
	reason r = { amp_loop_other_kind (loop), UNKNOWN_LOCATION };
	explain_refusal (gimple_location (loop), r);
      }
}

void
amp_route_function (tree decl, int options)
{
  int mode = options & AMP_ROUTE_MODES;
  bool explain = options & AMP_ROUTE_EXPLAIN;

  amp_guard_begin ();
  if ((mode == AMP_ROUTE_NONE && !explain) || seen_error ())
    return;
  /* This may gimplify functions, and find errors in them.  */
  if (minds_chains_p (mode))
    amp_unit::get ();
  if (seen_error ())
    return;
  for (const amp_region &region : amp_regions_of (decl))
    if (!region.loops.empty () || (explain && !region.others.empty ()))
      route_region (region, decl, mode, explain);
}
