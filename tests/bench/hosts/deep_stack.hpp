/// Work at the bottom of a deep stack, timed: what the programs of the pair rows have in common.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include <time.h>

/// Neither cloned, merged nor turned into a jump: every frame that is written here is on the stack.
#define FRAME [[gnu::noipa]]

namespace bench_host {

inline double clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// The number behind the option at `i`, which goes on to it; 0 where there is none.
inline long number_behind(int argc, char** argv, int& i) {
  return i + 1 < argc ? std::atol(argv[++i]) : 0;
}

/// What every such program can be told.
struct LoopOptions {
  int depth = 24;  ///< Frames between a thread's first function and the allocating one.
  int threads = 1;
  long pairs = 1'000'000;  ///< Of each thread.

  /// Takes the option at `i`, and what is behind it.
  /// @return false where it is none of these.
  bool take(int argc, char** argv, int& i) {
    const std::string_view name = argv[i];
    if (name == "--depth")
      depth = static_cast<int>(number_behind(argc, argv, i));
    else if (name == "--threads")
      threads = static_cast<int>(number_behind(argc, argv, i));
    else if (name == "--pairs")
      pairs = number_behind(argc, argv, i);
    else
      return false;
    return true;
  }
  [[nodiscard]] bool make_sense() const { return depth >= 1 && threads >= 1 && pairs >= 1; }
};

/// Of one thread.
struct Result {
  double ns_per_pair = 0;
  double cpu_ns_per_pair = 0;
};

/// Runs `work` as the measured part of this thread, once all threads have come so far.
/// @param pairs that `work` makes.
template <typename Work>
Result measure(std::atomic<int>& not_ready, long pairs, Work work) {
  --not_ready;
  while (not_ready.load() > 0)
    std::this_thread::yield();
  const double cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const double begin = clock_ns(CLOCK_MONOTONIC);
  work();
  const double end = clock_ns(CLOCK_MONOTONIC);
  const auto count = static_cast<double>(pairs);
  return {(end - begin) / count, (clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu) / count};
}

/// Frames of different sizes, as in real programs.
template <int kShape, typename Inside>
[[gnu::always_inline]] inline void with_frame(Inside inside) {
  std::array<char, std::size_t{16 + 40 * kShape}> local;
  asm volatile("" : : "r"(local.data()) : "memory");
  inside();
  asm volatile("" : : "r"(local.data()) : "memory");  // also: `inside` is no tail call
}

template <int kShape, typename Inside>
FRAME void descend(Inside& inside, int level, int bottom);

template <typename Inside>
[[gnu::always_inline]] inline void descend_further(Inside& inside, int level, int bottom) {
  if (level >= bottom)
    return inside();
  switch (level % 6) {
    case 0:
      return descend<0>(inside, level + 1, bottom);
    case 1:
      return descend<1>(inside, level + 1, bottom);
    case 2:
      return descend<2>(inside, level + 1, bottom);
    case 3:
      return descend<3>(inside, level + 1, bottom);
    case 4:
      return descend<4>(inside, level + 1, bottom);
    default:
      return descend<5>(inside, level + 1, bottom);
  }
}

/// Calls `inside` with `bottom - level` frames above it.
template <int kShape, typename Inside>
FRAME void descend(Inside& inside, int level, int bottom) {
  with_frame<kShape>([&] { descend_further(inside, level, bottom); });
}

/// Runs `run(i)` on as many threads. One of them is the main thread: alone, the allocator knows
/// that there is no other.
template <typename Run>
void on_threads(int threads, Run run) {
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back([&run, i] { run(i); });
  run(0);
  for (std::thread& other : others)
    other.join();
}

/// One line of JSON; means over the threads.
/// @param events of the whole program: allocations, releases, and each realloc as one.
inline void print(int depth, long pairs, long events, const std::vector<Result>& results) {
  const auto threads = static_cast<double>(results.size());
  double wall = 0;
  double cpu = 0;
  for (const Result& result : results) {
    wall += result.ns_per_pair / threads;
    cpu += result.cpu_ns_per_pair / threads;
  }
  std::printf(
      "{\"depth\": %d, \"threads\": %zu, \"pairs\": %ld, \"events\": %ld, \"ns_per_pair\": %.2f, "
      "\"cpu_ns_per_pair\": %.2f, \"process_cpu_ns\": %.0f}\n",
      depth, results.size(), pairs, events, wall, cpu, clock_ns(CLOCK_PROCESS_CPUTIME_ID));
}

}  // namespace bench_host
