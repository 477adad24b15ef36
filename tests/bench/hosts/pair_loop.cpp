// malloc+free pairs at the bottom of a deep stack: what recording one of them costs.
//
//   pair_loop [--depth N] [--threads N] [--pairs N] [--varied]
//
// Prints one line of JSON. Built as anybody builds: -O2, no frame pointers.

#include "deep_stack.hpp"
#include "random.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using namespace bench_host;  // one program

struct Options : LoopOptions {
  bool varied = false;
};

/// What one thread carries down its stack.
struct Work {
  int depth = 0;  ///< Frames between the thread's first function and the allocating one.
  long pairs = 0;
  bool varied = false;
  std::atomic<int>* not_ready = nullptr;
  Random random{1};
  int wanted_level = 0;  ///< Varied: where the next pair is to be made.
  Result result;
};

// ---- pairs ----

constexpr long kWarmUpPairs = 2000;

constexpr std::array<std::size_t, 8> kSizes = {24, 64, 40, 256, 32, 1024, 96, 48};

template <int kSite>
FRAME void pair_at(std::size_t size) {
  void* volatile block = std::malloc(size + kSite);
  std::free(block);
  asm volatile("" : : : "memory");
}

void make_pair(long i) {
  const std::size_t size = kSizes[static_cast<std::size_t>(i) % kSizes.size()];
  switch (i & 3) {
    case 0:
      return pair_at<0>(size);
    case 1:
      return pair_at<1>(size);
    case 2:
      return pair_at<2>(size);
    default:
      return pair_at<3>(size);
  }
}

template <typename Loop>
void measure_loop(Work& work, Loop loop) {
  loop(kWarmUpPairs);
  work.result = measure(*work.not_ready, work.pairs, [&] { loop(work.pairs); });
}

// ---- stacks ----

/// How far below and above the nominal depth the varied walk goes.
constexpr int kReach = 4;

/// A random walk, a few frames up or down between two pairs.
void choose_level(Work& work) {
  const int move = static_cast<int>(work.random.below(7)) - 3;
  const int wanted = work.wanted_level + move;
  if (wanted >= work.depth - kReach && wanted <= work.depth + kReach)
    work.wanted_level = wanted;
}

template <int kShape>
FRAME void wander(Work& work, long& left, int level);

[[gnu::always_inline]] inline void wander_further(Work& work, long& left, int level) {
  switch (level & 3) {
    case 0:
      return wander<0>(work, left, level + 1);
    case 1:
      return wander<1>(work, left, level + 1);
    case 2:
      return wander<2>(work, left, level + 1);
    default:
      return wander<5>(work, left, level + 1);
  }
}

/// Makes the pairs that belong to this level, goes in for those further in, and out for the others.
template <int kShape>
FRAME void wander(Work& work, long& left, int level) {
  with_frame<kShape>([&] {
    while (left > 0 && work.wanted_level >= level) {
      if (work.wanted_level > level) {
        wander_further(work, left, level);
      } else {
        make_pair(left--);
        choose_level(work);
      }
    }
  });
}

FRAME void loop_with_moves(Work& work) {
  const int base = work.depth - kReach;
  work.wanted_level = work.depth;
  measure_loop(work, [&](long pairs) {
    while (pairs > 0)
      wander<0>(work, pairs, base);
  });
}

FRAME void loop_in_place(Work& work) {
  measure_loop(work, [](long pairs) {
    for (long i = 0; i < pairs; ++i)
      make_pair(i);
  });
}

void run(Work& work) {
  const auto loop = [&work] { return work.varied ? loop_with_moves(work) : loop_in_place(work); };
  descend<0>(loop, 1, work.varied ? work.depth - kReach : work.depth);
}

// ---- the program ----

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--varied") == 0)
      options.varied = true;
    else if (!options.take(argc, argv, i))
      std::exit(2);
  }
  if (!options.make_sense())
    std::exit(2);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::atomic<int> not_ready = options.threads;
  std::vector<Work> works(static_cast<std::size_t>(options.threads));
  for (Work& work : works) {
    work.depth = options.depth;
    work.pairs = options.pairs;
    work.varied = options.varied;
    work.not_ready = &not_ready;
  }
  on_threads(options.threads, [&](int i) { run(works[static_cast<std::size_t>(i)]); });
  std::vector<Result> results;
  for (const Work& work : works)
    results.push_back(work.result);
  print(options.depth, options.pairs, 2 * options.threads * (options.pairs + kWarmUpPairs),
        results);
  return 0;
}
