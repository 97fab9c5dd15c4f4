/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The GCC plugin: reads its arguments and inserts the routing of OpenMP loops
   before OpenMP lowering, and the counting of work after all optimizations.

   Arguments: -fplugin-arg-amproute-route=none|default|static|all (default:
   default), -fplugin-arg-amproute-explain and
   -fplugin-arg-amproute-count=nothing|work|all (default: nothing).  */

#include "amp-gcc.h"
#include "amp-count.h"
#include "amp-route.h"

int plugin_is_GPL_compatible;

static int options = AMP_ROUTE_DEFAULT;
static amp_count_mode count = AMP_COUNT_NOTHING;

static const pass_data amp_route_pass_data =
{
  GIMPLE_PASS, "amproute", OPTGROUP_OMP, TV_NONE, PROP_gimple_any, 0, 0, 0, 0
};

class amp_route_pass : public gimple_opt_pass
{
public:
  amp_route_pass (gcc::context *ctxt)
    : gimple_opt_pass (amp_route_pass_data, ctxt) {}

  bool gate (function *) final override { return flag_openmp; }

  unsigned int execute (function *fn) final override
  {
    amp_route_function (fn->decl, options);
    return 0;
  }
};

/* What an argument may be set to.  */
struct choice { const char *name; int value; };

/* Store the value of NAME, one of CHOICES, in VALUE.  Returns false if it is
   none of them.  */

template<size_t n>
static bool
choose (const choice (&choices)[n], const char *name, int &value)
{
  for (const choice &c : choices)
    if (name && strcmp (name, c.name) == 0)
      {
	value = c.value;
	return true;
      }
  return false;
}

static const choice routes[] = { { "none", AMP_ROUTE_NONE },
				 { "default", AMP_ROUTE_DEFAULT },
				 { "static", AMP_ROUTE_STATIC },
				 { "all", AMP_ROUTE_ALL } };
static const choice counts[] = { { "nothing", AMP_COUNT_NOTHING },
				 { "work", AMP_COUNT_WORK },
				 { "all", AMP_COUNT_ALL } };

/* Read the arguments of INFO.  If one is wrong, reports an error and returns
   false.  */

static bool
read_arguments (const plugin_name_args *info)
{
  for (int i = 0; i < info->argc; i++)
    {
      const plugin_argument &a = info->argv[i];
      int value;
      if (strcmp (a.key, "route") == 0)
	{
	  if (!choose (routes, a.value, value))
	    {
	      error ("%s: route %qs is not one of none, default, static, all",
		     info->base_name, a.value ? a.value : "");
	      return false;
	    }
	  options = (options & ~AMP_ROUTE_MODES) | value;
	}
      else if (strcmp (a.key, "count") == 0)
	{
	  if (!choose (counts, a.value, value))
	    {
	      error ("%s: count %qs is not one of nothing, work, all",
		     info->base_name, a.value ? a.value : "");
	      return false;
	    }
	  count = (amp_count_mode) value;
	}
      else if (strcmp (a.key, "explain") == 0 && !a.value)
	options |= AMP_ROUTE_EXPLAIN;
      else
	{
	  error ("%s: unknown argument %qs; there are route=none|default|"
		 "static|all, explain and count=nothing|work|all",
		 info->base_name, a.key);
	  return false;
	}
    }
  return true;
}

int
plugin_init (plugin_name_args *info, plugin_gcc_version *version)
{
  if (!plugin_default_version_check (version, &gcc_version))
    {
      if (strcmp (gcc_version.basever, version->basever) == 0)
	error ("%s: built for another build of GCC %s than this one; no code "
	       "is compiled", info->base_name, version->basever);
      else
	error ("%s: built for GCC %s, loaded into GCC %s; no code is compiled",
	       info->base_name, gcc_version.basever, version->basever);
      return 0;
    }
  if (!read_arguments (info))
    return 0;

  register_pass_info pass;
  pass.pass = new amp_route_pass (g);
  pass.reference_pass_name = "omplower";
  pass.ref_pass_instance_number = 1;
  pass.pos_op = PASS_POS_INSERT_BEFORE;
  register_callback (info->base_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
  if (count != AMP_COUNT_NOTHING)
    amp_count_register (info->base_name, count, options & AMP_ROUTE_EXPLAIN);
  return 0;
}
