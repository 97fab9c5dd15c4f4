/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Inserts ready tasks into upstream's lists if GOMP_TASK_SCHEDULE=fifo.  */

#include "libgomp.h"

static inline void
make_first (struct priority_list *list, struct priority_node *node)
{
  node->next = node;
  node->prev = node;
  __atomic_store_n (&list->tasks, node, MEMMODEL_RELAXED);
}

void
gomp_amp_team_list_ready (struct priority_list *list,
			  struct priority_node *node)
{
  if (list->tasks == NULL)
    make_first (list, node);
  else
    gomp_amp_list_link (node, list->tasks);
}

void
gomp_amp_list_ready (struct priority_list *list, struct priority_node *node)
{
  if (list->tasks == NULL)
    make_first (list, node);
  else if (list->last_parent_depends_on != NULL)
    gomp_amp_list_link (node, list->last_parent_depends_on->next);
  else
    {
      gomp_amp_list_link (node, list->tasks);
      __atomic_store_n (&list->tasks, node, MEMMODEL_RELAXED);
    }
  list->last_parent_depends_on = node;
}
