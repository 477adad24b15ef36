// Real forward passes through both allocators: whatever shares memory, the logits are the same
// bits.
#include "reference_loaders/ggml/completion.hpp"
#include "reference_loaders/ggml/compute.hpp"
#include "reference_loaders/ggml/model_reader.hpp"
#include "reference_loaders/ggml/model_writer.hpp"
#include "tests/reference_loaders/ggml/plain_gpt2.hpp"
#include "tests/reference_loaders/ggml/tiny_model.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

using namespace tidemark::loaders;
using namespace tidemark::loaders::ggml;

namespace {

/// The tiny model with real, random weights.
class ReferenceModel {
 public:
  explicit ReferenceModel(std::uint64_t seed = 1) : file_(made(seed)) { tie_head(file_.tensors); }

  [[nodiscard]] Pass pass(const std::vector<std::int32_t>& tokens, std::int32_t n_past = 0) const {
    return {file_.sizes, file_.tensors, key_values_in(file_.tensors), tokens, n_past};
  }
  [[nodiscard]] const Hyperparameters& sizes() const { return file_.sizes; }
  [[nodiscard]] const TensorSet& weights() const { return file_.tensors; }

 private:
  static LoadedModelFile made(std::uint64_t seed) {
    std::ostringstream stream;
    write_random_model(stream, shape_named("tiny"), seed);
    return test::read_model_from(stream.str());
  }

  LoadedModelFile file_;
};

std::vector<float> logits_of(const LaidOutPass& laid_out) {
  compute(laid_out.graph);
  const auto* const begin = laid_out.logits->data<float>();
  return {begin, begin + laid_out.logits->elements()};
}

std::vector<float> linear_logits(const Pass& pass) {
  HardCodedMemory memory(pass.tokens.size());
  return logits_of(memory.lay_out(pass));
}

std::vector<float> replayed_logits(const Pass& pass) {
  RecordedMemory memory(record(pass));
  return logits_of(memory.lay_out(pass));
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("both allocators give the same logits, bit by bit", "[ggml][forward]") {
  const std::int32_t n_tokens = GENERATE(1, 2, 7, 32, 64);
  const std::uint64_t seed = GENERATE(1U, 2U);
  CAPTURE(n_tokens, seed);
  const ReferenceModel model(seed);
  const auto tokens = made_up_prompt(model.sizes(), n_tokens);

  const auto linear = linear_logits(model.pass(tokens));
  const auto replayed = replayed_logits(model.pass(tokens));

  CHECK(linear.size() == static_cast<std::size_t>(n_tokens) * 256);
  CHECK(same_bits(linear, replayed));
}

TEST_CASE("the logits are those of GPT-2", "[ggml][forward]") {
  const ReferenceModel model;
  const auto tokens = made_up_prompt(model.sizes(), 7);
  const auto expected = test::plain_logits(model.sizes(), model.weights(), tokens);
  const auto logits = linear_logits(model.pass(tokens));

  REQUIRE(logits.size() == expected.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    CHECK(logits[i] == Approx(expected[i]).margin(1e-5));
  }
}

TEST_CASE("generated tokens are the same through both allocators", "[ggml][forward]") {
  const ReferenceModel model;
  const auto tokens = made_up_prompt(model.sizes(), 20);
  HardCodedMemory linear(26);
  RecordedMemory recorded(record(model.pass(tokens)));

  const std::uint64_t expected = complete(linear, model.pass(tokens), 6, Arithmetic::kReal);

  CHECK(expected != 0);
  CHECK(complete(recorded, model.pass(tokens), 6, Arithmetic::kReal) == expected);
  CHECK(complete(recorded, model.pass(tokens), 5, Arithmetic::kReal) != expected);
}

TEST_CASE("other weights or other tokens give other logits", "[ggml][forward]") {
  const ReferenceModel model(1);
  const ReferenceModel other(2);

  CHECK_FALSE(
      same_bits(linear_logits(model.pass({1, 2, 3})), linear_logits(other.pass({1, 2, 3}))));
  CHECK_FALSE(
      same_bits(linear_logits(model.pass({1, 2, 3})), linear_logits(model.pass({1, 2, 4}))));
}

TEST_CASE("no token sees those that follow it", "[ggml][forward]") {
  const ReferenceModel model;
  const auto one = linear_logits(model.pass({1, 2, 3}));
  const auto other = linear_logits(model.pass({1, 2, 200}));

  CHECK(std::equal(one.begin(), one.begin() + 2 * 256, other.begin()));
}

TEST_CASE("token by token through the KV memory is the same as all at once", "[ggml][forward]") {
  const ReferenceModel model;
  const std::vector<std::int32_t> tokens = {5, 100, 200, 17};
  const auto at_once = linear_logits(model.pass(tokens));

  for (std::int32_t i = 0; i < 4; ++i) {
    const auto single = replayed_logits(model.pass({tokens[static_cast<std::size_t>(i)]}, i));
    for (std::size_t word = 0; word < 256; ++word) {
      CHECK(single[word] == Approx(at_once[static_cast<std::size_t>(i) * 256 + word]).margin(1e-5));
    }
  }
}

TEST_CASE("where the KV memory lies changes no logit", "[ggml][forward]") {
  const ReferenceModel model;
  const auto tokens = made_up_prompt(model.sizes(), 7);
  const TensorSet own(key_value_specs(model.sizes()));
  Pass separate = model.pass(tokens);
  separate.memory = key_values_in(own);

  CHECK(same_bits(replayed_logits(separate), replayed_logits(model.pass(tokens))));
}
