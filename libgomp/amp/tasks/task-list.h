/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The order of tasks in upstream's lists if GOMP_TASK_SCHEDULE=fifo; for
   priority_queue.h.

   A list of children or of a taskgroup's members begins with the tasks that
   wait to be started, in the order in which they became ready.  The started
   tasks follow.  Upstream's field last_parent_depends_on, which ends the tasks
   that are preferred, points to the last waiting task here: this order prefers
   no task.  A team's list has only waiting tasks.

   Lists are changed under the task lock, but whether a list is empty is read
   without it.  So stores are atomic; they are relaxed, since they leave the
   list non-empty.  */

#ifndef GOMP_AMP_TASK_LIST_H
#define GOMP_AMP_TASK_LIST_H 1

#include "options/options.h"

/* Whether tasks start in the order in which they became ready.  */
static inline bool
gomp_amp_fifo_p (void)
{
  return __builtin_expect (gomp_amp_options.task_schedule
			   == GOMP_AMP_TASKS_FIFO, 0);
}

#pragma GCC visibility push(hidden)

/* The task of NODE is ready: insert it behind the ready tasks of LIST.  LIST
   is a team's in the first function, and one of children or of a taskgroup's
   members in the second.  */
extern void gomp_amp_team_list_ready (struct priority_list *list,
				      struct priority_node *node);
extern void gomp_amp_list_ready (struct priority_list *list,
				 struct priority_node *node);

#pragma GCC visibility pop

/* If POS means that the task of NODE is ready, and the fork orders tasks,
   insert NODE into LIST, which is of TYPE, and return true.  TYPE and POS are
   constant where this is inlined.  */
static inline bool
gomp_amp_list_insert (enum priority_queue_type type,
		      struct priority_list *list, struct priority_node *node,
		      enum priority_insert_type pos)
{
  /* Started tasks go to the end of a list.  */
  if (!gomp_amp_fifo_p () || (type != PQ_TEAM && pos != PRIORITY_INSERT_BEGIN))
    return false;
  if (type == PQ_TEAM)
    gomp_amp_team_list_ready (list, node);
  else
    gomp_amp_list_ready (list, node);
  return true;
}

/* TASK is ready: it has been inserted into QUEUE, its team's, after its
   parent's and its taskgroup's.  With the task lock.  task-fifo.h has it.  */
static inline void gomp_amp_task_ready (struct priority_queue *queue,
					struct gomp_task *task);

static inline void
gomp_amp_list_link (struct priority_node *node, struct priority_node *before)
{
  node->next = before;
  node->prev = before->prev;
  node->prev->next = node;
  node->next->prev = node;
}

/* The ready task of NODE, which is in LIST, is about to start.  */
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

/* For priority_tree_insert.  Priorities are rare.  If it were inlined,
   priority_queue_insert would become too large to be inlined where tasks are
   created.  */
#define GOMP_AMP_RARE __attribute__ ((cold, noinline, unused))

#endif /* GOMP_AMP_TASK_LIST_H */
