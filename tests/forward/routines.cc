// SPDX-License-Identifier: GPL-3.0-or-later
// What GCC 13 to 17 added for tasks, devices, interoperability, allocation, dimensions, tools and
// OpenACC. A machine without devices answers alike in every major.
#include "entry-points.h"

#include <omp.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kInitial = -1, kInvalid = -4, kDefault = -5;
// What no machine has.
constexpr int kNoDevice = 1000;

ENTRY_POINT("OMP_5.2", omp_in_explicit_task, int());
ENTRY_POINT("OMP_5.2", omp_in_explicit_task_, int32_t());

TEST(Tasks, AreExplicitIfAConstructMadeThem) {
  EXPECT_FALSE(omp_in_explicit_task());
  std::atomic<int> wrong{0}, ran{0};
#pragma omp parallel num_threads(3)
  {
    wrong += omp_in_explicit_task() != 0;
#pragma omp task
    {
      wrong += omp_in_explicit_task() != 1 || omp_in_explicit_task_() != 1;
      ran++;
    }
#pragma omp task if (0)
    {
      wrong += omp_in_explicit_task() != 1;
      ran++;
    }
  }
  EXPECT_EQ(ran, 6);
  EXPECT_EQ(wrong, 0);
}

ENTRY_POINT("GOMP_5.1.1", GOMP_taskwait_depend_nowait, void(void **));

// depend(out: X), as the compiler passes it.
std::array<void *, 3> depends_on(void *x) {
  return {reinterpret_cast<void *>(1), reinterpret_cast<void *>(1), x};
}

TEST(Tasks, WaitForDependencesOfATaskwaitThatTheCallerDoesNotWaitFor) {
  std::atomic<bool> go{false};
  int a = 0, seen = -1;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    // A full team: a task that waits keeps its thread, and the other one goes on.
#pragma omp task depend(out : a)
    {
      while (!go)
        std::this_thread::yield();
      a = 1;
    }
    auto dependences = depends_on(&a);
    GOMP_taskwait_depend_nowait(dependences.data());
    go = true; // a taskwait without nowait would never come here
#pragma omp task depend(in : a)
    seen = a;
  }
  EXPECT_EQ(seen, 1);
}

ENTRY_POINT("GOMP_5.1.2", GOMP_add_alloc, void(void *));
ENTRY_POINT("GOMP_5.1.2", GOMP_is_alloc, bool(void *));

TEST(Allocations, AreKnownUntilAskedFor) {
  int x, y;
  GOMP_add_alloc(nullptr);
  EXPECT_FALSE(GOMP_is_alloc(nullptr));
  EXPECT_FALSE(GOMP_is_alloc(&x));
  GOMP_add_alloc(&x);
  EXPECT_FALSE(GOMP_is_alloc(&y));
  EXPECT_TRUE(GOMP_is_alloc(&x));
  EXPECT_FALSE(GOMP_is_alloc(&x));
}

TEST(Allocations, OfManyThreads) {
  if (!dlsym(RTLD_DEFAULT, "ompx_amp_version"))
    GTEST_SKIP() << "upstream's has no lock";
  constexpr int kThreads = 4, kEach = 500, kRounds = 500;
  std::vector<char> memory(kThreads * kEach);
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(kThreads)
  for (int round = 0; round < kRounds; round++) {
    char *const mine = &memory[omp_get_thread_num() * kEach];
#pragma omp barrier
    for (int i = 0; i < kEach; i++)
      GOMP_add_alloc(mine + i);
    for (int i = 0; i < kEach; i += 2)
      wrong += !GOMP_is_alloc(mine + i);
    for (int i = 0; i < kEach; i++)
      wrong += GOMP_is_alloc(mine + i) != i % 2;
  }
  EXPECT_EQ(wrong, 0);
}

ENTRY_POINT("GOMP_6.0.1", omp_target_memset, void *(void *, int, size_t, int));
ENTRY_POINT("GOMP_6.0.1", omp_target_memset_async,
            void *(void *, int, size_t, int, int, omp_depend_t *));

TEST(Memory, IsSet) {
  for (int device : {omp_get_initial_device(), kInitial}) {
    std::string text(8, '.');
    EXPECT_EQ(omp_target_memset(&text[2], 'x', 3, device), &text[2]);
    EXPECT_EQ(text, "..xxx...");
    EXPECT_EQ(omp_target_memset(&text[0], 'y', 0, device), &text[0]);
    EXPECT_EQ(omp_target_memset_async(&text[5], 'z', 2, device, 0, nullptr), &text[5]);
#pragma omp taskwait
    EXPECT_EQ(text, "..xxxzz.");
  }
}

TEST(Memory, IsSetAfterTheDependences) {
  const int host = omp_get_initial_device();
  int cells[3] = {7, 7, 7}, copy = -1;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_depend_t after;
#pragma omp depobj(after) depend(inout : cells)
#pragma omp task depend(out : cells)
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      cells[2] = 5;
    }
    omp_target_memset_async(cells, 0, sizeof cells, host, 1, &after);
#pragma omp task depend(in : cells)
    copy = cells[2];
#pragma omp taskwait
    EXPECT_EQ(copy, 0);
#pragma omp depobj(after) destroy
  }
}

ENTRY_POINT("GOMP_6.0", omp_get_uid_from_device, const char *(int));
ENTRY_POINT("GOMP_6.0", omp_get_device_from_uid, int(const char *));
ENTRY_POINT("GOMP_6.0", omp_get_device_from_uid_, int(const char *, size_t));
ENTRY_POINT("GOMP_6.0", omp_get_uid_from_device_, void(const char **, size_t *, int32_t));
ENTRY_POINT("GOMP_6.0", omp_get_uid_from_device_8_, void(const char **, size_t *, int64_t));
ENTRY_POINT("OMP_6.1", omp_get_device_distances, void(int, const int *, int *));

TEST(Devices, HaveIdentifiers) {
  const char *const host = omp_get_uid_from_device(omp_get_initial_device());
  ASSERT_NE(host, nullptr);
  EXPECT_STREQ(host, "OMP_INITIAL_DEVICE");
  EXPECT_STREQ(omp_get_uid_from_device(kInitial), host);
  EXPECT_EQ(omp_get_uid_from_device(kNoDevice), nullptr);
  EXPECT_EQ(omp_get_uid_from_device(-3), nullptr);
  EXPECT_EQ(omp_get_device_from_uid(host), kInitial);
  EXPECT_EQ(omp_get_device_from_uid("nothing"), kInvalid);
  EXPECT_EQ(omp_get_device_from_uid(nullptr), kInvalid);
}

TEST(Devices, HaveIdentifiersInFortran) {
  const std::string host = omp_get_uid_from_device(kInitial);
  // Without an end.
  EXPECT_EQ(omp_get_device_from_uid_((host + "x").data(), host.size()), kInitial);
  EXPECT_EQ(omp_get_device_from_uid_(host.data(), host.size() - 1), kInvalid);
  const char *text = nullptr;
  size_t length = 0;
  omp_get_uid_from_device_(&text, &length, kInitial);
  EXPECT_EQ(std::string(text, length), host);
  omp_get_uid_from_device_8_(&text, &length, omp_get_initial_device());
  EXPECT_EQ(std::string(text, length), host);
  omp_get_uid_from_device_(&text, &length, kNoDevice);
  EXPECT_EQ(length, 0u);
}

TEST(Devices, HaveDistances) {
  const int devices[] = {kInitial, omp_get_initial_device(), kNoDevice, -2, kDefault};
  int distances[] = {7, 7, 7, 7, 7, 7};
  omp_get_device_distances(0, nullptr, nullptr);
  omp_get_device_distances(4, devices, distances);
  EXPECT_EQ(std::vector<int>(distances, distances + 6), (std::vector<int>{0, 0, -1, -1, 7, 7}));
  omp_get_device_distances(5, devices, distances);
  EXPECT_EQ(distances[4], omp_get_num_devices() ? 10 : 0);
}

using InteropObject = uintptr_t;
ENTRY_POINT("GOMP_5.1.3", GOMP_interop,
            void(int, int, InteropObject **, const int *, const char **, int, InteropObject *, int,
                 InteropObject **, unsigned, void **));
ENTRY_POINT("GOMP_5.1.3", omp_get_num_interop_properties, int(InteropObject));
ENTRY_POINT("GOMP_5.1.3", omp_get_interop_int, intptr_t(InteropObject, int, int *));
ENTRY_POINT("GOMP_5.1.3", omp_get_interop_ptr, void *(InteropObject, int, int *));
ENTRY_POINT("GOMP_5.1.3", omp_get_interop_str, const char *(InteropObject, int, int *));
ENTRY_POINT("GOMP_5.1.3", omp_get_interop_name, const char *(InteropObject, int));
ENTRY_POINT("GOMP_5.1.3", omp_get_interop_type_desc, const char *(InteropObject, int));
ENTRY_POINT("GOMP_5.1.3", omp_get_interop_rc_desc, const char *(InteropObject, int));
using Text = void(const char **, size_t *, InteropObject, int);
ENTRY_POINT("GOMP_5.1.3", omp_get_interop_str_,
            void(const char **, size_t *, InteropObject, int, int *));
ENTRY_POINT("GOMP_5.1.3", omp_get_interop_name_, Text);
ENTRY_POINT("GOMP_5.1.3", omp_get_interop_type_desc_, Text);
ENTRY_POINT("GOMP_5.1.3", omp_get_interop_rc_desc_, Text);

TEST(Interop, ObjectsOfTheHostAreNone) {
  InteropObject object = 5, other = 5;
  InteropObject *init[] = {&object, &other}, *destroy[] = {&object};
  const int types[] = {3, 1};
  GOMP_interop(omp_get_initial_device(), 2, init, types, nullptr, 0, nullptr, 0, nullptr, 0,
               nullptr);
  EXPECT_EQ(object, 0u);
  EXPECT_EQ(other, 0u);
  GOMP_interop(kDefault, 0, nullptr, nullptr, nullptr, 1, &object, 0, nullptr, 0, nullptr);
  GOMP_interop(kDefault, 0, nullptr, nullptr, nullptr, 0, nullptr, 1, destroy, 1, nullptr);
  EXPECT_EQ(object, 0u);
}

TEST(Interop, WaitsForDependences) {
  int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : done)
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      done = 1;
    }
    auto dependences = depends_on(&done);
    InteropObject object = 0;
    GOMP_interop(kDefault, 0, nullptr, nullptr, nullptr, 1, &object, 0, nullptr, 0,
                 dependences.data());
    EXPECT_EQ(done, 1);
  }
}

TEST(Interop, NoneHasNoProperties) {
  EXPECT_EQ(omp_get_num_interop_properties(0), 0);
  for (int property = -12; property <= 3; property++) {
    const bool defined = property < 0 && property >= -9;
    int code = 7;
    EXPECT_EQ(omp_get_interop_int(0, property, &code), 0);
    EXPECT_EQ(code, defined ? -1 : -2);
    code = 7;
    EXPECT_EQ(omp_get_interop_ptr(0, property, &code), nullptr);
    EXPECT_EQ(code, defined ? -1 : -2);
    code = 7;
    EXPECT_EQ(omp_get_interop_str(0, property, &code), nullptr);
    EXPECT_EQ(code, defined ? -1 : -2);
    EXPECT_EQ(omp_get_interop_int(0, property, nullptr), 0);
    EXPECT_EQ(omp_get_interop_name(0, property) != nullptr, defined);
    EXPECT_EQ(omp_get_interop_type_desc(0, property), nullptr);
  }
  EXPECT_STREQ(omp_get_interop_name(0, -1), "fr_id");
  EXPECT_STREQ(omp_get_interop_name(0, -9), "targetsync");
  for (int code = -8; code <= 3; code++)
    EXPECT_EQ(omp_get_interop_rc_desc(0, code) != nullptr, code <= 1 && code > -6) << code;
}

TEST(Interop, TellsFortranTheSame) {
  const char *text = nullptr;
  size_t length = 7;
  int code = 7;
  omp_get_interop_name_(&text, &length, 0, -5);
  EXPECT_EQ(std::string(text, length), "device_num");
  omp_get_interop_rc_desc_(&text, &length, 0, 0);
  EXPECT_STREQ(text, omp_get_interop_rc_desc(0, 0));
  EXPECT_EQ(length, std::strlen(text));
  omp_get_interop_type_desc_(&text, &length, 0, -1);
  EXPECT_EQ(length, 0u);
  omp_get_interop_str_(&text, &length, 0, -2, &code);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(code, -1);
}

using OfDim = int(int);
ENTRY_POINT("OMP_6.1", omp_get_num_threads_dim, OfDim);
ENTRY_POINT("OMP_6.1", omp_get_thread_num_dim, OfDim);
ENTRY_POINT("OMP_6.1", omp_get_thread_limit_dim, OfDim);
ENTRY_POINT("OMP_6.1", omp_get_num_teams_dim, OfDim);
ENTRY_POINT("OMP_6.1", omp_get_team_num_dim, OfDim);
using OfDevice = int(int, int);
ENTRY_POINT("OMP_6.1", omp_get_supported_threads_dim, OfDevice);
ENTRY_POINT("OMP_6.1", omp_get_supported_teams_dim, OfDevice);
ENTRY_POINT("OMP_6.1", omp_get_supported_active_team_dims, OfDevice);
ENTRY_POINT("OMP_6.1", omp_get_supported_active_league_dims, OfDevice);
using OfDeviceFortran = int32_t(const int32_t *, const int32_t *);
ENTRY_POINT("OMP_6.1", omp_get_supported_active_team_dims_, OfDeviceFortran);
ENTRY_POINT("OMP_6.1", omp_get_supported_active_league_dims_, OfDeviceFortran);

TEST(Dimensions, ThereIsOne) {
  std::atomic<int> wrong{0};
#pragma omp teams num_teams(2)
#pragma omp parallel num_threads(3)
  {
    wrong += omp_get_num_threads_dim(0) != 3 || omp_get_thread_num_dim(0) != omp_get_thread_num();
    wrong += omp_get_num_teams_dim(0) != 2 || omp_get_team_num_dim(0) != omp_get_team_num();
    wrong += omp_get_thread_limit_dim(0) != omp_get_thread_limit();
    for (int dim : {-1, 1, 2}) {
      wrong += omp_get_num_threads_dim(dim) != 1 || omp_get_thread_num_dim(dim) != 0;
      wrong += omp_get_num_teams_dim(dim) != 1 || omp_get_team_num_dim(dim) != 0;
      wrong += omp_get_thread_limit_dim(dim) != 1;
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Dimensions, OfDevices) {
  const int32_t host = omp_get_initial_device(), native = 1;
  for (const auto supported : {omp_get_supported_threads_dim, omp_get_supported_teams_dim}) {
    EXPECT_EQ(supported(host, 0), INT_MAX);
    EXPECT_EQ(supported(kInitial, 0), INT_MAX);
    EXPECT_EQ(supported(host, 1), 1);
    EXPECT_EQ(supported(kNoDevice, 0), -1);
  }
  EXPECT_EQ(omp_get_supported_active_team_dims(host, 0), 1);
  EXPECT_EQ(omp_get_supported_active_league_dims(host, 1), 1);
  EXPECT_EQ(omp_get_supported_active_team_dims_(&host, &native), 1);
  EXPECT_EQ(omp_get_supported_active_league_dims_(&host, &native), 1);
}

ENTRY_POINT("OMP_6.0", omp_control_tool, int(int, int, void *));
ENTRY_POINT("OMP_6.0", omp_control_tool_, int(int32_t, int32_t));
ENTRY_POINT("OMP_6.0", omp_control_tool_8_, int(int32_t, int64_t));

TEST(Tools, ThereIsNone) {
  EXPECT_EQ(omp_control_tool(1, 0, nullptr), -2);
  EXPECT_EQ(omp_control_tool_(1, 0), -2);
  EXPECT_EQ(omp_control_tool_8_(1, 0), -2);
}

ENTRY_POINT("OACC_2.6.1", acc_memcpy_device, void(void *, void *, size_t));
ENTRY_POINT("OACC_2.6.1", acc_memcpy_device_async, void(void *, void *, size_t, int));
ENTRY_POINT("OACC_2.6.1", acc_copyout_finalize_async_32_h_, void(void *, const int *, const int *));
ENTRY_POINT("OACC_2.6.1", acc_delete_finalize_async_64_h_, void(void *, const long *, const int *));

// The host as the current device, which may be initialized once.
void use_host() {
  ENTRY_POINT("OACC_2.0", acc_init, void(int));
  static const bool done = (acc_init(2), true); // acc_device_host
  ASSERT_TRUE(done);
}

TEST(OpenACC, CopiesOnTheHost) {
  std::string text = "abcdef";
  use_host();
  acc_memcpy_device(&text[1], &text[0], 3);
  EXPECT_EQ(text, "aabcef");
  acc_memcpy_device_async(&text[0], &text[4], 2, 3);
  ENTRY_POINT("OACC_2.0", acc_wait, void(int));
  acc_wait(3);
  EXPECT_EQ(text, "efbcef");
}

// Memory that host and device share is never mapped.
TEST(OpenACC, HasNothingToFinalizeOnTheHost) {
  int x = 4;
  const int size = sizeof x, async = 2;
  const long size8 = sizeof x;
  use_host();
  acc_copyout_finalize_async_32_h_(&x, &size, &async);
  acc_delete_finalize_async_64_h_(&x, &size8, &async);
  EXPECT_EQ(x, 4);
}

} // namespace
