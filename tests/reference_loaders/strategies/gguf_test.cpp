#include "reference_loaders/strategies/gguf.hpp"

#include "reference_loaders/bad_input.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/reference_loaders/strategies/tiny_files.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark::loaders;
using namespace tidemark::loaders::strategies;
using test::from_hex;
using test::index_of;
using test::tiny_gguf;
using test::with_u64;
namespace tiny = test::gguf;

namespace {

/// A GGUF file without tensors, with one key "k" of this type and value.
std::string with_value(const std::string& type_and_value) {
  return from_hex("47475546 03000000 0000000000000000 0100000000000000 0100000000000000 6b" +
                  type_and_value);
}

/// The tiny file with another key in front of the others, so that its data moves.
std::string with_alignment(const std::string& type_and_value) {
  std::string file = with_u64(tiny_gguf(), tiny::kMetadataCount, 3);
  return file.insert(tiny::kKeyLength,
                     from_hex("1100000000000000") + "general.alignment" + from_hex(type_and_value));
}

}  // namespace

TEST_CASE("a GGUF file written by hand is read", "[strategies][gguf]") {
  const WeightsIndex index = index_of(tiny_gguf());

  REQUIRE(index.tensors.size() == 2);
  const TensorEntry& a = index.tensors[0];
  CHECK(a.name == "a");
  CHECK(a.type->name == "float32");
  CHECK(a.shape == std::vector<std::int64_t>{2});
  CHECK(a.offset == tiny::kData);
  CHECK(a.bytes == 8);
  const TensorEntry& b = index.tensors[1];
  CHECK(b.type->name == "q8_0");
  CHECK(b.shape == std::vector<std::int64_t>{1, 32});
  CHECK(b.offset == tiny::kData + 32);
  CHECK(b.bytes == 34);
  CHECK(value_text(*index.find("k")) == "v");
  CHECK(value_text(*index.find("n")) == "[7, 8]");
  CHECK(index.find("m") == nullptr);
}

TEST_CASE("a GGUF header is written byte for byte as by hand", "[strategies][gguf]") {
  WeightsIndex index = index_of(tiny_gguf());
  for (TensorEntry& tensor : index.tensors) {
    tensor.offset = 0;
  }

  CHECK(lay_out_gguf(index) == tiny_gguf().substr(0, tiny::kData));
  CHECK(index.tensors[1].offset == tiny::kData + 32);
  CHECK(index.data_end == tiny::kDataEnd);
}

TEST_CASE("all thirteen types of values are read", "[strategies][gguf]") {
  using Value = std::pair<std::string, std::string>;
  const auto [bytes, text] = GENERATE(values<Value>({
      {"00000000 ff", "255"},
      {"01000000 ff", "-1"},
      {"02000000 feff", "65534"},
      {"03000000 feff", "-2"},
      {"04000000 00000080", "2147483648"},
      {"05000000 00000080", "-2147483648"},
      {"06000000 0000c03f", "1.5"},
      {"07000000 01", "true"},
      {"08000000 0200000000000000 6869", "hi"},
      {"09000000 08000000 0200000000000000 0100000000000000 61 0000000000000000", "[a, ]"},
      {"09000000 09000000 0100000000000000 07000000 0200000000000000 0001", "[[false, true]]"},
      {"0a000000 ffffffffffffffff", "18446744073709551615"},
      {"0b000000 ffffffffffffffff", "-1"},
      {"0c000000 000000000000e03f", "0.5"},
  }));
  CAPTURE(bytes);

  WeightsIndex index = index_of(with_value(bytes));

  CHECK(value_text(*index.find("k")) == text);
  CHECK(lay_out_gguf(index).starts_with(with_value(bytes)));
}

TEST_CASE("each wrong field of a GGUF file is named with its offset", "[strategies][gguf]") {
  struct Wrong {
    std::size_t offset;
    std::uint64_t value;
    const char* says;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {tiny::kVersion, 0x0000000200000002, "offset 4: GGUF version 2"},
      {tiny::kTensorCount, 11, "offset 8: 11 tensors are announced"},
      {tiny::kTensorCount, 1, "offset 160: 96 bytes follow the last tensor"},
      {tiny::kMetadataCount, 1'000'000, "offset 16: 1000000 metadata keys are announced"},
      {tiny::kKeyLength, 70'000, "offset 24: metadata key 0 is 70000 bytes long"},
      {tiny::kKeyLength, 1000, "offset 24: metadata key 0 says 1000 bytes, but the file has 224"},
      {tiny::kKeyType, 13, "offset 33: 'k' has an unknown type, 13"},
      {tiny::kTextLength, 1ULL << 40, "offset 37: 'k' is 1099511627776 bytes long"},
      {tiny::kElementType, 0x200000000d, "offset 59: 'n' has an unknown type, 13"},
      {tiny::kElementCount, 1ULL << 61, "offset 63: 2305843009213693952 elements are announced"},
      {tiny::kFirstTensor, 65, "offset 73: the name of tensor 0 is 65 bytes long"},
      {tiny::kDimensions, 5, "offset 82: tensor 'a' has 5 dimensions"},
      {tiny::kExtent, ~0ULL, "offset 94: tensor 'a' has a shape that float32 cannot have"},
      {tiny::kExtent, 1ULL << 62, "tensor 'a' has a shape that float32 cannot have"},
      {tiny::kExtent, 1ULL << 40,
       "offset 73: tensor 'a' needs 4398046511104 bytes from offset 160"},
      {tiny::kType, 4, "offset 94: tensor 'a' has type 4, whose size is not known"},
      {tiny::kOffset, 32, "offset 73: tensor 'a' is at 32 of the data"},
      {tiny::kSecondExtent, 33, "tensor 'b' has a shape that q8_0 cannot have"},
      {tiny::kSecondOffset, 64, "offset 106: tensor 'b' is at 64 of the data"},
      {tiny::kSecondOffset, 0, "tensor 'b' is at 0 of the data"},
      {tiny::kSecondOffset, 33, "tensor 'b' is at 33 of the data"},
  }));
  CAPTURE(wrong.offset, wrong.value);

  CHECK_THROWS_WITH(index_of(with_u64(tiny_gguf(), wrong.offset, wrong.value)),
                    Catch::Contains(wrong.says));
}

TEST_CASE("names and keys that appear twice are refused", "[strategies][gguf]") {
  std::string tensors = tiny_gguf();
  tensors[tiny::kSecondTensor + 8] = 'a';
  std::string keys = tiny_gguf();
  keys[54] = 'k';

  CHECK_THROWS_WITH(index_of(tensors), Catch::Contains("offset 106: tensor 'a' appears twice"));
  CHECK_THROWS_WITH(index_of(keys), Catch::Contains("offset 46: 'k' appears twice"));
}

TEST_CASE("a truth value is 0 or 1", "[strategies][gguf]") {
  CHECK_THROWS_WITH(index_of(with_value("07000000 02")), Catch::Contains("a truth value of 2"));
  CHECK_THROWS_WITH(index_of(with_value("09000000 07000000 0100000000000000 02")),
                    Catch::Contains("a truth value of 2"));
}

TEST_CASE("arrays in arrays end somewhere", "[strategies][gguf]") {
  std::string deep = "09000000";
  for (int depth = 0; depth < 100'000; ++depth) {
    deep += "09000000 0100000000000000";
  }

  CHECK_THROWS_WITH(index_of(with_value(deep)), Catch::Contains("more than 4 deep"));
}

TEST_CASE("the alignment that a file says is what its tensors have", "[strategies][gguf]") {
  WeightsIndex index = index_of(tiny_gguf());
  index.metadata.push_back(
      {.key = "general.alignment", .type = ValueType::kUint32, .raw = from_hex("00020000")});
  std::string file = lay_out_gguf(index);
  file.resize(index.data_end, 'x');

  CHECK(index.tensors[0].offset % 512 == 0);
  CHECK(index.tensors[1].offset == index.tensors[0].offset + 512);
  CHECK(index_of(file).tensors[1].offset == index.tensors[1].offset);
  CHECK_THROWS_WITH(index_of(with_alignment("04000000 30000000")),
                    Catch::Contains("not a power of two"));
  CHECK_THROWS_WITH(index_of(with_alignment("04000000 00000000")),
                    Catch::Contains("not a power of two"));
  CHECK_THROWS_WITH(index_of(with_alignment("0a000000 2000000000000000")),
                    Catch::Contains("not a power of two"));
}

TEST_CASE("the last padding may be missing, but nothing may follow it", "[strategies][gguf]") {
  CHECK(index_of(tiny_gguf().substr(0, tiny::kDataEnd)).tensors.size() == 2);
  CHECK_THROWS_WITH(index_of(tiny_gguf() + "xy"),
                    Catch::Contains("offset 256: 2 bytes follow the last tensor"));
}

TEST_CASE("a hostile name is shown short and printable", "[strategies][gguf]") {
  std::string file = tiny_gguf();
  file[tiny::kFirstTensor + 8] = '\x1b';
  file[tiny::kType] = 99;

  CHECK_THROWS_WITH(index_of(file), Catch::Contains("tensor '?'"));
}
