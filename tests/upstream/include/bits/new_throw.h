/* SPDX-License-Identifier: GPL-3.0-or-later  */
/* What omp.h of GCC 16 includes of its libstdc++, for a compiler whose own
   libstdc++ declares these functions elsewhere.  */
#include <bits/functexcept.h>
