/// Stacks of every shape that compiled code has, grown by a seeded random walk of calls.
#pragma once

#include <cstdint>
#include <random>

namespace tidemark::tests {

/// One walk. `probe` is called at many points of it, at stacks that differ a little from one to the
/// next, as the stacks of a program's allocations do.
struct Walk {
  explicit Walk(unsigned seed, void (*at_each)()) : random(seed), probe(at_each) {}

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random()) % below; }

  std::mt19937 random;
  void (*probe)();
};

/// Calls scenes within scenes, `depth` of them, and the probe before, between and after.
void grow(Walk& walk, int depth);

/// A scene calls `grow` once or twice with one less, in its own way.
using Scene = void (*)(Walk& walk, int depth);
constexpr int kSceneCount = 17;

// The same code, once as most programs have it, once with frame pointers.
extern const Scene kScenesWithoutFramePointer[kSceneCount];
extern const Scene kScenesWithFramePointer[kSceneCount];

}  // namespace tidemark::tests
