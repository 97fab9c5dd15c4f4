/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compiler's internal headers, for the routing sources in the plugin and
   in GCC itself.  */

#ifndef AMP_GCC_H
#define AMP_GCC_H

#define INCLUDE_VECTOR
/* GCC's own build defines this on the command line.  */
#ifdef IN_GCC
#include "config.h"
#include "system.h"
#include "coretypes.h"
#include "backend.h"
#else
#include "gcc-plugin.h"
#include "plugin-version.h"
#endif

#include "tree.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "gimple-walk.h"
#include "gimplify.h"
#include "cgraph.h"
#include "stringpool.h"
#include "attribs.h"
#include "calls.h"
#include "diagnostic.h"
#include "fold-const.h"
#include "context.h"
#include "omp-general.h"
#include "tree-eh.h"
#include "tree-nested.h"
#include "tree-pass.h"

#endif
