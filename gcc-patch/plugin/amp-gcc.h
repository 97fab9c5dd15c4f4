/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compiler's internal headers, as the routing sources need them when they
   are built as a plugin; a patched GCC provides its own file of this name.  */

#ifndef AMP_GCC_H
#define AMP_GCC_H

#define INCLUDE_VECTOR
#include "gcc-plugin.h"
#include "plugin-version.h"

#include "tree.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "gimplify.h"
#include "cgraph.h"
#include "stringpool.h"
#include "attribs.h"
#include "diagnostic.h"
#include "fold-const.h"
#include "context.h"
#include "omp-general.h"
#include "tree-eh.h"
#include "tree-nested.h"
#include "tree-pass.h"

#endif
