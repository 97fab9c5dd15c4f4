// SPDX-License-Identifier: GPL-3.0-or-later
// Binds the calling thread to one CPU.
#pragma once

namespace amp {

// Binds the calling thread, and the threads and processes that it starts later, to CPU. Returns 0
// or an errno; EINVAL if this process may not use CPU.
int pin_to_cpu(int cpu);

} // namespace amp
