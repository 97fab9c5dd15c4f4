/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The GCC plugin: reads its arguments and inserts the routing of OpenMP loops
   before OpenMP lowering.

   Arguments: -fplugin-arg-amproute-route=none|default|static|all (default:
   default) and -fplugin-arg-amproute-explain.  */

#include "amp-gcc.h"
#include "amp-route.h"

int plugin_is_GPL_compatible;

static int options = AMP_ROUTE_DEFAULT;

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

/* Set the options to the mode NAME.  Returns false if there is no such
   mode.  */

static bool
read_mode (const char *name)
{
  static const struct { const char *name; int mode; } modes[]
    = { { "none", AMP_ROUTE_NONE },
	{ "default", AMP_ROUTE_DEFAULT },
	{ "static", AMP_ROUTE_STATIC },
	{ "all", AMP_ROUTE_ALL } };
  for (const auto &m : modes)
    if (name && strcmp (name, m.name) == 0)
      {
	options = (options & ~AMP_ROUTE_MODES) | m.mode;
	return true;
      }
  return false;
}

/* Read the arguments of INFO.  If one is wrong, reports an error and returns
   false.  */

static bool
read_arguments (const plugin_name_args *info)
{
  for (int i = 0; i < info->argc; i++)
    {
      const plugin_argument &a = info->argv[i];
      if (strcmp (a.key, "route") == 0)
	{
	  if (!read_mode (a.value))
	    {
	      error ("%s: route %qs is not one of none, default, static, all",
		     info->base_name, a.value ? a.value : "");
	      return false;
	    }
	}
      else if (strcmp (a.key, "explain") == 0 && !a.value)
	options |= AMP_ROUTE_EXPLAIN;
      else
	{
	  error ("%s: unknown argument %qs; there are route=none|default|"
		 "static|all and explain", info->base_name, a.key);
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
  return 0;
}
