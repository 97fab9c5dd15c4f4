/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pass that makes code count the work that it does.  */

#ifndef AMP_COUNT_H
#define AMP_COUNT_H

enum amp_count_mode
{
  AMP_COUNT_NOTHING,
  AMP_COUNT_WORK,		/* Only count: for the lab's own library.  */
  AMP_COUNT_ALL			/* Also meet other threads at accesses to
				   memory that threads communicate by.  */
};

/* Insert the pass after all optimizations of GIMPLE.  PLUGIN is the plugin's
   name.  EXPLAIN: report what is charged as a call alone.  */
extern void amp_count_register (const char *plugin, amp_count_mode what,
				bool explain);

#endif
