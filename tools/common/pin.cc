// SPDX-License-Identifier: GPL-3.0-or-later
// Binds a thread to a CPU, whatever its number.
#include "common/pin.h"

#include "common/cpulist.h"

#include <cerrno>
#include <memory>
#include <sched.h>

namespace amp {

int pin_to_cpu(int cpu) {
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t *)> set(
      CPU_ALLOC(cpu_limit), [](cpu_set_t *allocated) { CPU_FREE(allocated); });
  const std::size_t size = CPU_ALLOC_SIZE(cpu_limit);
  if (!set)
    return ENOMEM;
  CPU_ZERO_S(size, set.get());
  CPU_SET_S(cpu, size, set.get());
  return sched_setaffinity(0, size, set.get()) == 0 ? 0 : errno;
}

} // namespace amp
