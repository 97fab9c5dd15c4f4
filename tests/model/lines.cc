// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps for each line which cores have it.
#include "lines.h"

namespace model {

Lines::Lines(const Team &team, double held_ns, double transfer_ns, double clock_ns)
    : begin_(reinterpret_cast<const char *>(team.loop())),
      shared_(reinterpret_cast<const char *>(&team.loop()->next)),
      private_(reinterpret_cast<const char *>(gomp_aid_r(team.loop()))), held_ns_(held_ns),
      transfer_ns_(transfer_ns), clock_ns_(clock_ns), before_(watcher),
      lines_((private_ - begin_ + GOMP_AID_LINE - 1) / GOMP_AID_LINE) {
  watcher = this;
}

void Lines::touch(const void *address, bool write, bool atomic) {
  const auto *const at = static_cast<const char *>(address);
  if (at < begin_ || at >= private_)
    return;
  if (at >= shared_) {
    accesses_++;
    atomic_ += atomic;
  }
  Line &line = lines_[(at - begin_) / GOMP_AID_LINE];
  const uint64_t me = uint64_t(1) << thread_;
  const bool held = write ? line.sharers == me : line.sharers & me;
  if (held) {
    now_ += atomic ? held_ns_ : 0;
    return;
  }
  now_ = (now_ > line.free ? now_ : line.free) + transfer_ns_;
  line.free = now_;
  line.sharers = write ? me : line.sharers | me;
}

void Lines::plain(const void *address, bool write) { touch(address, write, false); }

uint64_t Lines::load(const void *address, size_t size, int order) {
  touch(address, false, true);
  return Watcher::load(address, size, order);
}

void Lines::store(void *address, size_t size, uint64_t value, int order) {
  touch(address, true, true);
  Watcher::store(address, size, value, order);
}

uint64_t Lines::update(void *address, size_t size, Update how, uint64_t value, int order) {
  touch(address, true, true);
  return Watcher::update(address, size, how, value, order);
}

bool Lines::exchange(void *address, size_t size, uint64_t *expected, uint64_t value, int order) {
  touch(address, true, true);
  return Watcher::exchange(address, size, expected, value, order);
}

void Lines::clock() {
  now_ += clock_ns_;
  clock_now = now_;
}

} // namespace model
