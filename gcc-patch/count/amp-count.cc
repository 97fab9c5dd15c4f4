/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes code count the work that it does, for exact virtual time.

   Each thread has a counter, amp_work.  Each basic block adds GCC's estimate of
   the time that its statements take.  A call that may run other code is charged
   with what precedes it, so that a thread that meets others in it has counted
   all that it did before.  Atomics, and functions that are not compiled by this
   pass, have their costs in work.def.

   The pass comes after the last optimization of GIMPLE, so that what is counted
   is the code as it would be without it.  */

#define INCLUDE_MAP
#define INCLUDE_STRING
#include "amp-gcc.h"
#include "basic-block.h"
#include "builtins.h"
#include "internal-fn.h"
#include "memmodel.h"
#include "tree-cfg.h"
#include "ssa.h"
#include "tree-inline.h"
#include "varasm.h"
#include "ggc.h"
#include "amp-count.h"

/* The costs of functions by their names, in units: BASE, and one for each
   2^SHIFT bytes if argument LENGTH, counted from 0, is a number of bytes.  */
static const struct callee { const char *name; int base, length, shift; }
  callees[]
  = {
#define AMP_WORK(name, base) { name, base, -1, 0 },
#define AMP_WORK_BY_LENGTH(name, base, length, shift) \
  { name, base, length, shift },
#define AMP_ATOMIC(kind, units)
#include "work.def"
#undef AMP_WORK
#undef AMP_WORK_BY_LENGTH
#undef AMP_ATOMIC
    };

/* The costs of atomics.  */
enum atomic_cost
{
#define AMP_WORK(name, base)
#define AMP_WORK_BY_LENGTH(name, base, length, shift)
#define AMP_ATOMIC(kind, units) ATOMIC_##kind = units,
#include "work.def"
};

static amp_count_mode mode;

/* The calls that are charged as calls alone, by what they call: where the first
   one is, and how many there are.  */
struct alone { location_t where; unsigned calls; };
static std::map<std::string, alone> alones;

/* The declarations of amp_work and amp_work_meet; NULL until they are
   needed.  */
static tree counter, meet;
static const ggc_root_tab roots[]
  = { { &counter, 1, sizeof (tree), gt_ggc_mx_tree_node, gt_pch_nx_tree_node },
      { &meet, 1, sizeof (tree), gt_ggc_mx_tree_node, gt_pch_nx_tree_node },
      LAST_GGC_ROOT_TAB };

/* The type of the counter, with 64 bits in every language and ABI.  */

static tree
counter_type ()
{
  return build_nonstandard_integer_type (64, 1);
}

/* Mark DECL as defined elsewhere: in count/amp-work.c.  */

static void
import (tree decl)
{
  TREE_PUBLIC (decl) = 1;
  DECL_EXTERNAL (decl) = 1;
  DECL_ARTIFICIAL (decl) = 1;
  DECL_VISIBILITY (decl) = VISIBILITY_DEFAULT;
  DECL_VISIBILITY_SPECIFIED (decl) = 1;
}

/* The counter.  It is volatile: RTL passes would keep it in a register over a
   call of a function that is declared const.  */

static tree
get_counter ()
{
  if (counter)
    return counter;
  tree type = build_qualified_type (counter_type (), TYPE_QUAL_VOLATILE);
  counter = build_decl (UNKNOWN_LOCATION, VAR_DECL,
			get_identifier ("amp_work"), type);
  import (counter);
  SET_DECL_ASSEMBLER_NAME (counter, DECL_NAME (counter));
  TREE_THIS_VOLATILE (counter) = 1;
  TREE_ADDRESSABLE (counter) = 1;
  set_decl_tls_model (counter, TLS_MODEL_INITIAL_EXEC);
  varpool_node::get_create (counter);
  return counter;
}

/* void amp_work_meet (int).  */

static tree
get_meet ()
{
  if (meet)
    return meet;
  meet = build_decl (UNKNOWN_LOCATION, FUNCTION_DECL,
		     get_identifier ("amp_work_meet"),
		     build_function_type_list (void_type_node,
					       integer_type_node, NULL_TREE));
  import (meet);
  SET_DECL_ASSEMBLER_NAME (meet, DECL_NAME (meet));
  TREE_NOTHROW (meet) = 1;
  cgraph_node::get_create (meet);
  return meet;
}

/* Insert STMT before or after what GSI is at.  */

static void
insert (gimple_stmt_iterator *gsi, gimple *stmt, bool after)
{
  if (after)
    gsi_insert_after (gsi, stmt, GSI_NEW_STMT);
  else
    gsi_insert_before (gsi, stmt, GSI_SAME_STMT);
}

/* Insert code that adds VALUE, of the counter's type, to the counter.  */

static void
insert_add (gimple_stmt_iterator *gsi, tree value, bool after)
{
  tree before = make_ssa_name (counter_type ());
  tree sum = make_ssa_name (counter_type ());
  insert (gsi, gimple_build_assign (before, get_counter ()), after);
  insert (gsi, gimple_build_assign (sum, PLUS_EXPR, before, value), after);
  insert (gsi, gimple_build_assign (get_counter (), sum), after);
}

/* The name in object files of what CALL calls; NULL if the unit has it, or if
   CALL is by a pointer.  */

static const char *
external_name (const gcall *call)
{
  tree decl = gimple_call_fndecl (call);
  if (!decl || !DECL_NAME (decl) || !TREE_PUBLIC (decl)
      || !DECL_EXTERNAL (decl))
    return NULL;
  const char *name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (decl));
  return name[0] == '*' ? name + 1 : name;
}

/* The row of function NAME; NULL if there is none.  */

static const callee *
find_callee (const char *name)
{
  if (startswith (name, "__builtin_"))
    name += strlen ("__builtin_");
  for (const callee &c : callees)
    if (strcmp (c.name, name) == 0)
      return &c;
  return NULL;
}

/* Whether argument N of CALL asks for sequential consistency, or may.  */

static bool
seq_cst_p (const gcall *call, unsigned n)
{
  tree order = gimple_call_arg (call, n);
  return (!tree_fits_uhwi_p (order)
	  || memmodel_base (tree_to_uhwi (order)) == MEMMODEL_SEQ_CST);
}

/* What CALL costs if it is an atomic; -1 if it is none.  */

static int
cost_of_atomic (const gcall *call)
{
  tree decl = gimple_call_fndecl (call);
  if (gimple_call_internal_p (call))
    return startswith (internal_fn_name (gimple_call_internal_fn (call)),
		       "ATOMIC_") ? ATOMIC_CHANGE : -1;
  if (!decl || !fndecl_built_in_p (decl, BUILT_IN_NORMAL))
    return -1;
  const char *name = built_in_names[(int) DECL_FUNCTION_CODE (decl)];
  if (startswith (name, "BUILT_IN_ATOMIC_LOAD"))
    return ATOMIC_LOAD;
  /* The last argument is the order.  */
  if (startswith (name, "BUILT_IN_ATOMIC_STORE"))
    return (seq_cst_p (call, gimple_call_num_args (call) - 1)
	    ? ATOMIC_CHANGE : ATOMIC_STORE);
  if (startswith (name, "BUILT_IN_ATOMIC_CLEAR"))
    return seq_cst_p (call, 1) ? ATOMIC_CHANGE : ATOMIC_STORE;
  if (startswith (name, "BUILT_IN_SYNC_LOCK_RELEASE"))
    return ATOMIC_STORE;
  if (startswith (name, "BUILT_IN_ATOMIC_THREAD_FENCE"))
    return seq_cst_p (call, 0) ? ATOMIC_FENCE : 0;
  if (startswith (name, "BUILT_IN_SYNC_SYNCHRONIZE"))
    return ATOMIC_FENCE;
  if (startswith (name, "BUILT_IN_ATOMIC_SIGNAL_FENCE")
      || strstr (name, "_LOCK_FREE"))
    return 0;
  return (startswith (name, "BUILT_IN_ATOMIC_")
	  || startswith (name, "BUILT_IN_SYNC_") ? ATOMIC_CHANGE : -1);
}

/* Whether STMT may run code that counts, or that looks at the counter.  */

static bool
runs_other_code_p (gimple *stmt)
{
  const gcall *call = dyn_cast <const gcall *> (stmt);
  if (!call || gimple_call_internal_p (call))
    return false;
  tree decl = gimple_call_fndecl (call);
  return !decl || (!is_simple_builtin (decl) && !is_inexpensive_builtin (decl));
}

/* Keep for report_alones that CALL, of the external function NAME, is charged
   as a call alone.  The lab's libgomp counts, and so do other partitions of a
   unit.  */

static void
note_alone (const gcall *call, const char *name)
{
  for (const char *known : { "GOMP_", "omp_", "ompx_amp_", "__amp_" })
    if (startswith (name, known))
      return;
  cgraph_node *node = cgraph_node::get (gimple_call_fndecl (call));
  if (node && node->in_other_partition)
    return;
  location_t where = LOCATION_LOCUS (gimple_location (call));
  if (where == UNKNOWN_LOCATION)
    where = DECL_SOURCE_LOCATION (current_function_decl);
  alones.insert ({ name, { where, 0 } }).first->second.calls++;
}

/* Report what is charged as a call alone in the unit.  */

static void
report_alones (void *, void *)
{
  for (const auto &a : alones)
    inform_n (a.second.where, a.second.calls,
	      "%u call of %qs charged as a call alone: not in work.def, and "
	      "not defined in this unit",
	      "%u calls of %qs charged as calls alone: not in work.def, and "
	      "not defined in this unit",
	      a.second.calls, a.first.c_str ());
}

/* The cost of STMT, which GSI is at.  What a call costs by its length is added
   by code inserted before it.  */

static int
cost_of (gimple_stmt_iterator *gsi, gimple *stmt)
{
  const gcall *call = dyn_cast <const gcall *> (stmt);
  int atomic = call ? cost_of_atomic (call) : -1;
  if (atomic >= 0)
    return atomic;
  const char *name = call ? external_name (call) : NULL;
  const callee *c = name ? find_callee (name) : NULL;
  if (!c)
    {
      if (name && runs_other_code_p (stmt))
	note_alone (call, name);
      return estimate_num_insns (stmt, &eni_time_weights);
    }
  if (c->length < 0 || (unsigned) c->length >= gimple_call_num_args (call))
    return c->base;
  tree length = gimple_call_arg (call, c->length);
  if (tree_fits_uhwi_p (length))
    return c->base + (tree_to_uhwi (length) >> c->shift);
  tree wide = make_ssa_name (counter_type ());
  tree units = make_ssa_name (counter_type ());
  insert (gsi, gimple_build_assign (wide, NOP_EXPR, length), false);
  insert (gsi, gimple_build_assign (units, RSHIFT_EXPR, wide,
				    build_int_cst (integer_type_node,
						   c->shift)), false);
  insert_add (gsi, units, false);
  return c->base;
}

/* How a statement takes part in the communication of threads.  */
enum contact
{
  APART, CHANGES, LOOKS
};

/* What the built-in function CODE is in that respect.  */

static contact
contact_of_builtin (enum built_in_function code)
{
  static const struct { const char *start; contact kind; } kinds[]
    = { { "BUILT_IN_ATOMIC_LOAD", LOOKS },
	{ "BUILT_IN_ATOMIC_TEST_AND_SET", LOOKS },
	{ "BUILT_IN_ATOMIC_COMPARE_EXCHANGE", LOOKS },
	{ "BUILT_IN_ATOMIC_THREAD_FENCE", LOOKS },
	{ "BUILT_IN_SYNC_SYNCHRONIZE", LOOKS },
	{ "BUILT_IN_SYNC_BOOL_COMPARE", LOOKS },
	{ "BUILT_IN_SYNC_VAL_COMPARE", LOOKS },
	{ "BUILT_IN_SYNC_LOCK_TEST", LOOKS },
	{ "BUILT_IN_ATOMIC_SIGNAL_FENCE", APART },
	{ "BUILT_IN_ATOMIC_ALWAYS_LOCK_FREE", APART },
	{ "BUILT_IN_ATOMIC_IS_LOCK_FREE", APART },
	{ "BUILT_IN_ATOMIC_", CHANGES },
	{ "BUILT_IN_SYNC_", CHANGES } };
  for (const auto &k : kinds)
    if (startswith (built_in_names[(int) code], k.start))
      return k.kind;
  return APART;
}

/* Whether REF is memory of the thread's own, which no other thread sees.  */

static bool
own_memory_p (tree ref)
{
  tree base = get_base_address (ref);
  return base && VAR_P (base)
	 && (DECL_THREAD_LOCAL_P (base)
	     || (!is_global_var (base) && !TREE_ADDRESSABLE (base)));
}

static contact
contact_of (gimple *stmt)
{
  if (const gcall *call = dyn_cast <const gcall *> (stmt))
    {
      tree decl = gimple_call_fndecl (call);
      if (gimple_call_internal_p (call))
	return startswith (internal_fn_name (gimple_call_internal_fn (call)),
			   "ATOMIC_") ? CHANGES : APART;
      if (decl && fndecl_built_in_p (decl, BUILT_IN_NORMAL))
	return contact_of_builtin (DECL_FUNCTION_CODE (decl));
      return APART;
    }
  if (const gasm *code = dyn_cast <const gasm *> (stmt))
    /* Without an instruction it is a barrier for the compiler only.  */
    return (gimple_asm_volatile_p (code) && gimple_asm_clobbers_memory_p (code)
	    && gimple_asm_string (code)[0] != '\0') ? LOOKS : APART;
  if (!is_gimple_assign (stmt) || !gimple_has_volatile_ops (stmt)
      || gimple_clobber_p (stmt))
    return APART;
  if (gimple_store_p (stmt))
    return own_memory_p (gimple_assign_lhs (stmt)) ? APART : CHANGES;
  if (gimple_assign_load_p (stmt))
    return own_memory_p (gimple_assign_rhs1 (stmt)) ? APART : LOOKS;
  return APART;
}

static void
count_block (basic_block bb)
{
  HOST_WIDE_INT pending = 0;
  bool at_call = false;
  gimple_stmt_iterator gsi, last = gsi_none ();

  for (gsi = gsi_start_nondebug_after_labels_bb (bb); !gsi_end_p (gsi);
       gsi_next_nondebug (&gsi))
    {
      gimple *stmt = gsi_stmt (gsi);
      last = gsi;
      at_call = false;
      /* What follows a call that may be a tail call has to be its return.  */
      if (gimple_code (stmt) == GIMPLE_RETURN)
	continue;
      pending += cost_of (&gsi, stmt);
      contact kind = mode == AMP_COUNT_ALL ? contact_of (stmt) : APART;
      if (kind == APART && !runs_other_code_p (stmt))
	continue;
      /* It has to be the first one of its block.  */
      at_call = is_gimple_call (stmt)
		&& (gimple_call_flags (stmt) & ECF_RETURNS_TWICE) != 0;
      if (at_call)
	continue;
      if (pending)
	insert_add (&gsi, build_int_cst (counter_type (), pending), false);
      pending = 0;
      at_call = true;
      if (kind != APART)
	insert (&gsi, gimple_build_call (get_meet (), 1,
					 build_int_cst (integer_type_node,
							kind == LOOKS)),
		false);
    }
  if (!pending || gsi_end_p (last) || at_call)
    return;
  insert_add (&last, build_int_cst (counter_type (), pending),
	      !stmt_ends_bb_p (gsi_stmt (last)));
}

static const pass_data amp_count_pass_data =
{
  GIMPLE_PASS, "ampcount", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0,
  0, TODO_update_ssa
};

class amp_count_pass : public gimple_opt_pass
{
public:
  amp_count_pass (gcc::context *ctxt)
    : gimple_opt_pass (amp_count_pass_data, ctxt) {}

  bool gate (function *fn) final override
  {
    tree attributes = DECL_ATTRIBUTES (fn->decl);
    return !lookup_attribute ("no_instrument_function", attributes)
	   && !lookup_attribute ("naked", attributes);
  }

  unsigned int execute (function *fn) final override
  {
    basic_block bb;
    FOR_EACH_BB_FN (bb, fn)
      count_block (bb);
    return 0;
  }
};

void
amp_count_register (const char *plugin, amp_count_mode what, bool explain)
{
  mode = what;
  if (explain)
    register_callback (plugin, PLUGIN_FINISH_UNIT, report_alones, NULL);
  register_callback (plugin, PLUGIN_REGISTER_GGC_ROOTS, NULL,
		     const_cast<ggc_root_tab *> (roots));
  register_pass_info pass;
  pass.pass = new amp_count_pass (g);
  pass.reference_pass_name = "optimized";
  pass.ref_pass_instance_number = 1;
  pass.pos_op = PASS_POS_INSERT_AFTER;
  register_callback (plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
}
