// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes the arithmetic of the AID schedules: factors stay within bounds, shares within the loop,
// and no exception is raised.

#include "hold.h"

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cfenv>
#include <climits>
#include <cmath>
#include <vector>

extern "C" {
#include "loops/aid-math.h"
}

namespace {

using Ull = unsigned long long;
using Tallies = std::vector<struct gomp_aid_tally>;

/// A few numbers are worth more than others.
Ull count(FuzzedDataProvider &data) {
  static const Ull marked[] = {0,          1,    2, 1ULL << 32, 1ULL << 53, (1ULL << 63) - 1,
                               1ULL << 63, ~0ULL};
  if (data.ConsumeBool())
    return data.PickValueInArray(marked);
  return data.ConsumeIntegral<Ull>() >> data.ConsumeIntegralInRange(0, 63);
}

template <typename F> auto withoutExceptions(F call) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const auto result = call();
  HOLD(!std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW));
  return result;
}

bool within(double factor, double max) {
  // 1 / max is rounded.
  return std::isfinite(factor) && factor <= max && factor * max >= 1 - 1e-15;
}

Ull total(const Tallies &tally, const std::vector<Ull> &share, bool &saturated) {
  unsigned __int128 sum = 0;
  for (size_t c = 0; c < tally.size(); c++)
    sum += static_cast<unsigned __int128>(share[c]) * tally[c].threads;
  saturated = sum > ~0ULL;
  return saturated ? ~0ULL : static_cast<Ull>(sum);
}

void holdFactors(const Tallies &tally, const std::vector<double> &sf, double max) {
  bool slowest = true;
  for (size_t c = 0; c < tally.size(); c++) {
    HOLD(tally[c].threads == 0 ? sf[c] == 0 : within(sf[c], max));
    if (tally[c].threads != 0 && slowest) {
      HOLD(sf[c] == 1);
      slowest = false;
    }
  }
}

/// The true share is compared with, by a type of more digits: 1e-12 is what rounding may cost.
void holdShares(const Tallies &tally, const std::vector<double> &sf, Ull ni, unsigned percent,
                const std::vector<Ull> &share) {
  long double parts = 0, sum = 0;
  for (size_t c = 0; c < tally.size(); c++)
    parts += static_cast<long double>(tally[c].threads) * sf[c];
  for (size_t c = 0; c < tally.size(); c++) {
    sum += static_cast<long double>(tally[c].threads) * share[c];
    if (tally[c].threads == 0) {
      HOLD(share[c] == 0);
      continue;
    }
    const long double due = sf[c] / parts * ni * percent / 100;
    HOLD(share[c] <= ni);
    HOLD(share[c] <= due * (1 + 1e-12L));
    HOLD(share[c] + 1.0L >= due * (1 - 1e-12L));
  }
  HOLD(sum <= static_cast<long double>(ni) * percent / 100 * (1 + 1e-12L));
}

Tallies tallies(FuzzedDataProvider &data) {
  Tallies tally(data.ConsumeIntegralInRange(1, 64));
  for (auto &each : tally) {
    // More threads than a process can have would make sums of shares mean nothing.
    each.threads = data.ConsumeBool() ? data.ConsumeIntegralInRange(0, 1 << 22)
                                      : data.ConsumeIntegralInRange(0, 3);
    each.ns = count(data);
    each.iterations = count(data);
  }
  return tally;
}

/// Chunks of a phase by the factors r, m of the slowest class.
void holdPhase(const Tallies &tally, const std::vector<double> &r, Ull m) {
  std::vector<Ull> share(tally.size());
  bool saturated;
  const Ull all = withoutExceptions(
      [&] { return gomp_aid_phase(tally.size(), tally.data(), r.data(), m, share.data()); });
  HOLD(total(tally, share, saturated) == all);
  for (size_t c = 0; c < tally.size(); c++) {
    HOLD(share[c] >= 1);
    const long double due = static_cast<long double>(r[c]) * m;
    if (due < 1e18L)
      HOLD(std::fabs(share[c] - due) <= 0.5L + due * 1e-12L || share[c] == 1);
    else
      HOLD(share[c] >= due * (1 - 1e-12L) || share[c] == ~0ULL);
  }
}

void holdMajor(const Tallies &tally, const std::vector<double> &r, Ull ni, Ull sampleNs,
               FuzzedDataProvider &data) {
  const Ull major = withoutExceptions(
      [&] { return gomp_aid_major(tally.size(), tally.data(), r.data(), ni, sampleNs); });
  const auto base =
      std::find_if(tally.begin(), tally.end(), [](const auto &each) { return each.threads != 0; });
  if (base == tally.end()) {
    HOLD(major == 1);
    return;
  }
  unsigned threads = 0;
  for (const auto &each : tally)
    threads += each.threads;
  const Ull chunk =
      withoutExceptions([&] { return gomp_aid_timed_chunk(base->ns, base->iterations, threads); });
  HOLD(chunk >= 1);
  // A chunk beyond 2^53 is a double on its way.
  HOLD(static_cast<long double>(major) >= static_cast<long double>(chunk) * (1 - 1e-12L));
  const Ull most = std::max<Ull>(1, count(data));
  HOLD(gomp_aid_time(count(data) >> 10, count(data), most) <= most);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  FuzzedDataProvider data(bytes, size);
  const Tallies tally = tallies(data);
  const unsigned classes = tally.size();
  const double max = data.ConsumeIntegralInRange(1, 1000);
  const Ull ni = count(data), m = count(data),
            sampleNs = data.ConsumeIntegralInRange(0, 1000000000);
  const unsigned percent = data.ConsumeIntegralInRange(1, 100);

  std::vector<double> sf(classes);
  withoutExceptions([&] { return gomp_aid_speedups(classes, tally.data(), max, sf.data()), 0; });
  holdFactors(tally, sf, max);

  std::vector<Ull> share(classes);
  withoutExceptions([&] {
    return gomp_aid_shares(classes, tally.data(), sf.data(), ni, percent, share.data()), 0;
  });
  holdShares(tally, sf, ni, percent, share);

  std::vector<double> r = sf;
  withoutExceptions([&] { return gomp_aid_adjust(classes, tally.data(), max, r.data()), 0; });
  holdFactors(tally, r, max);
  holdPhase(tally, r, m);
  holdMajor(tally, r, ni, sampleNs, data);
  return 0;
}
