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
   without it; hence the atomic stores, relaxed since they leave it
   non-empty.  */

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

/* The task of NODE is ready: put it behind those of LIST that are.  LIST is a
   team's, or else one of children or of a taskgroup's members.  */
extern void gomp_amp_team_list_ready (struct priority_list *list,
				      struct priority_node *node);
extern void gomp_amp_list_ready (struct priority_list *list,
				 struct priority_node *node);

#pragma GCC visibility pop

static inline struct priority_node *task_to_priority_node
				      (enum priority_queue_type,
				       struct gomp_task *);

/* Insert TASK at POS into LIST, which is of TYPE, if that means that it is
   ready; returns whether it does.  TYPE and POS are constant where this is
   inlined.  */
static inline bool
gomp_amp_list_insert (enum priority_queue_type type,
		      struct priority_list *list, struct gomp_task *task,
		      enum priority_insert_type pos)
{
  if (type == PQ_TEAM)
    gomp_amp_team_list_ready (list, task_to_priority_node (type, task));
  /* A list's end is for those that were started.  */
  else if (pos == PRIORITY_INSERT_BEGIN)
    gomp_amp_list_ready (list, task_to_priority_node (type, task));
  else
    return false;
  return true;
}

static inline void
gomp_amp_list_link (struct priority_node *node, struct priority_node *before)
{
  node->next = before;
  node->prev = before->prev;
  node->prev->next = node;
  node->next->prev = node;
}

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

/* For priority_tree_insert.  Priorities are rare, and inlined it makes
   priority_queue_insert too large to be inlined itself where tasks are
   created.  */
#define GOMP_AMP_RARE __attribute__ ((cold, noinline, unused))

#endif /* GOMP_AMP_TASK_LIST_H */
