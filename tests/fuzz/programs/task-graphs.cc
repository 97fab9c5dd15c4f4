// SPDX-License-Identifier: GPL-3.0-or-later
// Runs random graphs of tasks: each runs once, after what it depends on, and nobody goes on before
// what he waits for has ended.

#include "seeded.h"

#include <CLI/CLI.hpp>
#include <omp.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

extern "C" {
bool GOMP_cancel(int which, bool doCancel);
bool GOMP_cancellation_point(int which);
}

namespace {

constexpr int kTaskgroup = 8; // What GOMP_cancel calls it.
constexpr int kCells = 6;
constexpr int kDepth = 4;

char cell[kCells]; // What depend clauses name.

struct Task;

struct Statement {
  enum Kind {
    Create,
    Taskwait,
    TaskwaitDepend,
    Taskgroup,
    Taskyield,
    Taskloop,
    Work,
    Region,
    Reduction,
    Cancel,
    CancellationPoint
  } kind = Work;
  int n = 0;     // Steps, iterations or threads.
  int grain = 0; // 0: none; > 0: grainsize; < 0: num_tasks.
  bool nogroup = false, deferred = true;
  std::unique_ptr<Task> task;                // Create.
  std::vector<Statement> body;               // Taskgroup, Region.
  std::vector<int> cells;                    // TaskwaitDepend.
  std::vector<Task *> awaited;               // TaskwaitDepend.
  std::unique_ptr<std::atomic<int>[]> marks; // Taskloop.
  bool droppable = false;
};

struct Task {
  int id = 0;
  bool deferred = true, final = false, droppable = false, copies = false;
  enum { No, Self, Foreign } detach = No;
  int priority = 0;
  std::vector<int> in, out, inout, mutex;
  std::vector<Statement> body;

  std::atomic<int> runs{0};
  // Moments: of its first and last statement, and of the event's fulfilment; 0 is never.
  std::atomic<long> started{0}, ended{0}, fulfilled{0};

  bool depends() const { return !(in.empty() && out.empty() && inout.empty() && mutex.empty()); }
  long done() const { return detach ? fulfilled : ended; }
};

struct Program {
  int threads = 1;
  // Body t of a phase is run by thread t modulo the team; a barrier ends the phase.
  std::vector<std::vector<std::vector<Statement>>> phases;
  std::vector<std::pair<Task *, Task *>> before; // The first is done when the second starts.
  std::vector<std::pair<Task *, Task *>> apart;  // In either order, but not at once.
};

/// What events are fulfilled by, if any are: "none", "self", "foreign" or "all".
std::string fulfilledBy = "all";

std::atomic<long> moment{1};
std::atomic<bool> failed{false};

std::string nameOf(const Task &task) { return "task " + std::to_string(task.id); }

void hold(bool condition, const std::string &what) {
  if (condition)
    return;
  failed = true;
  fail(what);
}

// Making programs.

class Generator {
public:
  explicit Generator(std::uint64_t seed) : choice(seed) {}

  Program make() {
    program.threads = choice.between(1, 6);
    budget = choice.of<int>({10, 40, 150, 400});
    regions = 1;
    const int phases = choice.between(1, 3), bodies = choice.oneIn(2) ? 1 : program.threads;
    for (int phase = 0; phase < phases; phase++) {
      program.phases.emplace_back();
      for (int i = 0; i < bodies; i++) {
        Scope scope;
        program.phases.back().push_back(list(scope, choice.between(2, 20)));
      }
    }
    return std::move(program);
  }

private:
  /// Tasks that used a cell in the same way one after the other.
  struct Users {
    enum { Readers, Writer, Exclusive } how = Readers;
    std::vector<Task *> tasks;
  };

  /// Where statements stand.
  struct Scope {
    int depth = 0;
    bool taskBody = false;    // The statements of a task itself, where cancel may stand.
    bool cancellable = false; // The innermost taskgroup may be cancelled.
    bool droppable = false;   // Some taskgroup around may be cancelled.
    std::map<int, std::vector<Users>> *users = nullptr;
  };

  std::vector<Statement> list(Scope scope, int length) {
    std::map<int, std::vector<Users>> own;
    if (!scope.users)
      scope.users = &own;
    std::vector<Statement> statements;
    for (int i = 0; i < length && budget > 0; i++)
      add(statements, scope);
    return statements;
  }

  void add(std::vector<Statement> &statements, const Scope &scope) {
    Statement statement;
    statement.droppable = scope.droppable;
    switch (choice.between(0, 21)) {
    case 0:
      statement.kind = Statement::Taskwait;
      break;
    case 1:
      awaitCells(statement, scope);
      if (statement.cells.empty())
        return;
      break;
    case 2:
    case 3:
      if (scope.depth >= kDepth)
        return;
      statement.kind = Statement::Taskgroup;
      statement.body = group(scope);
      break;
    case 4:
      statement.kind = Statement::Taskyield;
      break;
    case 5:
      loop(statement);
      break;
    case 6:
      if (regions == 0 || scope.depth > 2)
        return;
      region(statement, scope);
      break;
    case 7:
      statement.kind = Statement::Reduction;
      statement.n = choice.between(1, 20);
      break;
    case 8:
      if (!scope.taskBody || !scope.cancellable)
        return;
      statement.kind = choice.oneIn(2) ? Statement::Cancel : Statement::CancellationPoint;
      break;
    case 9:
      statement.n = choice.of<int>({0, 100, 3000, 30000});
      break;
    case 10:
      // Many at once, which is what queues and throttles look at.
      for (int i = choice.between(20, 200); i > 0 && budget > 0; i--)
        create(statements, scope, true);
      return;
    default:
      create(statements, scope, false);
      return;
    }
    statements.push_back(std::move(statement));
  }

  void awaitCells(Statement &statement, const Scope &scope) {
    statement.kind = Statement::TaskwaitDepend;
    statement.cells = cells(2);
    for (int c : statement.cells)
      for (Task *task : lastWriters((*scope.users)[c]))
        statement.awaited.push_back(task);
  }

  void loop(Statement &statement) {
    statement.kind = Statement::Taskloop;
    statement.n = choice.of<int>({0, 1, 7, 40, 200});
    statement.grain = choice.of<int>({0, 1, 3, 50, -1, -4, -30});
    statement.nogroup = choice.oneIn(3);
    statement.deferred = !choice.oneIn(5);
    statement.marks.reset(new std::atomic<int>[statement.n + 1]());
    budget -= 5;
  }

  void region(Statement &statement, const Scope &scope) {
    regions--;
    statement.kind = Statement::Region;
    statement.n = choice.between(1, 3);
    Scope inner;
    inner.depth = scope.depth + 1;
    inner.droppable = scope.droppable;
    statement.body = list(inner, choice.between(1, 6));
  }

  std::vector<Statement> group(Scope scope) {
    scope.depth++;
    scope.taskBody = false;
    scope.cancellable = choice.oneIn(4);
    scope.droppable |= scope.cancellable;
    return list(scope, choice.between(1, 8));
  }

  void create(std::vector<Statement> &statements, const Scope &scope, bool leaf) {
    Statement statement;
    statement.kind = Statement::Create;
    statement.task = std::make_unique<Task>();
    Task &task = *statement.task;
    task.id = ++tasks;
    budget--;
    task.deferred = !choice.oneIn(12);
    task.final = choice.oneIn(15);
    task.droppable = scope.droppable;
    task.copies = choice.oneIn(4);
    task.priority = choice.oneIn(3) ? choice.between(0, 10) : 0;
    // What becomes of the event of a task that is dropped is nobody's promise.
    if (!scope.droppable && choice.oneIn(10))
      task.detach = fulfilledBy == "none" ? Task::No
                    : fulfilledBy == "self" || (fulfilledBy == "all" && choice.oneIn(3))
                        ? Task::Self
                        : Task::Foreign;
    if (choice.oneIn(leaf ? 8 : 2))
      dependences(task, *scope.users);
    Scope inner;
    inner.depth = scope.depth + 1;
    inner.taskBody = true;
    inner.cancellable = scope.cancellable;
    inner.droppable = scope.droppable;
    if (leaf || scope.depth >= kDepth) {
      if (choice.oneIn(3)) {
        task.body.emplace_back();
        task.body.back().n = choice.of<int>({10, 300, 3000});
      }
    } else {
      task.body = list(inner, choice.between(0, 6));
    }
    statements.push_back(std::move(statement));
  }

  std::vector<int> cells(int most) {
    std::set<int> some;
    for (int i = choice.between(0, most); i > 0; i--)
      some.insert(choice.between(0, kCells - 1));
    return {some.begin(), some.end()};
  }

  static std::vector<Task *> lastWriters(const std::vector<Users> &users) {
    for (auto last = users.rbegin(); last != users.rend(); ++last)
      if (last->how != Users::Readers)
        return last->tasks;
    return {};
  }

  void dependences(Task &task, std::map<int, std::vector<Users>> &users) {
    for (int c : cells(4)) {
      auto how = Users::Writer;
      switch (choice.between(0, 5)) {
      case 0:
      case 1:
        task.in.push_back(c);
        how = Users::Readers;
        break;
      case 2:
      case 3:
        task.out.push_back(c);
        break;
      case 4:
        task.inout.push_back(c);
        break;
      default:
        task.mutex.push_back(c);
        how = Users::Exclusive;
      }
      std::vector<Users> &row = users[c];
      const bool joins = how != Users::Writer && !row.empty() && row.back().how == how;
      if (how == Users::Exclusive && joins)
        for (Task *other : row.back().tasks)
          program.apart.emplace_back(other, &task);
      if (!joins)
        row.push_back({how, {}});
      if (row.size() > 1)
        for (Task *other : row[row.size() - 2].tasks)
          program.before.emplace_back(other, &task);
      row.back().tasks.push_back(&task);
    }
  }

  Choice choice;
  Program program;
  int budget = 0, regions = 0, tasks = 0;
};

// Running them.

/// A thread that OpenMP did not make fulfils events.
class Fulfiller {
public:
  Fulfiller() : thread([this] { run(); }) {}
  ~Fulfiller() {
    push(nullptr, {});
    thread.join();
  }
  void push(Task *task, omp_event_handle_t event) {
    const std::lock_guard<std::mutex> guard(lock);
    queue.emplace_back(task, event);
    some.notify_one();
  }

private:
  void run() {
    for (;;) {
      std::unique_lock<std::mutex> guard(lock);
      some.wait(guard, [this] { return !queue.empty(); });
      const auto [task, event] = queue.front();
      queue.pop_front();
      guard.unlock();
      if (!task)
        return;
      task->fulfilled = moment++;
      omp_fulfill_event(event);
    }
  }

  std::mutex lock;
  std::condition_variable some;
  std::deque<std::pair<Task *, omp_event_handle_t>> queue;
  std::thread thread;
};

Fulfiller *fulfiller;

/// Copied into tasks by its constructor, for which the compiler passes a function.
struct Copied {
  explicit Copied(int id) : id(id), check(~id) {}
  Copied(const Copied &other) : id(other.id), check(other.check) {}
  ~Copied() { id = 0; }
  int id, check;
};

void spin(int steps) {
  for (int i = 0; i < steps; i++)
    asm volatile("" : "+r"(i));
}

void holdSettled(const Task &task, const char *where) {
  const int runs = task.runs;
  if (task.droppable)
    hold(runs <= 1 && (runs == 0 || task.done()),
         nameOf(task) + " is not done or ran twice " + where);
  else
    hold(runs == 1 && task.done(),
         nameOf(task) + " ran " + std::to_string(runs) + " times or is not done " + where);
}

void holdIterations(const Statement &loop, const char *where) {
  for (int i = 0; i < loop.n; i++)
    hold(loop.droppable ? loop.marks[i] <= 1 : loop.marks[i] == 1,
         "iteration " + std::to_string(i) + " of a taskloop ran " + std::to_string(loop.marks[i]) +
             " times " + where);
}

/// Hold that all that \p statements create has ended.
void holdSettled(const std::vector<Statement> &statements, const char *where) {
  for (const Statement &statement : statements) {
    if (statement.kind == Statement::Taskloop)
      holdIterations(statement, where);
    if (statement.task) {
      holdSettled(*statement.task, where);
      holdSettled(statement.task->body, where);
    }
    holdSettled(statement.body, where);
  }
}

/// Where a task is in its statements.
struct Frame {
  bool final;
  std::vector<const Task *> children = {};
  std::vector<const Statement *> loops = {}; // With nogroup.
};

bool run(const std::vector<Statement> &statements, Frame &frame);

void body(Task &task, bool final, std::optional<omp_event_handle_t> event = {}) {
  task.started = moment++;
  task.runs++;
  Frame frame{final || task.final};
  hold(!frame.final || omp_in_final(), nameOf(task) + " should be final");
  run(task.body, frame);
  task.ended = moment++;
  if (task.detach == Task::Self) {
    task.fulfilled = moment++;
    omp_fulfill_event(*event);
  } else if (task.detach == Task::Foreign) {
    fulfiller->push(&task, *event);
  }
}

// The clauses of a task that has any number of dependences.
#define AMP_DEPENDENCES                                                                            \
  depend(iterator(int i = 0                                                                        \
                  : int(task->in.size())),                                                         \
         in                                                                                        \
         : cell[task->in[i]]) depend(iterator(int i = 0                                            \
                                              : int(task->out.size())),                            \
                                     out                                                           \
                                     : cell[task->out[i]])                                         \
      depend(iterator(int i = 0                                                                    \
                      : int(task->inout.size())),                                                  \
             inout                                                                                 \
             : cell[task->inout[i]]) depend(iterator(int i = 0                                     \
                                                     : int(task->mutex.size())),                   \
                                            mutexinoutset                                          \
                                            : cell[task->mutex[i]])

void create(Task *task, bool final) {
  omp_event_handle_t event;
  if (task->detach && task->depends()) {
#pragma omp task if (task->deferred) final(task->final) priority(task->priority) AMP_DEPENDENCES   \
detach(event) firstprivate(task, final)
    body(*task, final, event);
  } else if (task->detach) {
#pragma omp task if (task->deferred) final(task->final) priority(task->priority) detach(event)     \
    firstprivate(task, final)
    body(*task, final, event);
  } else if (task->in.size() == 1 && task->out.size() == 1 && task->inout.empty() &&
             task->mutex.empty()) {
    // As most programs write it, which the compiler passes in another form.
    const int in = task->in[0], out = task->out[0];
#pragma omp task if (task->deferred) final(task->final) priority(task->priority)                   \
    depend(in                                                                                      \
           : cell[in]) depend(out                                                                  \
                              : cell[out]) firstprivate(task, final)
    body(*task, final);
  } else if (task->depends()) {
#pragma omp task if (task->deferred) final(task->final) priority(task->priority) AMP_DEPENDENCES   \
firstprivate(task, final)
    body(*task, final);
  } else if (task->copies) {
    const Copied copied(task->id);
#pragma omp task if (task->deferred) final(task->final) priority(task->priority)                   \
    firstprivate(task, final, copied)
    {
      hold(copied.id == task->id && copied.check == ~task->id, nameOf(*task) + " got a bad copy");
      body(*task, final);
    }
  } else {
#pragma omp task if (task->deferred) final(task->final) priority(task->priority)                   \
    firstprivate(task, final)
    body(*task, final);
  }
}

void taskloop(const Statement &loop) {
  std::atomic<int> *const marks = loop.marks.get();
  const int n = loop.n, grain = loop.grain;
  if (loop.nogroup && grain > 0) {
#pragma omp taskloop if (loop.deferred) firstprivate(marks) nogroup grainsize(grain)
    for (int i = 0; i < n; i++)
      marks[i]++;
  } else if (loop.nogroup && grain < 0) {
#pragma omp taskloop if (loop.deferred) firstprivate(marks) nogroup num_tasks(-grain)
    for (int i = 0; i < n; i++)
      marks[i]++;
  } else if (loop.nogroup) {
#pragma omp taskloop if (loop.deferred) firstprivate(marks) nogroup
    for (int i = 0; i < n; i++)
      marks[i]++;
  } else if (grain > 0) {
#pragma omp taskloop if (loop.deferred) firstprivate(marks) grainsize(grain)
    for (int i = 0; i < n; i++)
      marks[i]++;
  } else if (grain < 0) {
#pragma omp taskloop if (loop.deferred) firstprivate(marks) num_tasks(-grain) priority(2)
    for (int i = 0; i < n; i++)
      marks[i]++;
  } else {
#pragma omp taskloop if (loop.deferred) firstprivate(marks)
    for (int i = 0; i < n; i++)
      marks[i]++;
  }
}

void reduction(int n) {
  long sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 1; i <= n; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    sum += i;
  }
  hold(sum == n * (n + 1L) / 2, "a reduction over tasks gave " + std::to_string(sum));
}

void awaitCells(const Statement &statement) {
  const std::vector<int> &cells = statement.cells;
#pragma omp taskwait depend(iterator(int i = 0 : int(cells.size())), in : cell[cells[i]])
  for (const Task *task : statement.awaited)
    holdSettled(*task, "after taskwait with depend");
}

/// Run one; returns false if the task that does has been cancelled.
bool run(const Statement &statement, Frame &frame) {
  switch (statement.kind) {
  case Statement::Create:
    create(statement.task.get(), frame.final);
    frame.children.push_back(statement.task.get());
    if (!statement.task->deferred || frame.final)
      hold(statement.task->ended || (statement.task->droppable && !statement.task->runs),
           nameOf(*statement.task) + " should have been run at once");
    break;
  case Statement::Taskwait: {
#pragma omp taskwait
    for (const Task *child : frame.children)
      holdSettled(*child, "after taskwait");
    for (const Statement *loop : frame.loops)
      holdIterations(*loop, "after taskwait");
    break;
  }
  case Statement::TaskwaitDepend:
    awaitCells(statement);
    break;
  case Statement::Taskgroup: {
#pragma omp taskgroup
    run(statement.body, frame);
    holdSettled(statement.body, "after taskgroup");
    break;
  }
  case Statement::Taskyield: {
#pragma omp taskyield
    break;
  }
  case Statement::Taskloop:
    taskloop(statement);
    if (statement.nogroup)
      frame.loops.push_back(&statement);
    else
      holdIterations(statement, "after taskloop");
    break;
  case Statement::Work:
    spin(statement.n);
    break;
  case Statement::Region:
#pragma omp parallel num_threads(statement.n)
#pragma omp single nowait
  {
    Frame inner{false};
    run(statement.body, inner);
  }
    holdSettled(statement.body, "after a nested region");
    break;
  case Statement::Reduction:
    reduction(statement.n);
    break;
  case Statement::Cancel:
    return !GOMP_cancel(kTaskgroup, true);
  case Statement::CancellationPoint:
    return !GOMP_cancellation_point(kTaskgroup);
  }
  return true;
}

bool run(const std::vector<Statement> &statements, Frame &frame) {
  for (const Statement &statement : statements)
    if (!run(statement, frame))
      return false;
  return true;
}

void holdOrder(const Program &program) {
  for (const auto &[first, second] : program.before)
    if (first->runs && second->runs)
      hold(first->done() < second->started,
           nameOf(*second) + " started before " + nameOf(*first) + " was done");
  for (const auto &[one, other] : program.apart)
    if (one->runs && other->runs)
      hold(one->done() < other->started || other->done() < one->started,
           nameOf(*one) + " and " + nameOf(*other) + " ran at once");
}

void runProgram(std::uint64_t seed) {
  const Program program = Generator(seed).make();
  {
    Fulfiller own;
    fulfiller = &own;
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(program.threads)
    for (const auto &phase : program.phases) {
      for (size_t i = omp_get_thread_num(); i < phase.size(); i += omp_get_num_threads()) {
        Frame frame{false};
        run(phase[i], frame);
      }
#pragma omp barrier
#pragma omp single
      for (const auto &statements : phase)
        holdSettled(statements, "after a barrier");
    }
  }
  holdOrder(program);
}

} // namespace

int main(int argc, char **argv) {
  return runSeeded(argc, argv, "Runs random graphs of OpenMP tasks and checks who ran when.",
                   runProgram, [](CLI::App &app) {
                     app.add_option("--fulfilled-by", fulfilledBy,
                                    "Which thread fulfils the events of tasks with a detach clause")
                         ->check(CLI::IsMember({"none", "self", "foreign", "all"}))
                         ->capture_default_str();
                   });
}
