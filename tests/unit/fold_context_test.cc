// SPDX-License-Identifier: GPL-3.0-or-later
// Contexts that are switched in user space (libgomp/amp/fold/fold-context.h).
extern "C" {
#include "fold/fold-context.h"
}

#include <gtest/gtest.h>
#include <unwind.h>

#include <cfenv>
#include <cstdint>
#include <functional>
#include <semaphore.h>
#include <stdexcept>
#include <thread>

#if GOMP_FOLD_CONTEXTS

#ifdef __x86_64__
// Whether each register that a called function keeps has over a switch what was in it before.
extern "C" int keeps_registers(void **from, void *to);
asm(".text\n"
    "keeps_registers:\n"
    "push %rbp\n"
    "push %rbx\n"
    "push %r12\n"
    "push %r13\n"
    "push %r14\n"
    "push %r15\n"
    "sub $8, %rsp\n"
    "mov $1, %ebp\n"
    "mov $2, %ebx\n"
    "mov $3, %r12d\n"
    "mov $4, %r13d\n"
    "mov $5, %r14d\n"
    "mov $6, %r15d\n"
    "call gomp_fold_switch\n"
    "xor $1, %rbp\n"
    "xor $2, %rbx\n"
    "xor $3, %r12\n"
    "xor $4, %r13\n"
    "xor $5, %r14\n"
    "xor $6, %r15\n"
    "or %rbp, %rbx\n"
    "or %r12, %rbx\n"
    "or %r13, %rbx\n"
    "or %r14, %rbx\n"
    "or %r15, %rbx\n"
    "sete %al\n"
    "movzbl %al, %eax\n"
    "add $8, %rsp\n"
    "pop %r15\n"
    "pop %r14\n"
    "pop %r13\n"
    "pop %r12\n"
    "pop %rbx\n"
    "pop %rbp\n"
    "ret\n");
#endif

namespace {

// A context that runs BODY when it is picked up first, and then leaves for good.
class Made {
public:
  explicit Made(std::function<void(Made &)> body) : body_(std::move(body)) {
    context_ = gomp_fold_make_context(stack_, sizeof stack_, run, this);
  }

  void enter() { gomp_fold_switch(&outside_, context_); }
  void leave() { gomp_fold_switch(&context_, outside_); }
  void **outside() { return &outside_; }
  void *context() const { return context_; }
  bool ended() const { return ended_; }
  bool has(const void *address) const {
    const auto *const at = static_cast<const char *>(address);
    return at >= stack_ && at < stack_ + sizeof stack_;
  }

private:
  static void run(void *made) {
    Made &me = *static_cast<Made *>(made);
    me.body_(me);
    me.ended_ = true;
    me.leave();
  }

  std::function<void(Made &)> body_;
  alignas(16) char stack_[65536];
  void *context_ = nullptr, *outside_ = nullptr;
  bool ended_ = false;
};

struct FoldContext : testing::Test {
  void SetUp() override {
    if (gomp_fold_no_contexts() != nullptr)
      GTEST_SKIP() << gomp_fold_no_contexts();
  }
  void TearDown() override { std::fesetround(FE_TONEAREST); }
};

TEST_F(FoldContext, RunsOnItsStackAndComesBack) {
  int steps = 0;
  Made made([&](Made &me) {
    const char here = 0;
    EXPECT_TRUE(me.has(&here));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) % 16, 0U);
    steps++;
    me.leave();
    steps++;
  });
  EXPECT_EQ(steps, 0);
  made.enter();
  EXPECT_EQ(steps, 1);
  made.enter();
  EXPECT_EQ(steps, 2);
  EXPECT_TRUE(made.ended());
}

#ifdef __x86_64__
TEST_F(FoldContext, KeepsRegisters) {
  Made made([](Made &me) {
    asm volatile("" ::: "rbx", "r12", "r13", "r14", "r15");
    for (int i = 0; i < 2; i++) {
      asm volatile("mov $-1, %%rbx; mov $-1, %%r12; mov $-1, %%r13; mov $-1, %%r14; mov $-1, %%r15"
                   :
                   :
                   : "rbx", "r12", "r13", "r14", "r15");
      me.leave();
    }
  });
  EXPECT_EQ(keeps_registers(made.outside(), made.context()), 1);
  EXPECT_EQ(keeps_registers(made.outside(), made.context()), 1);
}
#endif

TEST_F(FoldContext, HasControlWordsOfItsOwn) {
  std::fesetround(FE_UPWARD);
  Made made([](Made &me) {
    EXPECT_EQ(std::fegetround(), FE_UPWARD) << "those of who made it";
    std::fesetround(FE_DOWNWARD);
    me.leave();
    EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  });
  std::fesetround(FE_TOWARDZERO);
  made.enter();
  EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
  std::fesetround(FE_TONEAREST);
  made.enter();
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_TRUE(made.ended());
}

#ifdef __SSE__
TEST_F(FoldContext, HasFlagsOfItsOwn) {
  const auto divided = [] { return (__builtin_ia32_stmxcsr() & 4) != 0; };
  std::feclearexcept(FE_ALL_EXCEPT);
  Made made([&](Made &me) {
    volatile double zero = 0, quotient = 1;
    quotient = quotient / zero;
    EXPECT_TRUE(divided());
    me.leave();
    EXPECT_TRUE(divided());
  });
  made.enter();
  EXPECT_FALSE(divided());
  made.enter();
  EXPECT_FALSE(divided());
  EXPECT_TRUE(made.ended());
}
#endif

thread_local int variable;

// The thread pointer is that of the thread which made the context, whichever picks it up.
TEST_F(FoldContext, IsTheThreadThatMadeIt) {
  Made *made = nullptr;
  sem_t is_made, is_done;
  sem_init(&is_made, 0, 0);
  sem_init(&is_done, 0, 0);
  void *pointer = nullptr;
  variable = 1;
  std::thread other([&] {
    variable = 2;
    pointer = __builtin_thread_pointer();
    Made here([&](Made &me) {
      EXPECT_EQ(__builtin_thread_pointer(), pointer);
      EXPECT_EQ(variable, 2);
      variable = 3;
      me.leave();
      EXPECT_EQ(variable, 3);
    });
    made = &here;
    sem_post(&is_made);
    sem_wait(&is_done);
    EXPECT_EQ(variable, 3);
  });
  sem_wait(&is_made);
  made->enter();
  EXPECT_NE(__builtin_thread_pointer(), pointer);
  EXPECT_EQ(variable, 1);
  made->enter();
  EXPECT_TRUE(made->ended());
  EXPECT_EQ(variable, 1);
  sem_post(&is_done);
  other.join();
}

TEST_F(FoldContext, ThrowsAndCatches) {
  int caught = 0;
  Made made([&](Made &me) {
    for (int i = 0; i < 2; i++)
      try {
        me.leave();
        throw std::runtime_error("a context");
      } catch (const std::runtime_error &) {
        caught++;
      }
  });
  for (int i = 0; i < 3; i++)
    made.enter();
  EXPECT_EQ(caught, 2);
  EXPECT_TRUE(made.ended());
}

// What looks for the frames of a made context finds an end.
TEST_F(FoldContext, UnwindsToItsFirstFrame) {
  int frames = 0;
  _Unwind_Reason_Code reason = _URC_NO_REASON;
  Made made([&](Made &) {
    const auto count = [](_Unwind_Context *, void *number) {
      return ++*static_cast<int *>(number) < 100 ? _URC_NO_REASON : _URC_NORMAL_STOP;
    };
    reason = _Unwind_Backtrace(count, &frames);
  });
  made.enter();
  EXPECT_EQ(reason, _URC_END_OF_STACK);
  EXPECT_GT(frames, 2);
  EXPECT_LT(frames, 100);
}

} // namespace

#endif
