// SPDX-License-Identifier: GPL-3.0-or-later
// A thread of the checker: its own stack, left and entered only where it says so, and all of it in
// memory that can be saved and put back.
#pragma once

#include <csetjmp>
#include <functional>
#include <memory>

namespace model {

class Coroutine {
public:
  explicit Coroutine(std::function<void()> body);

  // Goes on with the body until it calls leave(), or ends.
  void enter();

  // To be called by the body.
  void leave();

  bool ended() const { return ended_; }

  // What was on the stack when the body left, and its registers.
  const void *stack() const { return low_; }
  size_t stack_size() const { return top() - low_; }
  const void *registers() const { return &inside_; }
  static constexpr size_t kRegistersSize = sizeof(jmp_buf);

  // Puts back what these said once; or the end.
  void restore(const void *stack, size_t stack_size, const void *registers);
  void end() { ended_ = true; }

private:
  static constexpr size_t kStackSize = 16384;
  static void run(unsigned high, unsigned low);
  char *top() const { return stack_.get() + kStackSize; }

  std::function<void()> body_;
  std::unique_ptr<char[]> stack_;
  char *low_;
  char *zero_; // below this the stack is zero
  jmp_buf inside_, outside_;
  bool started_ = false, ended_ = false;
};

} // namespace model
