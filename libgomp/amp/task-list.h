/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The order of tasks in upstream's lists when GOMP_TASK_SCHEDULE=fifo; for
   priority_queue.h.

   A list of children or of a taskgroup's members has those that wait to be
   started first, in the order in which they became ready, and then those that
   were started.  Upstream's field last_parent_depends_on, which says where the
   tasks end that are to run before the others, is the last of those that wait:
   no task is preferred in this order.  The team's list has only tasks that
   wait.

   Lists are changed with the task lock, but whether a list is empty is asked
   without it; hence the atomic stores, relaxed since they leave it non-empty.  */

#ifndef GOMP_AMP_TASK_LIST_H
#define GOMP_AMP_TASK_LIST_H 1

#include "options.h"

/* Whether tasks start in the order in which they became ready.  */
static inline bool
gomp_amp_fifo_p (void)
{
  return __builtin_expect (gomp_amp_options.task_schedule
			   == GOMP_AMP_TASKS_FIFO, 0);
}

#pragma GCC visibility push(hidden)

static inline void
gomp_amp_list_link (struct priority_node *node, struct priority_node *before)
{
  node->next = before;
  node->prev = before->prev;
  node->prev->next = node;
  node->next->prev = node;
}

/* The task of NODE is ready: put it behind those of LIST, which is of TYPE,
   that are.  */
static inline void
gomp_amp_list_ready (enum priority_queue_type type, struct priority_list *list,
		     struct priority_node *node)
{
  if (list->tasks == NULL)
    {
      node->next = node;
      node->prev = node;
      __atomic_store_n (&list->tasks, node, MEMMODEL_RELAXED);
    }
  else if (type == PQ_TEAM)
    gomp_amp_list_link (node, list->tasks);
  else if (list->last_parent_depends_on != NULL)
    gomp_amp_list_link (node, list->last_parent_depends_on->next);
  else
    {
      gomp_amp_list_link (node, list->tasks);
      __atomic_store_n (&list->tasks, node, MEMMODEL_RELAXED);
    }
  if (type != PQ_TEAM)
    list->last_parent_depends_on = node;
}

/* Insert TASK at POS into LIST, which is of TYPE, if that means that it is ready;
   returns whether it does.  */
extern bool gomp_amp_list_insert (enum priority_queue_type type,
				  struct priority_list *list,
				  struct gomp_task *task,
				  enum priority_insert_type pos);

/* The same for a queue HEAD, where TASK has PRIORITY.  */
extern bool gomp_amp_queue_insert (enum priority_queue_type type,
				   struct priority_queue *head,
				   struct gomp_task *task, int priority,
				   enum priority_insert_type pos);

#pragma GCC visibility pop

/* The task of NODE, which is in LIST and was ready, is about to start.  */
static inline void
gomp_amp_list_start (struct priority_list *list, struct priority_node *node)
{
  if (list->last_parent_depends_on == node)
    list->last_parent_depends_on = node == list->tasks ? NULL : node->prev;
  if (list->tasks == node)
    __atomic_store_n (&list->tasks, node->next, MEMMODEL_RELAXED);
  else if (node->next != list->tasks)
    {
      node->prev->next = node->next;
      node->next->prev = node->prev;
      gomp_amp_list_link (node, list->tasks);
    }
}

#endif /* GOMP_AMP_TASK_LIST_H */
