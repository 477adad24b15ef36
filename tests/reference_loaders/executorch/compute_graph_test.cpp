// The whole load, on a device. lavapipe is one, so this needs no graphics card.
#include "reference_loaders/executorch/compute_graph.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/executorch/peak_plan.hpp"
#include "reference_loaders/executorch/weight_reader.hpp"
#include "tests/reference_loaders/executorch/loaded_graph.hpp"
#include "tests/reference_loaders/executorch/tiny_model.hpp"

#include <cstring>
#include <stdexcept>

using namespace tidemark::loaders;
using namespace tidemark::loaders::executorch;
using test::LoadedGraph;

namespace {

constexpr LoadRules kEager{.early_weights = true, .early_activations = true};
constexpr LoadRules kHalfApplied{.early_activations = true};
constexpr LoadRules kFlushing{.flush_limit = 0};
constexpr LoadRules kTied{.flush_limit = 0, .counts_uses = true};
constexpr LoadRules kTiedCached{.flush_limit = 0, .counts_uses = true, .caches_packed = true};

}  // namespace

TEST_CASE("packed weights are those of the file", "[executorch][vulkan]") {
  if (test::is_skipped_without_vulkan()) {
    return;
  }
  LoadedGraph loaded(test::kOneHead, {});
  loaded.load();

  WeightReader reader(loaded.memory(), loaded.commands());
  for (const PackedWeight& weight : loaded.compute().weights()) {
    const auto constant = static_cast<std::size_t>(loaded.graph().values[weight.value].constant_id);
    const std::string& key = loaded.graph().constants[constant];
    CAPTURE(key);
    const auto in_file = loaded.data().get_data(loaded.data().find(key));
    const std::vector<float> read = reader.read(weight.buffer.get(), weight.shape);
    REQUIRE(read.size() * sizeof(float) == in_file.bytes().size());
    CHECK(std::memcmp(read.data(), in_file.bytes().data(), in_file.bytes().size()) == 0);
  }
}

TEST_CASE("what a loader counts at its peak is what was planned", "[executorch][vulkan]") {
  if (test::is_skipped_without_vulkan()) {
    return;
  }
  const auto [spec, rules] = GENERATE(table<LlamaSpec, LoadRules>(
      {{test::kTwoHeads, kEager},
       {test::kTwoHeads, kHalfApplied},
       {test::kTwoHeads, LoadRules{}},
       {test::kTwoHeads, kFlushing},
       {LlamaSpec{.heads = 2, .tokens = 200}, LoadRules{}},
       {LlamaSpec{.heads = 2, .tokens = 200, .is_tied = true}, kTied},
       {LlamaSpec{.heads = 2, .tokens = 200, .is_tied = true}, kTiedCached}}));
  LoadedGraph loaded(spec, rules);
  loaded.load();
  loaded.read_back();

  const std::uint64_t planned = planned_peak(loaded.graph(), rules, true);
  // The front of the .ptd file, which is on the host for a moment, and what the device rounds up.
  CHECK(loaded.footprint().peak() == Approx(planned).epsilon(0.001));
}

TEST_CASE("staging memory lives on until the flush, however often commands are submitted",
          "[executorch][vulkan]") {
  if (test::is_skipped_without_vulkan()) {
    return;
  }
  LoadedGraph piled(test::kTwoHeads, {});
  LoadedGraph flushed(test::kTwoHeads, kFlushing);
  piled.load();
  flushed.load();

  CHECK(piled.footprint().peak() > flushed.footprint().peak() + 4 * kMegabyte);
  CHECK(piled.footprint().device() == flushed.footprint().device());
}

TEST_CASE("nothing is left on the device when a load is over", "[executorch][vulkan]") {
  if (test::is_skipped_without_vulkan()) {
    return;
  }
  Footprint footprint;
  const VulkanDevice device;
  {
    const DeviceMemory memory(device, &footprint, true);
    DeviceBuffer buffer(device, 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    CHECK(footprint.device() == 0);
    buffer.allocate(memory, DeviceMemory::Use::kTensors);
    CHECK(footprint.device() >= 4096);
  }
  CHECK(footprint.device() == 0);
}

TEST_CASE("a constant that its first consumer freed is not packed again", "[executorch][vulkan]") {
  if (test::is_skipped_without_vulkan()) {
    return;
  }
  LoadedGraph loaded(test::kTiedHead, kFlushing);

  CHECK_THROWS_WITH(loaded.load(), Catch::Contains("has a second consumer"));
}

TEST_CASE("tied weights are packed once or twice, and alike", "[executorch][vulkan]") {
  if (test::is_skipped_without_vulkan()) {
    return;
  }
  LoadedGraph twice(test::kTiedHead, kTied);
  LoadedGraph once(test::kTiedHead, kTiedCached);
  twice.load();
  once.load();

  REQUIRE(twice.compute().weights().size() == once.compute().weights().size() + 1);
  const PackedWeight& first = twice.compute().weights().front();
  const PackedWeight& last = twice.compute().weights().back();
  REQUIRE(first.value == last.value);
  WeightReader reader(twice.memory(), twice.commands());
  CHECK(reader.read(first.buffer.get(), first.shape) == reader.read(last.buffer.get(), last.shape));
}

TEST_CASE("rows that fill no group of four are packed with zeros and come back without",
          "[executorch]") {
  // Rows 0 to 3 of two columns, then row 4 and three rows of zeros.
  const std::vector<float> packed = {0, 2, 4, 6, 1, 3, 5, 7, 8, 0, 0, 0, 9, 0, 0, 0};
  std::vector<float> rows(10);

  unpack(packed, 2, rows);

  CHECK(rows == std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(MatrixShape{.rows = 5, .columns = 2}.packed_bytes() == packed.size() * sizeof(float));
}
