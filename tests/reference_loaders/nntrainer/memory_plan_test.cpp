#include "reference_loaders/nntrainer/memory_plan.hpp"

#include "tests/support/catch.hpp"

#include <random>

using namespace tidemark::loaders::nntrainer;

namespace {

bool overlap(const MemoryPlan& plan,
             const std::vector<Lifespan>& all,
             std::size_t a,
             std::size_t b) {
  return all[a].first <= all[b].last && all[b].first <= all[a].last &&
         plan.offsets[a] < plan.offsets[b] + all[b].bytes &&
         plan.offsets[b] < plan.offsets[a] + all[a].bytes;
}

}  // namespace

TEST_CASE("tensors of different times share a place", "[nntrainer][plan]") {
  const MemoryPlan plan = plan_memory({{100, 0, 1}, {50, 2, 3}, {60, 2, 2}});

  CHECK(plan.offsets == std::vector<std::uint64_t>{0, 60, 0});
  CHECK(plan.bytes == 110);
}

TEST_CASE("tensors of the same time are beside each other", "[nntrainer][plan]") {
  CHECK(plan_memory({{100, 0, 2}, {50, 2, 3}}).bytes == 150);
}

TEST_CASE("a gap is used where it is large enough", "[nntrainer][plan]") {
  const std::vector<Lifespan> tensors = {{100, 0, 0}, {10, 0, 9}, {40, 1, 9}, {70, 2, 9}};
  const MemoryPlan plan = plan_memory(tensors);

  CHECK(plan.offsets == std::vector<std::uint64_t>{0, 100, 0, 110});
}

TEST_CASE("no two tensors of the same time overlap", "[nntrainer][plan]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U);
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::vector<Lifespan> tensors;
  for (int i = 0; i < 60; ++i) {
    const std::size_t first = random() % 20;
    tensors.push_back({random() % 100 + 1, first, first + random() % 5});
  }

  const MemoryPlan plan = plan_memory(tensors);

  for (std::size_t a = 0; a < tensors.size(); ++a) {
    CHECK(plan.offsets[a] + tensors[a].bytes <= plan.bytes);
    for (std::size_t b = 0; b < a; ++b) {
      CHECK_FALSE(overlap(plan, tensors, a, b));
    }
  }
}
