#include "reference_loaders/ggml/loaders.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/ggml/model_writer.hpp"
#include "tests/reference_loaders/ggml/tiny_model.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <vector>

using namespace tidemark::loaders;
using namespace tidemark::loaders::ggml;

namespace {

class Files {
 public:
  std::filesystem::path tiny() {
    const auto file = directory_.file("tiny.bin");
    write_random_model_file(file, shape_named("tiny"), 1);
    return file;
  }
  std::filesystem::path with(const std::string& bytes) {
    const auto file = directory_.file("model.bin");
    test::write_file(file, bytes);
    return file;
  }

 private:
  test::TemporaryFolder directory_;
};

constexpr std::uint64_t kTinyKeyValues = 2 * 2 * 64 * 32 * 4;

}  // namespace

TEST_CASE("every variant computes the same logits", "[ggml][loaders]") {
  Files files;
  const auto file = files.tiny();
  const Work work{.n_tokens = 9, .n_generated = 3};

  const std::uint64_t expected = load_hardcoded(file, work).cursors.front().logits_checksum;

  CHECK(expected != 0);
  CHECK(load_recorded(file, work).cursors.front().logits_checksum == expected);
  CHECK(load_per_cursor(file, work).cursors.front().logits_checksum == expected);
}

TEST_CASE("every cursor has its own KV and execution memory", "[ggml][loaders]") {
  Files files;
  const auto file = files.tiny();
  const LoadedGpt2 one = load_per_cursor(file, {.n_tokens = 9});
  const LoadedGpt2 three = load_per_cursor(file, {.n_tokens = 9, .n_cursors = 3});
  const std::uint64_t each =
      measured_bytes(shape_named("tiny"), 9) + 1'409'744 + 32 + kTinyKeyValues + 2 * 304;

  REQUIRE(three.cursors.size() == 3);
  CHECK(three.work_bytes() - one.work_bytes() == 2 * each);
  CHECK(three.cursors[0].logits_checksum == three.cursors[2].logits_checksum);
}

TEST_CASE("what a model takes beside its weights is a sum of plans", "[ggml][loaders]") {
  Files files;
  const auto file = files.tiny();
  const Hyperparameters& tiny = shape_named("tiny");
  const LoadedGpt2 hardcoded = load_hardcoded(file, {.n_tokens = 9});
  const LoadedGpt2 recorded = load_recorded(file, {.n_tokens = 9});
  const std::uint64_t headers = (2 * 12 + 4 + 1 + 2) * 304;
  const std::uint64_t common =
      headers + head_spec(tiny).bytes() + kTinyKeyValues + hardcoded.file.vocabulary.bytes();

  CHECK(hardcoded.work_bytes() == common + hard_coded_estimate(9));
  CHECK(recorded.work_bytes() == common + 2 * 1'409'744 + measured_bytes(tiny, 9) + 32);
}

TEST_CASE("without arithmetic there are no logits", "[ggml][loaders]") {
  Files files;

  CHECK(load_recorded(files.tiny(), {.n_tokens = 9, .compute = false})
            .cursors.front()
            .logits_checksum == 0);
}

TEST_CASE("more tokens than the model has room for are refused", "[ggml][loaders]") {
  Files files;
  const auto file = files.tiny();

  CHECK_NOTHROW(load_recorded(file, {.n_tokens = 60, .n_generated = 4}));
  CHECK_THROWS_AS(load_recorded(file, {.n_tokens = 60, .n_generated = 5}), UsageError);
}

TEST_CASE("a head of its own is used and counted as a weight", "[ggml][loaders]") {
  Files files;
  const LoadedGpt2 tied = load_recorded(files.with(test::tiny_model_file()), {.n_tokens = 1});
  const LoadedGpt2 own =
      load_recorded(files.with(test::tiny_model_file_with_head()), {.n_tokens = 1});

  CHECK(own.own_weight_bytes() == tied.own_weight_bytes() + 8);
  CHECK(own.work_bytes() == tied.work_bytes() - 8);
  CHECK(own.cursors.front().logits_checksum != tied.cursors.front().logits_checksum);
}

TEST_CASE("an estimate that is too small fails with ggml's own words", "[ggml][loaders]") {
  const Hyperparameters& sizes = shape_named("1558M");
  const TensorSet model = weightless_model(sizes);
  const std::vector<std::int32_t> tokens(32);
  HardCodedMemory memory(tokens.size());

  // The pool is as large as the estimate; building the graph touches nothing but headers, and
  // inputs, which come first.
  CHECK_THROWS_WITH(memory.lay_out({sizes, model, key_values_in(model), tokens}),
                    Catch::StartsWith("ggml_new_tensor_impl: not enough space in the context's "
                                      "memory pool (needed ") &&
                        Catch::EndsWith(", available 412614656)"));
}

TEST_CASE("a bad model file is refused by every variant", "[ggml][loaders]") {
  Files files;
  const auto file = files.with(test::tiny_model_file().substr(0, 500));

  for (const auto& load : {load_hardcoded, load_recorded, load_per_cursor}) {
    CHECK_THROWS_AS(load(file, {.n_tokens = 1}), BadInput);
  }
}
