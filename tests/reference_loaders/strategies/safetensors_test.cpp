#include "reference_loaders/strategies/safetensors.hpp"

#include "reference_loaders/bad_input.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/reference_loaders/strategies/tiny_files.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark::loaders;
using namespace tidemark::loaders::strategies;
using test::index_of;
using test::safetensors_file;
using test::tiny_safetensors;

namespace {

/// A file with these fields of one tensor, "a", and 8 bytes of data.
std::string with_tensor(const std::string& fields) {
  return safetensors_file(R"({"a":{)" + fields + "}}", "12345678");
}

}  // namespace

TEST_CASE("a safetensors file written by hand is read", "[strategies][safetensors]") {
  const WeightsIndex index = index_of(tiny_safetensors());

  REQUIRE(index.tensors.size() == 2);
  CHECK(index.tensors[0].name == "a");
  CHECK(index.tensors[0].type->name == "float32");
  CHECK(index.tensors[0].shape == std::vector<std::int64_t>{2});
  CHECK(index.tensors[0].offset == index.data_begin);
  CHECK(index.tensors[1].type->name == "bfloat16");
  CHECK(index.tensors[1].shape == std::vector<std::int64_t>{1, 3});
  CHECK(index.tensors[1].offset == index.data_begin + 8);
  CHECK(index.data_end == tiny_safetensors().size());
  CHECK(value_text(*index.find("k")) == "version");
}

TEST_CASE("a safetensors header is written byte for byte as by hand", "[strategies][safetensors]") {
  WeightsIndex index = index_of(tiny_safetensors());
  const std::uint64_t header_bytes = index.data_begin;

  CHECK(lay_out_safetensors(index) == tiny_safetensors().substr(0, header_bytes));
  CHECK(header_bytes % 8 == 0);
}

TEST_CASE("tensors are taken in the order of their bytes, not of their names",
          "[strategies][safetensors]") {
  const WeightsIndex index =
      index_of(safetensors_file(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[1,3]},)"
                                R"("z":{"data_offsets":[0,1],"shape":[],"dtype":"I8"},)"
                                R"("e":{"dtype":"F64","shape":[0,9],"data_offsets":[3,3]}})",
                                "zaa"));

  REQUIRE(index.tensors.size() == 3);
  CHECK(index.tensors[0].name == "z");
  CHECK(index.tensors[1].name == "a");
  CHECK(index.tensors[2].bytes == 0);
}

TEST_CASE("what a safetensors tensor cannot be is refused", "[strategies][safetensors]") {
  using Wrong = std::pair<const char*, const char*>;
  const auto [fields, says] = GENERATE(values<Wrong>({
      {R"("dtype":"Q4","shape":[8],"data_offsets":[0,8])", "the unknown dtype 'Q4'"},
      {R"("dtype":"U8","shape":[7],"data_offsets":[0,8])", "not the size of its shape and dtype"},
      {R"("dtype":"F32","shape":[2],"data_offsets":[0,7])", "not the size of its shape and dtype"},
      {R"("dtype":"U8","shape":[8],"data_offsets":[8,0])", "begins at 8 of the data"},
      {R"("dtype":"U8","shape":[7],"data_offsets":[1,8])", "begins at 1 of the data"},
      {R"("dtype":"U8","shape":[4],"data_offsets":[0,4])", "4 bytes follow the last tensor"},
      {R"("dtype":"U8","shape":[9],"data_offsets":[0,9])",
       "needs 9 bytes of data, but the file has 8"},
      {R"("dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,8])", "not the size"},
      {R"("dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4])", "not the size"},
      {R"("dtype":"U8","shape":[-8],"data_offsets":[0,8])", "a negative number where it cannot be"},
      {R"("dtype":"U8","shape":[8.0],"data_offsets":[0,8])", "8.0 where it cannot be"},
      {R"("dtype":"U8","shape":[99999999999999999999],"data_offsets":[0,8])", "where it cannot be"},
      {R"("dtype":"U8","shape":[8],"data_offsets":[0])", "two data_offsets"},
      {R"("dtype":"U8","shape":[8],"data_offsets":[0,4,8])", "a number where it cannot be"},
      {R"("dtype":"U8","shape":[[8]],"data_offsets":[0,8])", "an array where it cannot be"},
      {R"("dtype":"U8","shape":8,"data_offsets":[0,8])", "a number where it cannot be"},
      {R"("dtype":"U8","data_offsets":[0,8])", "does not have a dtype, a shape and two"},
      {R"("dtype":"U8","dtype":"U8","shape":[8],"data_offsets":[0,8])", "'dtype' once more"},
      {R"("dtype":"U8","shape":[8],"data_offsets":[0,8],"more":[1])", "'more' where it cannot be"},
      {R"("dtype":null,"shape":[8],"data_offsets":[0,8])", "null where it cannot be"},
      {R"("dtype":{},"shape":[8],"data_offsets":[0,8])", "an object where it cannot be"},
  }));
  CAPTURE(fields);

  CHECK_THROWS_AS(index_of(with_tensor(fields)), BadInput);
  CHECK_THROWS_WITH(index_of(with_tensor(fields)), Catch::Contains(says));
}

TEST_CASE("what a safetensors header cannot be is refused", "[strategies][safetensors]") {
  using Wrong = std::pair<const char*, const char*>;
  const auto [json, says] = GENERATE(values<Wrong>({
      {"[]", "offset 8: not a safetensors file"},
      {" {}", "does not begin with '{'"},
      {"", "does not begin with '{'"},
      {"{", "offset 9: the header is not valid JSON"},
      {"{}x", "the header is not valid JSON"},
      {"{\"a\xff\":{}}", "the header is not valid JSON"},
      {R"({"a":1})", "tensor 'a' has a number where it cannot be"},
      {R"({"a":{}})", "tensor 'a' does not have a dtype"},
      {R"({"__metadata__":{"k":1}})", "__metadata__ has a number"},
      {R"({"__metadata__":{"k":"1","k":"2"}})", "'k' appears twice"},
      {R"({"__metadata__":{},"__metadata__":{}})", "'__metadata__' appears twice"},
      {R"({"__metadata__":"k"})", "__metadata__ has text where it cannot be"},
  }));
  CAPTURE(json);

  CHECK_THROWS_WITH(index_of(safetensors_file(json, "")), Catch::Contains(says));
}

TEST_CASE("tensors that overlap, leave a hole or have one name are refused",
          "[strategies][safetensors]") {
  const auto two = [](const std::string& name, const std::string& range) {
    return safetensors_file(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},")" + name +
                                R"(":{"dtype":"U8","shape":[4],"data_offsets":)" + range + "}}",
                            "12345678");
  };

  CHECK(index_of(two("b", "[4,8]")).tensors.size() == 2);
  CHECK_THROWS_WITH(
      index_of(two("b", "[3,7]")),
      Catch::Contains("'b' begins at 3 of the data, but the one before it ends at 4"));
  CHECK_THROWS_WITH(index_of(two("b", "[5,9]")), Catch::Contains("'b' begins at 5 of the data"));
  CHECK_THROWS_WITH(index_of(two("b", "[0,4]")), Catch::Contains("begins at 0 of the data"));
  CHECK_THROWS_WITH(index_of(two("a", "[4,8]")), Catch::Contains("'a' appears twice"));
}

TEST_CASE("a header of more than 100 MB is refused, whatever the file holds",
          "[strategies][safetensors]") {
  using test::with_u64;

  CHECK_THROWS_WITH(index_of(with_u64(tiny_safetensors(), 0, 100'000'001)),
                    Catch::Contains("offset 0: a header of 100000001 bytes"));
  CHECK_THROWS_WITH(index_of(with_u64(tiny_safetensors(), 0, 100'000'000)),
                    Catch::Contains("the header says 100000000 bytes"));
  CHECK_THROWS_WITH(index_of("1234567"), Catch::Contains("ends in the middle of the size"));
}

TEST_CASE("brackets in brackets are refused at the first that cannot be",
          "[strategies][safetensors]") {
  CHECK_THROWS_WITH(index_of(safetensors_file(R"({"a":)" + std::string(1'000'000, '['), "")),
                    Catch::Contains("tensor 'a' has an array where it cannot be"));
}
