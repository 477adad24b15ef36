// Blocks are recognised by their values, and no others.
#include "collector/weights/value_index.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace tidemark;
using tidemark::tests::TemporaryFolder;
using weights::BlockSample;
using weights::ValueIndex;

namespace {

constexpr std::uint64_t kElements = 50'000;
constexpr std::uint64_t kTensorAt = 100;  ///< Of the tensor in its file.

std::vector<float> normal_floats() {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> values(kElements);
  for (float& value : values)
    value = normal(random);
  return values;
}

template <typename Value>
std::string bytes_of(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

/// What a look at a block with these bytes sees.
BlockSample sample_of(const std::string& block) {
  BlockSample sample;
  sample.allocation = 3;
  sample.size = block.size();
  sample.at_ns = 17;
  sample.first_count = BlockSample::kFirstBytes;
  sample.inner_at = BlockSample::inner_place(block.size());
  std::memcpy(sample.first.data(), block.data(), sample.first.size());
  std::memcpy(sample.inner.data(), block.data() + sample.inner_at, sample.inner.size());
  return sample;
}

struct OneTensor {
  explicit OneTensor(const std::string& bytes,
                     const std::string& type = "f32",
                     std::vector<std::uint64_t> shape = {kElements},
                     std::uint64_t elements = kElements) {
    const std::string path = folder.file("weights");
    std::ofstream(path, std::ios::binary) << std::string(kTensorAt, 'h') << bytes;
    const trace::Tensor tensor{.file = trace::FileId{5},
                               .name = "w",
                               .type = type,
                               .elements = elements,
                               .begin = kTensorAt,
                               .bytes = bytes.size(),
                               .shape = std::move(shape)};
    index.add(trace::FileId{5}, open_regular_file(path), std::span(&tensor, 1));
  }
  [[nodiscard]] std::optional<trace::ValueMatch> find(const std::string& block) {
    return index.find(sample_of(block));
  }
  TemporaryFolder folder;
  ValueIndex index;
};

}  // namespace

TEST_CASE("a block with the very bytes of a tensor holds it", "[weights]") {
  OneTensor file(bytes_of(normal_floats()));

  const auto match = file.find(bytes_of(normal_floats()));

  REQUIRE(match);
  CHECK(match->allocation == 3);
  CHECK(match->begin == 0);
  CHECK(trace::index(match->file) == 5);
  CHECK(match->offset == kTensorAt);
  CHECK(match->type.empty());
  CHECK(match->at_ns == 17);
}

TEST_CASE("values are recognised in another type of float", "[weights]") {
  const std::vector<float> floats = normal_floats();
  OneTensor file(bytes_of(floats));
  const auto wide = file.find(bytes_of(std::vector<double>(floats.begin(), floats.end())));
  REQUIRE(wide);
  CHECK(wide->type == "f64");
  for (const auto form : {weights::ValueForm::kF16, weights::ValueForm::kBf16Cut}) {
    const auto narrow = weights::convert("f32", std::as_bytes(std::span(floats)), form);
    const auto match = file.find({reinterpret_cast<const char*>(narrow.data()), narrow.size()});
    REQUIRE(match);
    CHECK(match->type == (form == weights::ValueForm::kF16 ? "f16" : "bf16"));
  }
}

TEST_CASE("the head of an object before the values, and room behind them, are no hindrance",
          "[weights]") {
  const std::string values = bytes_of(normal_floats());
  OneTensor file(values);
  const auto behind_head = file.find(std::string(32, '\1') + values);
  REQUIRE(behind_head);
  CHECK(behind_head->begin == 32);
  CHECK(file.find(values + std::string(values.size(), '\0')));
  CHECK_FALSE(file.find(values + std::string(values.size() + 8192, '\0')));
  CHECK_FALSE(file.find(std::string(12, '\1') + values));  // floats are aligned
}

TEST_CASE("a block with other values, fewer of them, or half of them does not hold it",
          "[weights]") {
  const std::string values = bytes_of(normal_floats());
  OneTensor file(values);
  std::string other = values;
  other[60] = static_cast<char>(other[60] ^ 1);
  CHECK_FALSE(file.find(other));
  CHECK_FALSE(file.find(values.substr(0, values.size() - 4)));
  std::string half = values;
  std::memset(half.data() + half.size() / 4, 0, half.size() / 2);
  CHECK_FALSE(file.find(half));
}

TEST_CASE("what begins with a few values only is nobody's", "[weights]") {
  std::vector<float> floats = normal_floats();
  std::fill_n(floats.begin(), 13, 1.0F);
  floats[13] = floats[14] = 0.0F;
  floats[15] = 2.0F;
  OneTensor three(bytes_of(floats));
  CHECK(three.index.is_empty());
  CHECK_FALSE(three.find(bytes_of(floats)));
  floats[14] = 3.0F;
  CHECK(OneTensor(bytes_of(floats)).find(bytes_of(floats)));
}

TEST_CASE("a matrix is recognised with its columns as rows", "[weights]") {
  constexpr std::uint64_t kRows = 250;
  constexpr std::uint64_t kColumns = kElements / kRows;
  const std::vector<float> floats = normal_floats();
  std::vector<float> turned;
  for (std::uint64_t column = 0; column < kColumns; ++column) {
    for (std::uint64_t row = 0; row < kRows; ++row)
      turned.push_back(floats[row * kColumns + column]);
  }
  const std::vector<double> wide(turned.begin(), turned.end());
  OneTensor matrix(bytes_of(floats), "f32", {kRows, kColumns});
  REQUIRE(matrix.find(bytes_of(turned)));
  CHECK(matrix.find(bytes_of(turned))->is_transposed);
  CHECK(matrix.find(bytes_of(turned))->type.empty());
  REQUIRE(matrix.find(bytes_of(wide)));
  CHECK(matrix.find(bytes_of(wide))->is_transposed);
  CHECK(matrix.find(bytes_of(wide))->type == "f64");
  REQUIRE(matrix.find(bytes_of(floats)));
  CHECK_FALSE(matrix.find(bytes_of(floats))->is_transposed);
  turned[BlockSample::inner_place(kElements * sizeof(float)) / sizeof(float) + 4] += 1;
  CHECK_FALSE(matrix.find(bytes_of(turned)));
  CHECK_FALSE(OneTensor(bytes_of(floats), "f32", {kRows, kColumns + 1}).find(bytes_of(wide)));
}

TEST_CASE("packed tensors are recognised by their bytes", "[weights]") {
  const std::string packed = bytes_of(normal_floats());
  OneTensor file(packed, "q4_k");
  REQUIRE(file.find(packed));
  CHECK(file.find(packed)->type.empty());
}

TEST_CASE("packed tensors are recognised by what their bytes are unpacked to", "[weights]") {
  constexpr std::uint64_t kBlocks = 1'600;
  constexpr std::uint64_t kPackedElements = kBlocks * 32;
  std::mt19937 random(11);
  std::string packed;
  std::vector<float> values;
  for (std::uint64_t block = 0; block < kBlocks; ++block) {
    packed += std::string("\x00\x2c", 2);  // 1/16 as a half
    for (int i = 0; i < 32; ++i) {
      const auto q = static_cast<std::int8_t>(random());
      packed += static_cast<char>(q);
      values.push_back(static_cast<float>(q) / 16);
    }
  }
  OneTensor file(packed, "q8_0", {kPackedElements}, kPackedElements);
  REQUIRE(file.find(bytes_of(values)));
  CHECK(file.find(bytes_of(values))->type == "f32");
  const auto halves =
      weights::convert("f32", std::as_bytes(std::span(values)), weights::ValueForm::kF16);
  const std::string half_bytes(reinterpret_cast<const char*>(halves.data()), halves.size());
  REQUIRE(file.find(half_bytes));
  CHECK(file.find(half_bytes)->type == "f16");
  // Values further inside that stand in two blocks, of which one is another.
  const std::uint64_t inner =
      BlockSample::inner_place(values.size() * sizeof(float)) / sizeof(float);
  values[inner + 15] += 1;
  CHECK_FALSE(file.find(bytes_of(values)));
}

TEST_CASE("what is no whole number of packed blocks is taken as bytes", "[weights]") {
  const std::string packed = bytes_of(normal_floats());
  OneTensor file(packed, "q8_0");
  REQUIRE(file.find(packed));
  CHECK_FALSE(file.find(bytes_of(std::vector<float>(kElements, 1.0F))));
}

TEST_CASE("of tensors that begin alike the one that goes on alike is found", "[weights]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("weights");
  std::vector<float> one = normal_floats();
  std::vector<float> other = one;
  for (std::size_t i = 16; i < other.size(); ++i)
    other[i] += 1;
  std::ofstream(path, std::ios::binary) << bytes_of(one) << bytes_of(other);
  const std::uint64_t bytes = kElements * sizeof(float);
  const std::vector<trace::Tensor> tensors{
      {.name = "one", .type = "f32", .elements = kElements, .begin = 0, .bytes = bytes},
      {.name = "other", .type = "f32", .elements = kElements, .begin = bytes, .bytes = bytes}};
  ValueIndex index;
  index.add(trace::FileId{0}, open_regular_file(path), tensors);
  REQUIRE(index.find(sample_of(bytes_of(one))));
  CHECK(index.find(sample_of(bytes_of(one)))->offset == 0);
  REQUIRE(index.find(sample_of(bytes_of(other))));
  CHECK(index.find(sample_of(bytes_of(other)))->offset == bytes);
}

TEST_CASE("of tensors that are the same nobody knows which a block holds", "[weights]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("weights");
  const std::string expert = bytes_of(normal_floats());
  std::ofstream(path, std::ios::binary) << expert << expert;
  const std::vector<trace::Tensor> tensors{
      {.name = "e0", .type = "f32", .elements = kElements, .begin = 0, .bytes = expert.size()},
      {.name = "e1",
       .type = "f32",
       .elements = kElements,
       .begin = expert.size(),
       .bytes = expert.size()}};
  ValueIndex index;
  index.add(trace::FileId{0}, open_regular_file(path), tensors);
  REQUIRE_FALSE(index.is_empty());
  CHECK_FALSE(index.find(sample_of(expert)));
}

TEST_CASE("a tensor that is not where its list says it is in no index", "[weights]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("weights");
  std::ofstream(path, std::ios::binary) << "short";
  const trace::Tensor tensor{.name = "w",
                             .type = "f32",
                             .elements = kElements,
                             .begin = kTensorAt,
                             .bytes = kElements * sizeof(float)};
  ValueIndex index;
  index.add(trace::FileId{0}, open_regular_file(path), std::span(&tensor, 1));
  CHECK(index.is_empty());
}

TEST_CASE("an index says when it has left something out", "[weights]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("weights");
  std::ofstream(path, std::ios::binary) << bytes_of(normal_floats());
  trace::Tensor tensor{.name = "w", .type = "u8", .elements = ValueIndex::kMinTensorBytes};
  tensor.bytes = ValueIndex::kMinTensorBytes;
  ValueIndex index;
  SECTION("a file") {
    for (std::size_t i = 0; i < ValueIndex::kMaxFiles; ++i)
      index.add(trace::FileId{0}, open_regular_file(path), std::span(&tensor, 1));
    CHECK_FALSE(index.has_left_out());
    index.add(trace::FileId{0}, open_regular_file(path), std::span(&tensor, 1));
    CHECK(index.has_left_out());
  }
  SECTION("a tensor") {
    std::vector<trace::Tensor> tensors(ValueIndex::kMaxTensors, tensor);
    index.add(trace::FileId{0}, open_regular_file(path), tensors);
    --tensor.bytes;
    index.add(trace::FileId{0}, open_regular_file(path), std::span(&tensor, 1));
    CHECK_FALSE(index.has_left_out());
    ++tensor.bytes;
    index.add(trace::FileId{0}, open_regular_file(path), std::span(&tensor, 1));
    CHECK(index.has_left_out());
  }
}
