/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The flow of control through one OpenMP region in high GIMPLE: which
   worksharing loops and calls can follow another with no barrier between.  */

#ifndef AMP_FLOW_H
#define AMP_FLOW_H

/* Returns whether a call of function DECL may reach a worksharing loop that
   binds to the caller's team.  */
typedef bool (*amp_callee_filter) (tree decl);

/* True if function DECL, whose body may be unknown, belongs to a library that
   runs no loop of the program.  */
extern bool amp_library_call_p (tree decl);

enum amp_flow_kind
{
  AMP_FLOW_PLAIN,		/* A label, a jump, a join.  */
  AMP_FLOW_BARRIER,
  AMP_FLOW_LOOP,		/* A whole worksharing loop.  */
  AMP_FLOW_CALL,		/* A call that the filter accepts.  */
  AMP_FLOW_UNKNOWN_CALL		/* A call of code that is not visible here.  */
};

struct amp_flow_node
{
  enum amp_flow_kind kind;
  gimple *stmt;			/* NULL for AMP_FLOW_PLAIN.  */
  tree callee;			/* Of an AMP_FLOW_CALL.  */
  bool stops;			/* Every path past this node has a barrier.  */
  std::vector<int> succs;
};

/* The graph may have too many paths, never too few: it may hold paths that the
   program cannot take (through cleanups and exception handlers), but lacks
   none.  */
class amp_flow
{
public:
  /* The graph of BODY, a sequence of high GIMPLE (before lowering) of function
     FN.  Nested parallel, task, teams and target regions are left out: their
     loops belong to another team.  */
  amp_flow (function *fn, gimple_seq body, amp_callee_filter filter);

  /* A flag for each node: it can be reached from NODE's end (or from the start
     of the region, if NODE = entry) with no barrier on the way, or with any
     number of barriers if OVER_BARRIERS.  */
  std::vector<bool> reach (int node, bool over_barriers = false) const;

  std::vector<amp_flow_node> nodes;
  enum { entry, exit };

private:
  struct label { tree decl; int node; int defined; };
  struct jump { int from; int target; };

  int add_node (enum amp_flow_kind, gimple *);
  void add_edge (int from, int to);
  int step (enum amp_flow_kind, gimple *);
  label &find_label (tree decl);
  void jump_to (int target);
  void jump_to_label (tree decl);
  void throw_from_here ();

  void build (gimple_seq);
  void build_stmt (gimple *);
  void build_label (tree);
  void build_jump (gimple *);
  void build_call (gcall *);
  void build_omp (gimple *);
  void build_optional (gimple_seq);
  void build_try_catch (gtry *);
  void build_try_finally (gtry *);
  void connect_abnormal ();

  function *m_fn;
  amp_callee_filter m_filter;
  int m_here;				/* -1: nothing flows to here.  */
  int m_defined;			/* Labels found so far.  */
  std::vector<label> m_labels;
  hash_map<tree, int> m_label_index;
  std::vector<jump> m_jumps;
  std::vector<int> m_handlers;		/* Targets of exceptions; the innermost
					   is last.  */
  std::vector<int> m_calls;
  std::vector<int> m_computed;		/* Computed gotos.  */
  std::vector<int> m_receivers;		/* Targets of computed gotos and
					   longjmp.  */
};

#endif
