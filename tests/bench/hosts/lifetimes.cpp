// Blocks that live for a while, at the bottom of a deep stack: what recording them costs.
//
//   lifetimes SHAPE [--depth N] [--threads N] [--pairs N] [--alive N]
//
// Prints one line of JSON, as pair_loop does. A pair is an allocation and a release, not of the
// same block. SHAPE:
//
//   random       one of --alive blocks goes, whichever, and another one takes its place
//   exponential  the same with sizes from 16 bytes to 64 KiB, half as many of twice the size
//   fifo         half of the threads allocate, the others free in that order, --alive blocks later
//   lifo         --alive blocks come and go again, the last one first
//   generations  as in an interpreter: nine of ten blocks live about 18 steps, most others about
//                45,000, one in a hundred lives on
//   growth       --alive buffers grow by half (realloc), each to 64 KiB, then begins anew
//   handover     random, and every 10,000 steps a thread takes over the blocks of another one
//   live         --pairs blocks of 32 bytes, then all go in their order
//   scattered    the same, but they go in no order

#include "deep_stack.hpp"
#include "random.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace bench_host;  // one program

using Blocks = std::vector<void*>;

struct Options : LoopOptions {
  std::string_view shape;
  std::size_t alive = 1024;
};

// ---- blocks ----

constexpr std::array<std::size_t, 8> kSizes = {24, 64, 40, 256, 32, 1024, 96, 48};
constexpr std::size_t kLargest = 64 << 10;

/// Of this thread, and of all that have ended.
thread_local long t_events;
std::atomic<long> g_events;

template <int kSite>
FRAME void* allocate_at(std::size_t size) {
  void* volatile block = std::malloc(size);
  return block;
}

void* allocate(Random& random, std::size_t size) {
  ++t_events;
  switch (random.next() >> 62) {
    case 0:
      return allocate_at<0>(size);
    case 1:
      return allocate_at<1>(size);
    case 2:
      return allocate_at<2>(size);
    default:
      return allocate_at<3>(size);
  }
}

FRAME void release(void* block) {
  t_events += block != nullptr ? 1 : 0;
  std::free(block);
  asm volatile("" : : : "memory");
}

FRAME void* grow(void* block, std::size_t size) {
  ++t_events;
  void* volatile grown = std::realloc(block, size);
  return grown;
}

std::size_t usual_size(Random& random) {
  return kSizes[random.below(kSizes.size())];
}

std::size_t exponential_size(Random& random) {
  const int doublings = std::min(__builtin_ctzll(random.next() | (1ULL << 11)), 11);
  const std::size_t least = std::size_t{16} << doublings;
  return least + random.below(least);
}

// ---- shapes ----

/// Blocks that wait to be taken over by another thread: one set a thread, there is always one.
class Exchange {
 public:
  void swap(Blocks& blocks) {
    const std::scoped_lock guard(lock_);
    waiting_.swap(blocks);
  }
  void fill(Blocks blocks) { waiting_ = std::move(blocks); }
  const Blocks& blocks() const { return waiting_; }

 private:
  std::mutex lock_;
  Blocks waiting_;
};

/// From one allocating thread to one that frees.
class Queue {
 public:
  explicit Queue(std::size_t alive) : places_(2 * alive), behind_(alive) {}

  void push(void* block) {
    const std::size_t at = pushed_.load(std::memory_order_relaxed);
    while (at - taken_.load(std::memory_order_acquire) == places_.size())
      std::this_thread::yield();
    places_[at % places_.size()] = block;
    pushed_.store(at + 1, std::memory_order_release);
  }
  void finish() { is_finished_.store(true, std::memory_order_release); }

  /// @return null after the last one.
  void* take() {
    const std::size_t at = taken_.load(std::memory_order_relaxed);
    while (pushed_.load(std::memory_order_acquire) <= at + behind_ && !is_finished_.load())
      std::this_thread::yield();
    if (pushed_.load(std::memory_order_acquire) == at)
      return nullptr;
    void* block = places_[at % places_.size()];
    taken_.store(at + 1, std::memory_order_release);
    return block;
  }

 private:
  Blocks places_;
  const std::size_t behind_;
  std::atomic<std::size_t> pushed_{0};
  std::atomic<std::size_t> taken_{0};
  std::atomic<bool> is_finished_{false};
};

/// What the threads share.
struct Shared {
  explicit Shared(const Options& options) : not_ready(options.threads) {
    for (int i = 0; i < options.threads; i += 2)
      queues.push_back(std::make_unique<Queue>(options.alive));
    Random random(options.threads);
    Blocks first;
    for (std::size_t i = 0; options.shape == "handover" && i < options.alive; ++i)
      first.push_back(std::malloc(usual_size(random)));
    exchange.fill(std::move(first));
  }
  std::atomic<int> not_ready;
  std::vector<std::unique_ptr<Queue>> queues;
  Exchange exchange;
};

class Thread {
 public:
  Thread(const Options& options, int number, Shared& shared)
      : options_(options), number_(number), shared_(shared), random_(number) {}

  Result run() {
    const std::string_view shape = options_.shape;
    if (shape == "fifo")
      return number_ % 2 == 0 ? produce() : consume();
    if (shape == "lifo")
      return come_and_go();
    if (shape == "generations")
      return age();
    if (shape == "growth")
      return grow_buffers();
    if (shape == "live" || shape == "scattered")
      return live(shape == "scattered");
    return replace(shape == "exponential", shape == "handover");
  }

 private:
  template <typename Work>
  Result measured(Work work) {
    return measure(shared_.not_ready, options_.pairs, work);
  }
  std::size_t size(bool is_exponential) {
    return is_exponential ? exponential_size(random_) : usual_size(random_);
  }
  Blocks fill(std::size_t count, bool is_exponential) {
    Blocks blocks;
    blocks.reserve(count);
    while (blocks.size() < count)
      blocks.push_back(allocate(random_, size(is_exponential)));
    return blocks;
  }
  static void drop(const Blocks& blocks) {
    for (void* block : blocks)
      release(block);
  }

  Result replace(bool is_exponential, bool is_handed_over) {
    constexpr long kHandoverSteps = 10'000;
    Blocks blocks = fill(options_.alive, is_exponential);
    const Result result = measured([&] {
      for (long i = 0; i < options_.pairs; ++i) {
        void*& place = blocks[random_.below(blocks.size())];
        release(place);
        place = allocate(random_, size(is_exponential));
        if (is_handed_over && i % kHandoverSteps == kHandoverSteps - 1)
          shared_.exchange.swap(blocks);
      }
    });
    drop(blocks);
    return result;
  }

  Result produce() {
    Queue& queue = *shared_.queues[static_cast<std::size_t>(number_ / 2)];
    return measured([&] {
      for (long i = 0; i < 2 * options_.pairs; ++i)  // also for the thread that frees
        queue.push(allocate(random_, usual_size(random_)));
      queue.finish();
    });
  }

  Result consume() {
    Queue& queue = *shared_.queues[static_cast<std::size_t>(number_ / 2)];
    return measured([&] {
      while (void* block = queue.take())
        release(block);
    });
  }

  Result come_and_go() {
    Blocks blocks;
    blocks.reserve(options_.alive);
    return measured([&] {
      for (long left = options_.pairs; left > 0;) {
        for (; left > 0 && blocks.size() < options_.alive; --left)
          blocks.push_back(allocate(random_, usual_size(random_)));
        for (; !blocks.empty(); blocks.pop_back())
          release(blocks.back());
      }
    });
  }

  Result age() {
    constexpr std::size_t kOldBlocks = 262'144;
    std::array<Blocks, 3> generations = {Blocks(16), Blocks(4096), Blocks(kOldBlocks)};
    const Result result = measured([&] {
      for (long i = 0; i < options_.pairs; ++i) {
        const std::size_t percent = random_.below(100);
        Blocks& blocks = generations[percent < 90 ? 0 : percent < 99 ? 1 : 2];
        void*& place = blocks[random_.below(blocks.size())];
        release(place);
        place = allocate(random_, 16 * (1 + random_.below(32)));
      }
    });
    for (const Blocks& blocks : generations)
      drop(blocks);
    return result;
  }

  Result grow_buffers() {
    Blocks buffers(options_.alive);
    std::vector<std::size_t> sizes(options_.alive);
    const Result result = measured([&] {
      for (long i = 0; i < options_.pairs; ++i) {
        const std::size_t at = random_.below(buffers.size());
        if (sizes[at] > kLargest) {
          release(buffers[at]);
          buffers[at] = nullptr;
          sizes[at] = 0;
        }
        sizes[at] += sizes[at] / 2 + 16;
        buffers[at] = grow(buffers[at], sizes[at]);
      }
    });
    drop(buffers);
    return result;
  }

  Result live(bool is_scattered) {
    constexpr std::size_t kSize = 32;
    const auto count = static_cast<std::size_t>(options_.pairs);
    // The order is made before the clock runs.
    std::vector<std::uint32_t> order(count);
    for (std::size_t i = 0; i < count; ++i)
      order[i] = static_cast<std::uint32_t>(i);
    if (is_scattered)
      std::ranges::shuffle(order, std::mt19937(1));
    Blocks blocks(count);
    return measured([&] {
      for (void*& block : blocks)
        block = allocate(random_, kSize);
      for (const std::uint32_t at : order)
        release(blocks[at]);
    });
  }

  const Options& options_;
  int number_;
  Shared& shared_;
  Random random_;
};

// ---- the program ----

bool is_known(std::string_view shape) {
  constexpr std::array<std::string_view, 9> kShapes = {"random",   "exponential", "fifo",
                                                       "lifo",     "generations", "growth",
                                                       "handover", "live",        "scattered"};
  return std::ranges::find(kShapes, shape) != kShapes.end();
}

Options parse(int argc, char** argv) {
  Options options;
  options.shape = argc > 1 ? argv[1] : "";
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--alive") == 0)
      options.alive = static_cast<std::size_t>(number_behind(argc, argv, i));
    else if (!options.take(argc, argv, i))
      std::exit(2);
  }
  const bool has_pairs_of_threads = options.shape != "fifo" || options.threads % 2 == 0;
  if (!is_known(options.shape) || !options.make_sense() || options.alive < 1 ||
      !has_pairs_of_threads)
    std::exit(2);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  Shared shared(options);
  std::vector<Result> results(static_cast<std::size_t>(options.threads));
  on_threads(options.threads, [&](int i) {
    const auto work = [&] {
      results[static_cast<std::size_t>(i)] = Thread(options, i, shared).run();
      g_events += t_events;
    };
    descend<0>(work, 1, options.depth);
  });
  for (void* block : shared.exchange.blocks())
    std::free(block);
  print(options.depth, options.pairs, g_events, results);
  return 0;
}
