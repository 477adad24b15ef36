// A recording is worth something only if the real pass repeats it.
#include "reference_loaders/ggml/execution_memory.hpp"
#include "tests/support/catch.hpp"

#include <optional>
#include <string>
#include <vector>

using namespace tidemark::loaders::ggml;

namespace {

/// A pass over a model without weights: enough to lay it out.
class Rehearsal {
 public:
  Rehearsal(const std::string& model, std::size_t n_tokens)
      : sizes_(shape_named(model)), model_(weightless_model(sizes_)), tokens_(n_tokens) {}

  [[nodiscard]] Pass pass() const { return {sizes_, model_, key_values_in(model_), tokens_}; }
  [[nodiscard]] const Hyperparameters& sizes() const { return sizes_; }

 private:
  const Hyperparameters& sizes_;
  TensorSet model_;
  std::vector<std::int32_t> tokens_;
};

}  // namespace

TEST_CASE("a real layout has the offsets that were recorded", "[ggml][replay]") {
  const std::string model = GENERATE("tiny", "117M", "345M", "774M", "1558M");
  const std::size_t n_tokens = GENERATE(1U, 7U, 32U);
  CAPTURE(model, n_tokens);
  const Rehearsal rehearsal(model, n_tokens);

  const LaidOutPass recorded = record(rehearsal.pass());
  Buffer memory(execution_memory_bytes(recorded.bytes));
  const LaidOutPass real = lay_out(memory.bytes(), rehearsal.pass());

  CHECK(real.bytes == recorded.bytes);
  CHECK(real.offsets == recorded.offsets);
  CHECK_FALSE(recorded.offsets.empty());
}

TEST_CASE("execution memory repeats its recording at every pass", "[ggml][replay]") {
  const Rehearsal rehearsal("117M", 7);
  RecordedMemory memory(record(rehearsal.pass()));

  CHECK(memory.bytes() == 1'409'744 + 1'450'208 + 32);
  CHECK(memory.lay_out(rehearsal.pass()).bytes == 1'450'208);
  CHECK(memory.lay_out(rehearsal.pass()).bytes == 1'450'208);
}

TEST_CASE("a layout that differs from its recording is noticed", "[ggml][replay]") {
  const Rehearsal rehearsal("tiny", 7);
  LaidOutPass recorded = record(rehearsal.pass());
  recorded.offsets.back() += 32;
  RecordedMemory memory(recorded);

  CHECK_THROWS_AS(memory.lay_out(rehearsal.pass()), std::logic_error);
}

TEST_CASE("a rest that competes for the best fit spoils the replay", "[ggml][replay]") {
  const Rehearsal rehearsal("117M", 7);
  const LaidOutPass recorded = record(rehearsal.pass());
  Buffer memory(execution_memory_bytes(recorded.bytes));

  CHECK_THROWS_AS(lay_out(memory.bytes(), rehearsal.pass(), Fit::kRestCompetes), BufferTooSmall);
}

TEST_CASE("where the KV memory is recorded makes no difference", "[ggml][replay]") {
  const std::string model = GENERATE("117M", "1558M");
  const std::size_t n_tokens = GENERATE(1U, 7U, 128U);
  CAPTURE(model, n_tokens);
  const Rehearsal rehearsal(model, n_tokens);
  const TensorSet inside = recorded_key_values(rehearsal.sizes());
  Pass pass_inside = rehearsal.pass();
  pass_inside.memory = key_values_in(inside);
  REQUIRE(pass_inside.memory.keys->address == GraphAllocator::kMeasureBase);

  const LaidOutPass outside = record(rehearsal.pass());
  const LaidOutPass overlapping = record(pass_inside);

  CHECK(overlapping.bytes == outside.bytes);
  CHECK(overlapping.offsets == outside.offsets);
}
