/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Finds the oldest ready descendant of a task.  */

#include "libgomp.h"
#include "tasks/task-hooks.h"
#include "tasks/task-search.h"

struct search
{
  struct gomp_task *oldest;
  unsigned budget;
};

/* The one of A and B that is to start first.  Either may be NULL.  */

static struct gomp_task *
older_task (struct gomp_task *a, struct gomp_task *b)
{
  if (a == NULL || b == NULL)
    return a == NULL ? b : a;
  /* Each task of a team has its own number.  */
  GOMP_AMP_ASSERT (a == b || a->amp_ready != b->amp_ready);
  if (a->priority != b->priority)
    return a->priority > b->priority ? a : b;
  return a->amp_ready < b->amp_ready ? a : b;
}

/* The first ready task of QUEUE, which is of TYPE; NULL if there is none.  */

static inline struct gomp_task *
first_ready (enum priority_queue_type type, struct priority_queue *queue)
{
  struct gomp_task *task;
  bool ignored;

  if (priority_queue_empty_p (queue, MEMMODEL_RELAXED))
    return NULL;
  task = priority_queue_next_task (type, queue, PQ_IGNORED, NULL, &ignored);
  return task->kind == GOMP_TASK_WAITING ? task : NULL;
}

static void search_below (struct search *, struct priority_queue *);

/* Look for the oldest ready task below the started tasks of LIST, a list of
   children.  Started tasks are at its end.  */

static void
search_list (struct search *search, struct priority_list *list)
{
  struct priority_node *node = list->tasks;

  do
    {
      struct gomp_task *task, *ready;

      node = node->prev;
      task = priority_node_to_task (PQ_CHILDREN, node);
      if (task->kind == GOMP_TASK_WAITING || search->budget == 0)
	break;
      search->budget--;
      ready = first_ready (PQ_CHILDREN, &task->children_queue);
      search->oldest = older_task (search->oldest, ready);
      search_below (search, &task->children_queue);
    }
  while (node != list->tasks);
}

static void
search_priority (prio_splay_tree_key key, void *search)
{
  search_list (search, &key->l);
}

/* Look for it below the started tasks of CHILDREN, which may be empty or have
   priorities.  */

static void
search_below (struct search *search, struct priority_queue *children)
{
  if (priority_queue_empty_p (children, MEMMODEL_RELAXED))
    return;
  if (priority_queue_multi_p (children))
    prio_splay_tree_foreach (&children->t, search_priority, search);
  else
    search_list (search, &children->l);
}

/* Whether TASK is a descendant of ANCESTOR within *STEPS parents.
   Subtracts the steps taken from *STEPS.  */

static bool
is_below (const struct gomp_task *task, const struct gomp_task *ancestor,
	  unsigned *steps)
{
  for (; *steps != 0; --*steps)
    {
      /* The parent belongs to another team.  */
      if (task->kind == GOMP_TASK_IMPLICIT)
	return false;
      task = task->parent;
      if (task == NULL || task == ancestor)
	return task != NULL;
    }
  return false;
}

/* gomp_amp_oldest_task, searched from the other end: among the
   tasks of TEAM that became ready first.  This finds tasks whose parents run
   at once and so are in no list.  */

static struct gomp_task *
oldest_below (struct gomp_team *team, const struct gomp_task *task)
{
  struct priority_node *node;
  unsigned steps = GOMP_AMP_SEARCHED_TASKS;

  if (priority_queue_multi_p (&team->task_queue))
    return NULL;
  node = team->task_queue.l.tasks;
  do
    {
      struct gomp_task *ready = priority_node_to_task (PQ_TEAM, node);

      if (is_below (ready, task, &steps))
	return ready;
      node = node->next;
    }
  while (node != team->task_queue.l.tasks && steps != 0);
  return NULL;
}

/* Look for the oldest ready task of LIST, a list of children, that a wait for
   dependences waits for.  */

static void
search_awaited (struct search *search, struct priority_list *list)
{
  struct priority_node *node = list->tasks;

  do
    {
      struct gomp_task *task = priority_node_to_task (PQ_CHILDREN, node);

      if (task->kind != GOMP_TASK_WAITING)
	break;
      if (task->parent_depends_on)
	{
	  search->oldest = older_task (search->oldest, task);
	  break;
	}
      node = node->next;
    }
  while (node != list->tasks);
}

static void
search_awaited_priority (prio_splay_tree_key key, void *search)
{
  search_awaited (search, &key->l);
}

struct gomp_task *
gomp_amp_upstreams_task (struct gomp_task *task, struct gomp_taskgroup *group,
			 bool awaited)
{
  struct priority_queue *children = &task->children_queue;
  struct search search = { NULL, 0 };

  if (group != NULL
      && !priority_queue_empty_p (&group->taskgroup_queue, MEMMODEL_RELAXED))
    return first_ready (PQ_TASKGROUP, &group->taskgroup_queue);
  if (awaited && priority_queue_multi_p (children))
    prio_splay_tree_foreach (&children->t, search_awaited_priority, &search);
  else if (awaited
	   && !priority_queue_empty_p (children, MEMMODEL_RELAXED))
    search_awaited (&search, &children->l);
  return (search.oldest != NULL ? search.oldest
	  : first_ready (PQ_CHILDREN, children));
}

struct gomp_task *
gomp_amp_oldest_task (struct gomp_team *team, struct gomp_task *task,
		      struct gomp_taskgroup *group)
{
  struct search search = { NULL, GOMP_AMP_SEARCHED_TASKS };
  struct gomp_task *first = first_ready (PQ_TEAM, &team->task_queue), *member;

  GOMP_AMP_ASSERT (gomp_amp_tasks_locked_p (team));
  if (first == NULL)
    return NULL;
  search.oldest = first_ready (PQ_CHILDREN, &task->children_queue);
  if (group != NULL)
    {
      member = first_ready (PQ_TASKGROUP, &group->taskgroup_queue);
      search.oldest = older_task (search.oldest, member);
    }
  if (search.oldest != first)
    search_below (&search, &task->children_queue);
  if (search.oldest == NULL)
    search.oldest = oldest_below (team, task);
  return search.oldest;
}
