// SPDX-License-Identifier: GPL-3.0-or-later
// Switches stacks by makecontext once, and by longjmp, which makes no system call, from then on.
#include "coroutine.h"

#include <cstdint>
#include <cstring>
#include <ucontext.h>

namespace model {

Coroutine::Coroutine(std::function<void()> body)
    : body_(std::move(body)), stack_(new char[kStackSize]()), low_(top()), zero_(top()) {
  std::memset(&inside_, 0, sizeof inside_);
}

void Coroutine::run(unsigned high, unsigned low) {
  auto *self = reinterpret_cast<Coroutine *>(uintptr_t(high) << 32 | low);
  self->leave();
  self->body_();
  self->ended_ = true;
  self->leave();
}

void Coroutine::enter() {
  // The body may call as deep as there is room.
  zero_ = stack_.get();
  if (_setjmp(outside_))
    return;
  if (started_)
    _longjmp(inside_, 1);
  started_ = true;
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = stack_.get();
  context.uc_stack.ss_size = kStackSize;
  context.uc_link = nullptr;
  const auto self = reinterpret_cast<uintptr_t>(this);
  makecontext(&context, reinterpret_cast<void (*)()>(run), 2, unsigned(self >> 32), unsigned(self));
  setcontext(&context);
}

__attribute__((noinline)) void Coroutine::leave() {
  // Below this there is nothing of the body's. What earlier calls left there would make equal
  // states look different.
  low_ = static_cast<char *>(__builtin_frame_address(0)) - 64;
  if (_setjmp(inside_) == 0)
    _longjmp(outside_, 1);
}

void Coroutine::restore(const void *stack, size_t stack_size, const void *registers) {
  low_ = top() - stack_size;
  if (zero_ < low_)
    std::memset(zero_, 0, low_ - zero_);
  zero_ = low_;
  std::memcpy(low_, stack, stack_size);
  std::memcpy(&inside_, registers, sizeof inside_);
  ended_ = false;
}

} // namespace model
