// SPDX-License-Identifier: GPL-3.0-or-later
// Loops at very many addresses, of this program and of code made at run time: what the library
// keeps of them is bounded.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "many-loops.h"

#ifndef __x86_64__
int main() { life::skip("the loops of this test are x86-64 code"); }
#else

// What a compiler at run time might leave: COUNT copies of such a function.
static const char *generate(int count) {
  char *code = static_cast<char *>(mmap(nullptr, size_t(count) * kSize, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  life::check(code != MAP_FAILED, "mmap");
  Start *target = GOMP_loop_nonmonotonic_runtime_start;
  for (int i = 0; i < count; i++) {
    unsigned char one[] = {0x48, 0x83, 0xec, 8,    0x48, 0xb8, 0,    0,    0, 0,   0,
                           0,    0,    0,    0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3};
    std::memcpy(one + 6, &target, sizeof target);
    std::memcpy(code + size_t(i) * kSize, one, sizeof one);
  }
  life::check(mprotect(code, size_t(count) * kSize, PROT_READ | PROT_EXEC) == 0, "mprotect");
  return code;
}

// Runs the loops number FIRST to END - 1 of those at CODE; returns what malloc has given out then.
static size_t run(const char *code, int first, int end) {
  constexpr long kTrips = 16;
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    if (omp_get_thread_num() == 0)
      life::is_aid();
    for (int site = first; site < end; site++) {
      auto *start = reinterpret_cast<Start *>(code + size_t(site) * kSize);
      long at, before;
      for (bool more = start(0, kTrips, 1, &at, &before); more;
           more = GOMP_loop_nonmonotonic_runtime_next(&at, &before))
        for (; at < before; at++)
          sum += at;
      GOMP_loop_end_nowait();
      if (site % 100 == 0) {
#pragma omp barrier
      }
    }
  }
  const long expected = long(end - first) * kTrips * (kTrips - 1) / 2;
  life::check(sum == expected, "the sum is %ld and should be %ld", sum, expected);
  return life::in_use();
}

// Runs the program once more, with a file in memory as its standard error from the start on: the
// library reports nothing to one that comes later. Returns the file.
static int messages_file() {
  if (const char *number = std::getenv("AMP_LIFE_MESSAGES"))
    return std::atoi(number);
  const int messages = memfd_create("messages", 0);
  dup2(messages, STDERR_FILENO);
  setenv("AMP_LIFE_MESSAGES", std::to_string(messages).c_str(), 1);
  execl("/proc/self/exe", "life-sites", nullptr);
  std::abort();
}

int main() {
  const int messages = messages_file();
  life::ours();
  omp_set_schedule(life::kKinds[1], 0);
  const bool keeps = std::getenv("GOMP_AID_SF_FILE") || std::getenv("GOMP_AID_SF_SAVE");
  // More than the library ever keeps, with those of the program: 65536.
  constexpr int kGenerated = 100000;
  const char *generated = generate(kGenerated);
  const size_t begin = run(life_sites, 0, 1000), own = run(life_sites, 1000, kSites);
  const size_t many = run(generated, 0, 60000), more = run(generated, 60000, kGenerated);
  run(life_sites, 0, kSites);
  dup2(STDOUT_FILENO, STDERR_FILENO);
  std::printf("in use: %zu bytes with 1000 sites, %zu with %d, %zu and %zu with %d and %d more\n",
              begin, own, kSites, many, more, 60000, kGenerated);

  char text[1000] = "";
  const ssize_t length = pread(messages, text, sizeof text - 1, 0);
  std::printf("messages: %s\n", text);
  // With no file to read or to write a site has what the loop's runs took.
  life::check((own - begin) / (kSites - 1000) <= (keeps ? 256 : 640), "a site costs too much");
  life::check(more - many < 4096, "there is no end to the memory of sites");
  if (!keeps) {
    life::check(length == 0, "there are messages");
    return 0;
  }
  const char *message = std::strstr(text, "libgomp: There are more than 65536 loops");
  life::check(message && !std::strstr(message + 1, "libgomp:"),
              "not one message that there are too many loops");
  return 0;
}
#endif
