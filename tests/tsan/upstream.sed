# SPDX-License-Identifier: GPL-3.0-or-later
# Makes upstream's own races atomic, in the copy of its sources that ThreadSanitizer's library is made of.
#
# Barriers and teams are watched as they are shipped: the queue's upstream-* patches made them atomic. What is left
# is no wrong behaviour on any machine that GCC compiles for, unless a rule says otherwise, and upstream has it up
# to GCC 16. A suppression would silence every race of a function, ours on the same words among them. Each rule
# rather takes one statement and writes down the memory order that x86 gives it anyway: plain loads are acquire
# there, plain stores release. Orders are as weak as leaves no report, so that an order that our code lacks is
# still seen. Statements of the fork's hooks and of amp/ match none of them, save the one on task_count in an
# argument of gomp_amp_run_at_once, which is upstream's.
#
# A rule that matches no longer, since upstream changed, does no harm: its race is reported again.

# --- config/linux/sem.h, sem.c
# The count is read as a guess for the compare-and-swap that follows, which has the order.
s/count = \*sem\([;)]\)/count = __atomic_load_n (sem, MEMMODEL_RELAXED)\1/

# --- task.c, taskloop.c
# Counted with the lock. The last thread to arrive at a barrier reads task_count without it, but asks only whether
# it is 0; what makes it 0 then is atomic as shipped. These are a task that creates tasks, and one that waits for
# tasks, which itself counts.
s/++team->task_count;/__atomic_fetch_add (\&team->task_count, 1, MEMMODEL_RELAXED);/
s/team->task_count--;/__atomic_fetch_sub (\&team->task_count, 1, MEMMODEL_RELAXED);/
# Read without the lock to see whether there are too many tasks, which need not be exact.
s/team->task_count\( + num_tasks$\| > 64\)/__atomic_load_n (\&team->task_count, MEMMODEL_RELAXED)\1/
# The same for task_queued_count, which our gomp_amp_tasks_waiting reads.
s/++team->task_queued_count;/__atomic_fetch_add (\&team->task_queued_count, 1, MEMMODEL_RELAXED);/
s/(--team->task_queued_count == 0)/(__atomic_sub_fetch (\&team->task_queued_count, 1, MEMMODEL_RELAXED) == 0)/
# GOMP_taskgroup_end reads it without the lock. What counts there is 0, which is stored as a release.
s/taskgroup->num_children++;/__atomic_fetch_add (\&taskgroup->num_children, 1, MEMMODEL_RELAXED);/
s/taskgroup->num_children += num_tasks;/__atomic_fetch_add (\&taskgroup->num_children, num_tasks, MEMMODEL_RELAXED);/
s/--taskgroup->num_children;/__atomic_fetch_sub (\&taskgroup->num_children, 1, MEMMODEL_RELAXED);/
# An undeferred task asks without the lock whether all its children have ended before it frees itself. A bug where
# the processor reorders: relaxed does not order what they did before that.
s/(&task\(\[i\]\)\{0,1\}\.children_queue, MEMMODEL_RELAXED)/(\&task\1.children_queue, MEMMODEL_ACQUIRE)/
/empty_p (&task\(\[i\]\)\{0,1\}\.children_queue,$/ {
  n
  s/MEMMODEL_RELAXED/MEMMODEL_ACQUIRE/
}

# --- task.c, taskloop.c, parallel.c
# Cancellation is noticed sooner or later.
s/taskgroup->cancelled = true;/__atomic_store_n (\&taskgroup->cancelled, true, MEMMODEL_RELAXED);/
s/\(thr->task->taskgroup->\(prev->\)\{0,1\}cancelled\))/__atomic_load_n (\&\1, MEMMODEL_RELAXED))/
s/(!taskgroup->cancelled)/(!__atomic_load_n (\&taskgroup->cancelled, MEMMODEL_RELAXED))/

# --- task.c, priority_queue.h, priority_queue.c, splay-tree.c
# Lists are changed with the lock. GOMP_taskwait and undeferred tasks look without it whether theirs is
# empty; its becoming so is a release already, its other changes, from one task to another, are plain.
s/\(head->[lt]\.\(tasks\|root\)\) == NULL/__atomic_load_n (\&\1, MEMMODEL_RELAXED) == NULL/
s/(head->l\.tasks != NULL)/(__atomic_load_n (\&head->l.tasks, MEMMODEL_RELAXED) != NULL)/
s/list->tasks = \(node\|node->next\|NULL\);/__atomic_store_n (\&list->tasks, \1, MEMMODEL_RELAXED);/
s/head->l\.tasks = NULL;/__atomic_store_n (\&head->l.tasks, NULL, MEMMODEL_RELAXED);/
# With priorities the root of the tree is looked at in the list's place, and is emptied twice, by the
# tree's plain store and then by the release; a thread that looks in between has seen no release. The same bug.
s/(head->t\.root != NULL, 0)/(__atomic_load_n (\&head->t.root, MEMMODEL_ACQUIRE) != NULL, 0)/
s/sp->root = \(left\|right\|node\);/__atomic_store_n (\&sp->root, \1, MEMMODEL_RELEASE);/
s/\*pp = \([a-z]*\);/__atomic_store_n (pp, \1, MEMMODEL_RELEASE);/

# --- work.c
# Work shares given back are a list that threads push to and one of them takes from. A thread that pushes reads its
# head as a guess for the compare-and-swap that follows; who takes reads what was pushed.
s/  ws = team->work_share_list_free;/  ws = __atomic_load_n (\&team->work_share_list_free, MEMMODEL_ACQUIRE);/
s/next_ws = team->work_share_list_free;/next_ws = __atomic_load_n (\&team->work_share_list_free, MEMMODEL_RELAXED);/

# --- parallel.c
# Cancellation, as above.
s/team->work_share_cancelled = 1;/__atomic_store_n (\&team->work_share_cancelled, 1, MEMMODEL_RELAXED);/
s/return team->work_share_cancelled != 0;/return __atomic_load_n (\&team->work_share_cancelled, MEMMODEL_RELAXED) != 0;/
s/team->team_cancelled = 1;/__atomic_store_n (\&team->team_cancelled, 1, MEMMODEL_RELAXED);/

# --- ordered.c
# Read to see whether it is this thread that has the ordered section, which it alone can have made so; the
# section itself is handed on by a semaphore.
s/(ws->ordered_owner != thr->ts.team_id)/(__atomic_load_n (\&ws->ordered_owner, MEMMODEL_RELAXED) != thr->ts.team_id)/
s/ws->ordered_owner = \(thr->ts.team_id\|-1\);/__atomic_store_n (\&ws->ordered_owner, \1, MEMMODEL_RELAXED);/
