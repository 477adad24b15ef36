// Threads that allocate, grow, hand blocks to each other and free what others made.
//
//   allocator_torture [THREADS] [STEPS]

#include "random.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

using bench_host::Random;

constexpr std::size_t kPlaces = 4096;
std::array<std::atomic<void*>, kPlaces> g_places;

/// Mostly small, now and then large.
std::size_t size_of(Random& random) {
  const std::size_t kind = random.below(100);
  if (kind < 90)
    return 8 + random.below(512);
  return kind < 99 ? random.below(1U << 14) : random.below(1U << 18);
}

void swap_block(Random& random) {
  std::atomic<void*>& place = g_places[random.below(kPlaces)];
  std::free(place.exchange(std::malloc(size_of(random))));
}

void grow_block(Random& random) {
  void* block = g_places[random.below(kPlaces)].exchange(nullptr);
  if (void* grown = std::realloc(block, 1 + size_of(random)))
    std::free(g_places[random.below(kPlaces)].exchange(grown));
}

void use_containers(Random& random) {
  std::unordered_map<std::size_t, std::string> map;
  for (int i = 0; i < 8; ++i)
    map[random.below(64)] = std::string(random.below(80), 'x');
  const std::vector<std::shared_ptr<int>> shared(4, std::make_shared<int>(1));
}

void run(std::uint64_t seed, long steps) {
  Random random(seed);
  for (long i = 0; i < steps; ++i) {
    const std::size_t what = random.below(16);
    if (what < 12)
      swap_block(random);
    else if (what < 15)
      grow_block(random);
    else
      use_containers(random);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 4;
  const long steps = argc > 2 ? std::atol(argv[2]) : 100'000;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back(run, static_cast<std::uint64_t>(i + 1), steps);
  for (std::thread& thread : running)
    thread.join();
  for (std::atomic<void*>& place : g_places)
    std::free(place.load());
  return 0;
}
