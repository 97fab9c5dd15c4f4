/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The effect of a translation unit's functions on nowait chains that cross
   calls.  All functions are examined before the first is lowered.  */

#ifndef AMP_UNIT_H
#define AMP_UNIT_H

struct amp_function;

class amp_unit
{
public:
  /* The translation unit's summary, computed by the first call.  That call
     must come while no other function than the current one is lowered.  */
  static const amp_unit &get ();

  /* True if a call of DECL may run an orphaned worksharing loop of this
     unit.  */
  bool matters (tree decl) const;

  /* True if a call of DECL may run an orphaned worksharing loop, here or in
     code that is not visible.  DECL is NULL for a call through a pointer.  */
  bool may_run_loop (tree decl) const;

  /* True if DECL's entry reaches a worksharing loop with no barrier.  */
  bool reaches_loop (tree decl) const;

  /* True if a nowait loop that maps statically reaches DECL's end with no
     barrier.  */
  bool ends_open (tree decl) const;

  /* True if the loops that DECL's entry reaches must stay static.  */
  bool pinned (tree decl) const;

  /* The place of a nowait loop that reaches its function's end, which causes
     all pinning that no visible caller causes; UNKNOWN_LOCATION if there is
     none.  */
  location_t open_loop () const { return m_open_loop; }

  /* True if, in a graph made with filter (), NODE is the start of a nowait
     chain or a possible later member of one.  */
  bool chain_start_p (const amp_flow_node &node) const;
  bool chain_member_p (const amp_flow_node &node) const;

  /* The filter to make flow graphs with.  */
  static bool filter (tree decl);

private:
  amp_unit () : m_open_loop (UNKNOWN_LOCATION) {}
  void build ();
  void find_functions ();
  void find_relevant ();
  void make_flows ();
  void summarize ();
  void pin ();
  bool pin_callees (const amp_flow &flow, const std::vector<bool> &reached);
  amp_function *lookup (tree decl) const;

  std::vector<amp_function *> m_functions;
  /* By DECL_UID: this outlives the declarations.  */
  hash_map<int_hash<unsigned, -1U, -2U>, amp_function *> m_by_uid;
  location_t m_open_loop;
};

#endif
