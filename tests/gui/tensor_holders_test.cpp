// Which block somebody is led to who looks for a tensor.
#include "gui/view/blocks/tensor_holders.hpp"

#include "analyzer/query/footprint/peak.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <vector>

using namespace tidemark;

namespace {

constexpr std::uint64_t kBytes = 1 << 20;

gui::TensorHolders holders_in(tests::TraceBuilder& builder,
                              const std::vector<analyzer::SizedBlock>& sized = {}) {
  auto trace = builder.open();
  return gui::tensor_holders(trace, analyzer::find_peak(trace).at, sized);
}

}  // namespace

TEST_CASE("a tensor is found in the block that has most of it at the peak", "[gui]") {
  tests::TraceBuilder builder;
  const auto file = builder.file("/models/a.safetensors", 2 * kBytes);
  builder.tensor(file, kBytes / 4, kBytes, "embed");
  builder.tensor(file, kBytes / 4, kBytes, "head");
  const auto mapping = builder.at_ms(1).map(file, 2 * kBytes);
  builder.origin(mapping, 0, file, 0, 2 * kBytes);
  const auto gone = builder.at_ms(2).allocate(2 * kBytes);
  builder.origin(gone, 0, file, 0, 2 * kBytes);
  builder.at_ms(3).release(gone);
  const auto part = builder.at_ms(4).allocate(kBytes / 4);
  builder.origin(part, 0, file, 0, kBytes / 4);
  const auto whole = builder.at_ms(5).allocate(kBytes);
  builder.match(whole, file, 0, "");
  builder.at_ms(6).allocate(4 * kBytes);

  const auto holders = holders_in(builder);

  REQUIRE(holders.size() == 2);
  REQUIRE(holders[0].has_value());
  CHECK(holders[0]->allocation == whole);
  CHECK(holders[0]->bytes == kBytes);
  CHECK(holders[0]->at_ns == 6'000'000);
  CHECK_FALSE(holders[0]->is_mapping);
  // At the peak, only its file is mapped: the block that was there before says more.
  REQUIRE(holders[1].has_value());
  CHECK(holders[1]->allocation == gone);
  CHECK_FALSE(holders[1]->is_mapping);
  CHECK(holders[1]->at_ns == 2'000'000);
}

TEST_CASE("of blocks that are gone at the peak, or come behind it, the first of the largest",
          "[gui]") {
  tests::TraceBuilder builder;
  const auto file = builder.file("/models/a.safetensors", kBytes);
  builder.tensor(file, kBytes / 4, kBytes, "embed");
  const auto read = [&](std::uint64_t bytes) {
    const auto block = builder.allocate(bytes);
    builder.origin(block, 0, file, 0, bytes);
    return block;
  };
  builder.release(builder.at_ms(1).allocate(8 * kBytes));
  builder.release(builder.at_ms(2).allocate(1));
  builder.at_ms(3);
  builder.release(read(kBytes / 16));
  const auto first = builder.at_ms(4).allocate(kBytes);
  builder.origin(first, 0, file, 0, kBytes);
  builder.at_ms(5).release(first);
  builder.at_ms(6);
  builder.release(read(kBytes));

  const auto holders = holders_in(builder);

  REQUIRE(holders.at(0).has_value());
  CHECK(holders[0]->allocation == first);
  CHECK(holders[0]->at_ns == 4'000'000);
}

TEST_CASE("a tensor is also found by its size, and in a mapping alone", "[gui]") {
  tests::TraceBuilder builder;
  const auto file = builder.file("/models/a.safetensors", 3 * kBytes);
  builder.tensor(file, kBytes / 4, kBytes, "sized");
  builder.tensor(file, kBytes / 4, kBytes, "mapped");
  builder.tensor(file, kBytes / 4, kBytes, "nowhere");
  const auto mapping = builder.at_ms(1).map(file, 3 * kBytes);
  builder.origin(mapping, kBytes, file, kBytes, kBytes);
  const auto block = builder.at_ms(2).allocate(kBytes);

  const auto holders =
      holders_in(builder, {{.tensor = trace::TensorId{0}, .allocation = block, .bytes = kBytes}});

  REQUIRE(holders.at(0).has_value());
  CHECK(holders[0]->allocation == block);
  REQUIRE(holders.at(1).has_value());
  CHECK(holders[1]->is_mapping);
  CHECK(holders[1]->allocation == mapping);
  CHECK_FALSE(holders.at(2).has_value());
}
