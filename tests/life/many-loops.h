// SPDX-License-Identifier: GPL-3.0-or-later
// The starts of very many loops.
#pragma once

#include "life.h"

#ifdef __x86_64__
using Start = bool(long, long, long, long *, long *);
extern "C" {
Start GOMP_loop_nonmonotonic_runtime_start;
bool GOMP_loop_nonmonotonic_runtime_next(long *, long *);
void GOMP_loop_end_nowait();
extern const char life_sites[];
}

// Each calls the start of a loop from an address of its own.
constexpr int kSites = 20000, kSize = 32;
asm(".text\n"
    ".balign 32\n"
    "life_sites:\n"
    ".rept 20000\n"
    "sub $8, %rsp\n"
    "call GOMP_loop_nonmonotonic_runtime_start@PLT\n"
    "add $8, %rsp\n"
    "ret\n"
    ".balign 32\n"
    ".endr\n");
#endif
