/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads and writes the clauses of one OpenMP loop.  */

#include "amp-gcc.h"
#include "amp-loop.h"

/* The schedule category of LOOP's clauses CLAUSES.  */

static enum amp_loop_schedule
schedule_of (tree clauses)
{
  tree c = omp_find_clause (clauses, OMP_CLAUSE_SCHEDULE);
  if (!c)
    return AMP_LOOP_ABSENT;
  switch (OMP_CLAUSE_SCHEDULE_KIND (c) & OMP_CLAUSE_SCHEDULE_MASK)
    {
    case OMP_CLAUSE_SCHEDULE_STATIC:
      if (OMP_CLAUSE_SCHEDULE_CHUNK_EXPR (c)
	  || OMP_CLAUSE_SCHEDULE_SIMD (c)
	  || (OMP_CLAUSE_SCHEDULE_KIND (c) & OMP_CLAUSE_SCHEDULE_MONOTONIC))
	return AMP_LOOP_STATIC_LIKE;
      return AMP_LOOP_STATIC;
    case OMP_CLAUSE_SCHEDULE_AUTO:
      return AMP_LOOP_STATIC_LIKE;
    default:
      return AMP_LOOP_FREE;
    }
}

/* True if a bound of an inner loop of LOOP's nest depends on an outer one.  */

static bool
non_rectangular_p (gomp_for *loop)
{
  for (unsigned i = 1; i < gimple_omp_for_collapse (loop); i++)
    if (TREE_CODE (gimple_omp_for_initial (loop, i)) == TREE_VEC
	|| TREE_CODE (gimple_omp_for_final (loop, i)) == TREE_VEC)
      return true;
  return false;
}

/* True if an index of LOOP's nest is wider than the widest type in which the
   runtime counts.  GCC truncates the bounds of such a loop, and of its nest,
   under any schedule but static.  */

static bool
too_wide_p (gomp_for *loop)
{
  for (unsigned i = 0; i < gimple_omp_for_collapse (loop); i++)
    if (TYPE_PRECISION (TREE_TYPE (gimple_omp_for_index (loop, i)))
	> TYPE_PRECISION (long_long_unsigned_type_node))
      return true;
  return false;
}

/* Why GCC would compile LOOP wrongly under any schedule but static; NULL if it
   would not.  A collapsed nest counts up from 0 and is compiled correctly.

   The step of a loop that counts down in an unsigned type narrower than the
   runtime's becomes a large positive number, and no iteration runs.  With -m32
   that type may be long.  Addresses are sign-extended, so that a loop over the
   middle of the address space does not end where it should.  */

static const char *
miscompiled (gomp_for *loop)
{
  tree type = TREE_TYPE (gimple_omp_for_index (loop, 0));
  enum tree_code cond = gimple_omp_for_cond (loop, 0);

  if (gimple_omp_for_collapse (loop) > 1
      || (TYPE_PRECISION (type)
	  >= TYPE_PRECISION (long_long_unsigned_type_node)))
    return NULL;
  if (POINTER_TYPE_P (type))
    return "32-bit pointer, which GCC compiles wrongly under a schedule of "
	   "the run time";
  if (TYPE_UNSIGNED (type)
      && (cond == GT_EXPR
	  || cond == GE_EXPR
	  || (cond == NE_EXPR
	      && !integer_onep (omp_get_for_step_from_incr
				  (gimple_location (loop),
				   gimple_omp_for_incr (loop, 0))))))
    return "counts down in an unsigned type, which GCC compiles wrongly "
	   "under a schedule of the run time";
  return NULL;
}

amp_loop_traits
amp_loop_traits_of (gomp_for *loop, bool offloaded)
{
  tree clauses = gimple_omp_for_clauses (loop);
  amp_loop_traits traits;

  traits.schedule = schedule_of (clauses);
  traits.nowait = omp_find_clause (clauses, OMP_CLAUSE_NOWAIT) != NULL_TREE;
  traits.refusal = miscompiled (loop);

  /* Only the loop of a composite distribute parallel for is marked so.  It
     iterates over the part that distribute computed.  */
  if (gimple_omp_for_combined_into_p (loop))
    traits.refusal = "part of a distribute construct";
  else if (offloaded)
    traits.refusal = "offloaded code";
  else if (non_rectangular_p (loop))
    traits.refusal = "non-rectangular loop nest";
  else if (too_wide_p (loop))
    traits.refusal = "index wider than 64 bits";

  for (tree c = clauses; c; c = OMP_CLAUSE_CHAIN (c))
    switch (OMP_CLAUSE_CODE (c))
      {
      case OMP_CLAUSE_ORDERED:
	/* With OMP_SCHEDULE unset the runtime makes these dynamic,1, where
	   every iteration waits for another thread.  */
	traits.refusal = OMP_CLAUSE_ORDERED_EXPR (c) ? "doacross loop"
						     : "ordered clause";
	break;
      case OMP_CLAUSE_REDUCTION:
	if (OMP_CLAUSE_REDUCTION_INSCAN (c))
	  traits.refusal = "inscan reduction";
	break;
      case OMP_CLAUSE_LASTPRIVATE:
	/* Gimplification has already made temporaries for it, of the type that
	   the schedule requires.  */
	if (OMP_CLAUSE_LASTPRIVATE_CONDITIONAL (c))
	  traits.refusal = "lastprivate(conditional:) clause";
	break;
      case OMP_CLAUSE_BIND:
	traits.refusal = "loop construct";
	break;
      case OMP_CLAUSE_ORDER:
	if (!traits.refusal)
	  traits.refusal = "order(concurrent) clause";
	break;
      default:
	break;
      }
  return traits;
}

const char *
amp_loop_other_kind (gomp_for *loop)
{
  switch (gimple_omp_for_kind (loop))
    {
    case GF_OMP_FOR_KIND_SIMD:
      return "simd loop";
    case GF_OMP_FOR_KIND_DISTRIBUTE:
      return "distribute construct";
    case GF_OMP_FOR_KIND_TASKLOOP:
      return "taskloop construct";
    default:
      return "OpenACC loop";
    }
}

/* True if LOOP counts up by one, in an unsigned type narrower than long, and
   its index is set where its body begins: an outer loop of for simd only passes
   its range on.  */

static bool
counts_up_p (gomp_for *loop)
{
  tree type = TREE_TYPE (gimple_omp_for_index (loop, 0));
  enum tree_code cond = gimple_omp_for_cond (loop, 0);

  if (gimple_omp_for_collapse (loop) > 1
      || gimple_omp_for_combined_p (loop)
      || TREE_CODE (type) != INTEGER_TYPE
      || !TYPE_UNSIGNED (type)
      || TYPE_PRECISION (type) >= TYPE_PRECISION (long_integer_type_node)
      || (cond != LT_EXPR && cond != LE_EXPR && cond != NE_EXPR))
    return false;
  location_t where = gimple_location (loop);
  return integer_onep (omp_get_for_step_from_incr
			 (where, gimple_omp_for_incr (loop, 0)));
}

/* Let the optimizers know that LOOP's index is never the largest value of its
   type.  Static code tests its range before it enters the loop, which shows
   them that.  Ranges from the runtime are not tested, and the optimizers would
   not vectorize the loop in case the index wraps around.  (OpenMP requires
   that the number of iterations can be computed.  For i <= limit it cannot if
   limit is the largest value.)  */

static void
assume_no_wrap (gomp_for *loop)
{
  location_t where = gimple_location (loop);
  tree index = gimple_omp_for_index (loop, 0);
  tree wraps = create_artificial_label (where);
  tree goes_on = create_artificial_label (where);
  gimple_seq seq = NULL;

  gimple_seq_add_stmt (&seq, gimple_build_cond
			 (EQ_EXPR, index, TYPE_MAX_VALUE (TREE_TYPE (index)),
			  wraps, goes_on));
  gimple_seq_add_stmt (&seq, gimple_build_label (wraps));
  gimple_seq_add_stmt (&seq, gimple_build_call
			 (builtin_decl_implicit (BUILT_IN_UNREACHABLE), 0));
  gimple_seq_add_stmt (&seq, gimple_build_label (goes_on));
  gimple_seq_add_seq (&seq, gimple_omp_body (loop));
  gimple_omp_set_body (loop, seq);
}

/* True if VALUE is a constant that a long can hold.  */

static bool
known_long_p (tree value)
{
  return (TREE_CODE (value) == INTEGER_CST
	  && int_fits_type_p (value, long_integer_type_node));
}

/* Make GCC count LOOP in unsigned long long if a bound may exceed LONG_MAX.

   For an unsigned index GCC looks only at the bound that is the larger one if
   there are iterations.  If that is a constant that a long can hold, GCC counts
   in long.  The other bound may exceed LONG_MAX even so, in a loop of no
   iterations: GCC takes it for negative, and iterations run.  GCC counts in
   unsigned long long if it sees a variable instead of the constant.  */

static void
count_unsigned (gomp_for *loop)
{
  tree type = TREE_TYPE (gimple_omp_for_index (loop, 0));
  tree *first = gimple_omp_for_initial_ptr (loop, 0);
  tree *last = gimple_omp_for_final_ptr (loop, 0);
  tree *larger;

  if (gimple_omp_for_collapse (loop) > 1
      || TREE_CODE (type) != INTEGER_TYPE
      || !TYPE_UNSIGNED (type)
      || TYPE_PRECISION (type) < TYPE_PRECISION (long_integer_type_node)
      || (known_long_p (*first) && known_long_p (*last)))
    return;
  switch (gimple_omp_for_cond (loop, 0))
    {
    case LT_EXPR:
    case LE_EXPR:
      larger = last;
      break;
    case GT_EXPR:
    case GE_EXPR:
      larger = first;
      break;
    default:
      /* With != there are iterations, or the bounds are equal.  */
      return;
    }
  if (TREE_CODE (*larger) != INTEGER_CST)
    return;
  tree bound = create_tmp_var (type, "bound");
  gimple_seq_add_stmt (gimple_omp_for_pre_body_ptr (loop),
		       gimple_build_assign (bound, *larger));
  *larger = bound;
  /* So that lowering copies it into the function that a region becomes.  */
  tree c = build_omp_clause (gimple_location (loop), OMP_CLAUSE_PRIVATE);
  OMP_CLAUSE_DECL (c) = bound;
  OMP_CLAUSE_CHAIN (c) = gimple_omp_for_clauses (loop);
  gimple_omp_for_set_clauses (loop, c);
}

void
amp_loop_set_runtime (gomp_for *loop)
{
  tree clauses = gimple_omp_for_clauses (loop);
  tree c = omp_find_clause (clauses, OMP_CLAUSE_SCHEDULE);

  if (!c)
    {
      c = build_omp_clause (gimple_location (loop), OMP_CLAUSE_SCHEDULE);
      OMP_CLAUSE_CHAIN (c) = clauses;
      gimple_omp_for_set_clauses (loop, c);
    }
  OMP_CLAUSE_SCHEDULE_KIND (c)
    = (enum omp_clause_schedule_kind) (OMP_CLAUSE_SCHEDULE_RUNTIME
				       | OMP_CLAUSE_SCHEDULE_NONMONOTONIC);
  count_unsigned (loop);
  if (optimize && counts_up_p (loop))
    assume_no_wrap (loop);
}
