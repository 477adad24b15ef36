// malloc+free pairs at the bottom of a deep stack: what recording one of them costs.
//
//   pair_loop [--depth N] [--threads N] [--pairs N] [--varied]
//
// Prints one line of JSON. Built as anybody builds: -O2, no frame pointers.

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <time.h>

namespace {

struct Options {
  int depth = 24;
  int threads = 1;
  long pairs = 1'000'000;
  bool varied = false;
};

struct Result {
  double ns_per_pair = 0;
  double cpu_ns_per_pair = 0;
};

/// What one thread carries down its stack.
struct Work {
  int depth = 0;  ///< Frames between the thread's first function and the allocating one.
  long pairs = 0;
  bool varied = false;
  std::atomic<int>* not_ready = nullptr;
  std::uint64_t random = 0x9E3779B97F4A7C15U;
  int wanted_level = 0;  ///< Varied: where the next pair is to be made.
  Result result;
};

double clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// ---- pairs ----

constexpr std::array<std::size_t, 8> kSizes = {24, 64, 40, 256, 32, 1024, 96, 48};

/// Neither cloned, merged nor turned into a jump: every frame that is written here is on the stack.
#define FRAME [[gnu::noipa]]

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

/// Runs `loop` as the measured part.
template <typename Loop>
void measure(Work& work, Loop loop) {
  constexpr long kWarmUp = 2000;
  loop(kWarmUp);
  --*work.not_ready;
  while (work.not_ready->load() > 0)
    std::this_thread::yield();
  const double cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const double begin = clock_ns(CLOCK_MONOTONIC);
  loop(work.pairs);
  const double end = clock_ns(CLOCK_MONOTONIC);
  const auto pairs = static_cast<double>(work.pairs);
  work.result.ns_per_pair = (end - begin) / pairs;
  work.result.cpu_ns_per_pair = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu) / pairs;
}

// ---- stacks ----

/// Frames of different sizes, as in real programs.
template <int kShape, typename Inside>
[[gnu::always_inline]] inline void with_frame(Inside inside) {
  std::array<char, std::size_t{16 + 40 * kShape}> local;
  asm volatile("" : : "r"(local.data()) : "memory");
  inside();
  asm volatile("" : : "r"(local.data()) : "memory");  // also: `inside` is no tail call
}

/// How far below and above the nominal depth the varied walk goes.
constexpr int kReach = 4;

std::uint64_t next_random(Work& work) {
  work.random ^= work.random << 13;
  work.random ^= work.random >> 7;
  work.random ^= work.random << 17;
  return work.random;
}

/// A random walk, a few frames up or down between two pairs.
void choose_level(Work& work) {
  const int move = static_cast<int>(next_random(work) % 7) - 3;
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
  measure(work, [&](long pairs) {
    while (pairs > 0)
      wander<0>(work, pairs, base);
  });
}

FRAME void loop_in_place(Work& work) {
  measure(work, [](long pairs) {
    for (long i = 0; i < pairs; ++i)
      make_pair(i);
  });
}

template <int kShape>
FRAME void descend(Work& work, int level);

[[gnu::always_inline]] inline void descend_further(Work& work, int level) {
  const int bottom = work.varied ? work.depth - kReach : work.depth;
  if (level >= bottom)
    return work.varied ? loop_with_moves(work) : loop_in_place(work);
  switch (level % 6) {
    case 0:
      return descend<0>(work, level + 1);
    case 1:
      return descend<1>(work, level + 1);
    case 2:
      return descend<2>(work, level + 1);
    case 3:
      return descend<3>(work, level + 1);
    case 4:
      return descend<4>(work, level + 1);
    default:
      return descend<5>(work, level + 1);
  }
}

template <int kShape>
FRAME void descend(Work& work, int level) {
  with_frame<kShape>([&] { descend_further(work, level); });
}

// ---- the program ----

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const auto number = [&] { return i + 1 < argc ? std::atol(argv[++i]) : 0; };
    if (std::strcmp(argv[i], "--depth") == 0)
      options.depth = static_cast<int>(number());
    else if (std::strcmp(argv[i], "--threads") == 0)
      options.threads = static_cast<int>(number());
    else if (std::strcmp(argv[i], "--pairs") == 0)
      options.pairs = number();
    else if (std::strcmp(argv[i], "--varied") == 0)
      options.varied = true;
    else
      std::exit(2);
  }
  if (options.depth < 1 || options.threads < 1 || options.pairs < 1)
    std::exit(2);
  return options;
}

void print(const Options& options, const std::vector<Work>& works) {
  double wall = 0;
  double cpu = 0;
  for (const Work& work : works) {
    wall += work.result.ns_per_pair / options.threads;
    cpu += work.result.cpu_ns_per_pair / options.threads;
  }
  std::printf(
      "{\"depth\": %d, \"threads\": %d, \"pairs\": %ld, \"ns_per_pair\": %.2f, "
      "\"cpu_ns_per_pair\": %.2f, \"process_cpu_ns\": %.0f}\n",
      options.depth, options.threads, options.pairs, wall, cpu, clock_ns(CLOCK_PROCESS_CPUTIME_ID));
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
  // One thread is the main thread: then the allocator knows that there is no other.
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < works.size(); ++i)
    others.emplace_back([&work = works[i]] { descend<0>(work, 1); });
  descend<0>(works[0], 1);
  for (std::thread& other : others)
    other.join();
  print(options, works);
  return 0;
}
