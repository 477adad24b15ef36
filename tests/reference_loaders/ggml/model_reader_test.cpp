#include "reference_loaders/ggml/model_reader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "tests/reference_loaders/ggml/tiny_model.hpp"
#include "tests/reference_loaders/little_memory.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <functional>
#include <string>

#include <sys/stat.h>

using namespace tidemark::loaders;
using namespace tidemark::loaders::ggml;
using test::kTinySizes;
using test::read_model_from;
using test::record;
using test::tiny_model_file;
using test::with_i32;
namespace tiny = test::tiny_model;

namespace {

/// Either refused as bad input, or loaded into little more memory than the file has bytes.
bool is_refused_or_harmless(const std::string& bytes) {
  try {
    const LoadedModelFile model = read_model_from(bytes);
    return weight_bytes(model.sizes) <= bytes.size() &&
           model.tensors.context_bytes() <= 20 * bytes.size() + 10'000;
  } catch (const BadInput&) {
    return true;
  }
}

using Check = std::function<void(const std::string&)>;

/// True when every variant of the file is refused or harmless in a process with little memory.
bool all_hold(const std::function<void(const Check&)>& for_each_variant) {
  return test::holds_in_little_memory([&] {
    bool holds = true;
    for_each_variant(
        [&holds](const std::string& bytes) { holds &= is_refused_or_harmless(bytes); });
    return holds;
  });
}

std::string without_record(const std::string& name) {
  std::string bytes = tiny_model_file();
  const std::size_t begin = bytes.find(name) - (name.ends_with("wpe") ? 20 : 16);
  return bytes.erase(begin, 16 + name.size() + 8);
}

}  // namespace

TEST_CASE("a model file written by hand is read", "[ggml]") {
  const LoadedModelFile model = read_model_from(tiny_model_file());

  CHECK(model.sizes == kTinySizes);
  CHECK(model.vocabulary.size() == 2);
  CHECK(model.vocabulary.word(0) == "a");
  CHECK(model.vocabulary.word(1) == "bc");
  CHECK_FALSE(model.has_head);
  CHECK(model.tensors.at("model/wpe")->data<float>()[1] == 0.5F);
  CHECK(model.tensors.at("model/h0/attn/c_attn/b")->data<float>()[5] == 6.0F);
  CHECK(model.tensors.at("model/wte")->data<std::uint16_t>()[2] == 0xbc00);
}

TEST_CASE("a tied head is a copy of the token embedding", "[ggml]") {
  const LoadedModelFile model = read_model_from(tiny_model_file());
  tie_head(model.tensors);

  const auto* const head = model.tensors.at(kHead)->data<std::uint16_t>();
  CHECK(std::equal(head, head + 4, model.tensors.at(kTokenEmbedding)->data<std::uint16_t>()));
  CHECK(head != model.tensors.at(kTokenEmbedding)->data<std::uint16_t>());
}

TEST_CASE("a head in the file is read and not tied", "[ggml]") {
  const LoadedModelFile model = read_model_from(test::tiny_model_file_with_head());

  CHECK(model.has_head);
  CHECK(model.tensors.at(kHead)->data<std::uint16_t>()[0] == 0x4000);
}

TEST_CASE("the version of the quantisation in ftype is ignored", "[ggml]") {
  CHECK(read_model_from(with_i32(tiny_model_file(), tiny::kFtype, 2001)).sizes == kTinySizes);
}

TEST_CASE("the context holds the tensors, their headers and nothing else", "[ggml]") {
  const LoadedModelFile model = read_model_from(tiny_model_file(), KeyValuesAre::kSeparate);
  std::uint64_t expected = 0;
  for (const WeightSpec& spec : weight_specs(kTinySizes)) {
    expected += 304 + (spec.bytes() + 15) / 16 * 16;
  }

  CHECK(model.tensors.context_bytes() == expected + 304 + 16);  // and the head
}

TEST_CASE("a model cut off anywhere is refused", "[ggml][robustness]") {
  for (std::size_t kept = 0; kept < tiny_model_file().size(); ++kept) {
    CAPTURE(kept);
    CHECK_THROWS_AS(read_model_from(tiny_model_file().substr(0, kept)), BadInput);
  }
}

TEST_CASE("no flipped bit crashes the model reader or makes it allocate", "[ggml][robustness]") {
  CHECK(all_hold([](const Check& check) {
    for (std::size_t bit = 0; bit < tiny_model_file().size() * 8; ++bit) {
      std::string flipped = tiny_model_file();
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      check(flipped);
    }
  }));
}

TEST_CASE("no number in place of another makes the model reader allocate", "[ggml][robustness]") {
  CHECK(all_hold([](const Check& check) {
    for (const std::int32_t value :
         {0, -1, 3, 85, 1 << 20, 1 << 24, 1 << 30, INT32_MAX, INT32_MIN}) {
      for (std::size_t offset = 0; offset + 4 <= tiny_model_file().size(); ++offset) {
        check(with_i32(tiny_model_file(), offset, value));
      }
    }
  }));
}

TEST_CASE("the checks above would notice a size that is believed", "[ggml][robustness]") {
  CHECK_FALSE(test::holds_in_little_memory([] {
    const TensorSet believed(model_specs({50257, 1024, 768, 12, 12, 1}, KeyValuesAre::kSeparate));
    return true;
  }));
}

TEST_CASE("each wrong field of a model is named with its offset", "[ggml][robustness]") {
  struct Wrong {
    std::size_t offset;
    std::int32_t value;
    const char* says;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {0, 1, "offset 0: not a ggml model: the magic number is 0x00000001"},
      {tiny::kNVocab, 3, "offset 28: the vocabulary has 2 words, but n_vocab is 3"},
      {tiny::kNVocab, 0, "offset 4: n_vocab = 0 is not between"},
      {tiny::kNCtx, -5, "offset 8: n_ctx = -5"},
      {tiny::kNCtx, 1 << 20, "offset 43: the model's tensors need"},
      {tiny::kNEmbd, 1 << 21, "offset 12: n_embd = 2097152"},
      {tiny::kNHead, 3, "offset 16: n_head = 3"},
      {tiny::kNLayer, 86, "offset 20: n_layer = 86 is not between 1 and 85"},
      {tiny::kFtype, 2, "offset 24: ftype 2 is not supported"},
      {tiny::kFtype, -1000, "offset 24: ftype -1000"},
      {tiny::kVocabularyCount, 7, "offset 28: the vocabulary has 7 words"},
      {tiny::kFirstWord, 1 << 30, "offset 32: a word of 1073741824 bytes"},
      {tiny::kFirstTensor, 3, "offset 43: a tensor has 3 dimensions"},
      {tiny::kFirstTensor + 4, -1, "offset 47: a name of -1 bytes"},
      {tiny::kFirstTensor + 4, 1 << 30, "offset 47: a name of 1073741824 bytes"},
      {tiny::kFirstTensor + 8, 1, "offset 43: tensor 'model/h0/attn/c_attn/b' has type 1"},
      {tiny::kFirstTensor + 12, 7, "has type 0 and extents [7] instead of type 0 and [6]"},
  }));
  CAPTURE(wrong.offset, wrong.value);

  CHECK_THROWS_WITH(read_model_from(with_i32(tiny_model_file(), wrong.offset, wrong.value)),
                    Catch::Contains("model.bin") && Catch::Contains(wrong.says));
}

TEST_CASE("heads that cannot share the embedding are refused", "[ggml]") {
  std::string bytes = with_i32(tiny_model_file(), tiny::kNEmbd, 3);

  CHECK_THROWS_WITH(read_model_from(with_i32(bytes, tiny::kNHead, 2)),
                    Catch::Contains("offset 16: n_embd = 3 cannot be shared by 2 heads"));
}

TEST_CASE("a tensor that is unknown, doubled or missing is refused", "[ggml]") {
  const std::string norm = record("model/ln_f/b", 0, {2}, "00000000 0000003f");

  CHECK_THROWS_WITH(read_model_from(tiny_model_file() + norm), Catch::Contains("appears twice"));
  CHECK_THROWS_WITH(read_model_from(tiny_model_file() + record("memory/k", 0, {2}, "0000 0000")),
                    Catch::Contains("'memory/k' is not of this model"));
  // As long as the whole model, so that what is missing is found at the end.
  const std::string head = record("model/lm_head", 1, {2, 2}, "0040 003c 0040 003c");
  CHECK_THROWS_WITH(read_model_from(without_record("model/ln_f/b") + head),
                    Catch::Contains("the file ends without the tensor 'model/ln_f/b'"));
}

TEST_CASE("a KV memory far larger than the file is refused", "[ggml]") {
  const Hyperparameters sizes{1, 20'000, 1, 1, 85, 0};
  std::string bytes = tiny_model_file().substr(0, 4);
  bytes.append(reinterpret_cast<const char*>(&sizes), sizeof sizes);
  bytes.append(reinterpret_cast<const char*>(&sizes.n_vocab), 4);
  bytes.append(200'000, '\0');

  CHECK_THROWS_WITH(read_model_from(bytes),
                    Catch::Contains("the model's KV memory would have 13600000 bytes"));
}

TEST_CASE("only a regular file is opened as a model", "[ggml][robustness]") {
  const test::TemporaryFolder directory;
  const auto pipe = directory.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);

  CHECK_THROWS_WITH(FileInput(pipe), Catch::Contains("not a regular file"));
  CHECK_THROWS_WITH(FileInput("/"), Catch::Contains("not a regular file"));
  CHECK_THROWS_WITH(FileInput(directory.file("missing")), Catch::Contains("No such file"));
}
