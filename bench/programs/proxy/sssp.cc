// SPDX-License-Identifier: GPL-3.0-or-later
// Shortest paths by delta-stepping: one loop over the nodes of a bucket of distances, again until
// it stays empty, then the next bucket. Each thread collects the nodes that it improved; the lists
// are joined serially.
//
// Source: Meyer, Sanders, "Delta-stepping: a parallelizable shortest path algorithm", 2003.
//
// Verified by every distance, exactly, against Dijkstra's algorithm with a heap.

#include "proxy.h"

#include <climits>
#include <functional>
#include <omp.h>
#include <queue>
#include <utility>
#include <vector>

namespace {

using Nodes = std::vector<int>;

// Lower the DISTANCE of a node to LENGTH; whether it was larger.
bool improve(int &distance, int length) {
  int seen = __atomic_load_n(&distance, __ATOMIC_RELAXED);
  while (length < seen)
    if (__atomic_compare_exchange_n(&distance, &seen, length, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return true;
  return false;
}

// Put the nodes that the threads FOUND into the BUCKETS of their distances.
void join(std::vector<Nodes> &found, const Nodes &distance, long delta,
          std::vector<Nodes> &buckets) {
  for (Nodes &mine : found) {
    for (int node : mine) {
      std::size_t bucket = distance[node] / delta;
      if (bucket >= buckets.size())
        buckets.resize(bucket + 1);
      buckets[bucket].push_back(node);
    }
    mine.clear();
  }
}

void search(const proxy_graph &g, int source, long delta, Nodes &distance) {
  std::vector<Nodes> buckets{{source}}, found(omp_get_max_threads());
  distance[source] = 0;
  for (std::size_t at = 0; at < buckets.size(); at++)
    while (!buckets[at].empty()) {
      Nodes frontier = std::exchange(buckets[at], {});
      long count = static_cast<long>(frontier.size());
#pragma omp parallel for
      for (long i = 0; i < count; i++) {
        int node = frontier[i], far = __atomic_load_n(&distance[node], __ATOMIC_RELAXED);
        // It was improved since, and is in an earlier bucket as well.
        if (far < static_cast<long>(at) * delta)
          continue;
        for (long e = g.start[node]; e < g.start[node + 1]; e++)
          if (improve(distance[g.target[e]], far + g.weight[e]))
            found[omp_get_thread_num()].push_back(g.target[e]);
      }
      join(found, distance, delta, buckets);
    }
}

void search_serially(const proxy_graph &g, int source, Nodes &distance) {
  using Entry = std::pair<int, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> heap;
  distance[source] = 0;
  heap.emplace(0, source);
  while (!heap.empty()) {
    auto [far, node] = heap.top();
    heap.pop();
    if (far > distance[node])
      continue;
    for (long e = g.start[node]; e < g.start[node + 1]; e++)
      if (far + g.weight[e] < distance[g.target[e]]) {
        distance[g.target[e]] = far + g.weight[e];
        heap.emplace(distance[g.target[e]], g.target[e]);
      }
  }
}

} // namespace

int main(int argc, char **argv) {
  proxy_graph g{10000, 4, nullptr, nullptr, nullptr};
  long delta = 64, repeats = 6;
  const bench_option options[] = {
      PROXY_GRAPH_OPTIONS(g, 1),
      {"delta", &delta, 1, 100000, "the width of a bucket of distances", nullptr},
      {"repeats", &repeats, 1, 100000, "searches, each from another node", nullptr},
      {}};
  bench_read_options(argc, argv, "Find shortest paths by buckets of distances.", options);

  proxy_make_graph(&g, g.nodes);
  for (long r = 0; r < repeats; r++) {
    Nodes distance(g.nodes, INT_MAX), expected(g.nodes, INT_MAX);
    bench_start();
    search(g, proxy_source(&g, r), delta, distance);
    bench_stop();
    search_serially(g, proxy_source(&g, r), expected);
    bench_verify(distance == expected);
  }
  return bench_result(nullptr);
}
