#include "reference_loaders/strategies/tensor_type.hpp"

#include "tests/support/catch.hpp"

#include <limits>
#include <vector>

using namespace tidemark::loaders::strategies;

TEST_CASE("quantised rows have the sizes that ggml gives them", "[strategies]") {
  struct Row {
    std::uint32_t type;
    std::int64_t elements;
    std::uint64_t bytes;
  };
  const auto row = GENERATE(values<Row>({{0, 32, 128},
                                         {1, 32, 64},
                                         {2, 32, 18},
                                         {3, 32, 20},
                                         {6, 32, 22},
                                         {7, 32, 24},
                                         {8, 32, 34},
                                         {30, 32, 64},
                                         {12, 256, 144},
                                         {14, 512, 420}}));
  CAPTURE(row.type);

  CHECK(tensor_bytes(std::vector{row.elements}, *find_gguf_type(row.type)) == row.bytes);
  CHECK(tensor_bytes(std::vector{std::int64_t{3}, row.elements}, *find_gguf_type(row.type)) ==
        3 * row.bytes);
}

TEST_CASE("a row must be a whole number of blocks", "[strategies]") {
  const TensorType& q4_0 = *find_gguf_type(2);

  CHECK(tensor_bytes(std::vector<std::int64_t>{2, 32}, q4_0) == 36U);
  CHECK_FALSE(tensor_bytes(std::vector<std::int64_t>{32, 2}, q4_0));
  CHECK_FALSE(tensor_bytes(std::vector<std::int64_t>{}, q4_0));
}

TEST_CASE("a tensor has no size that 64 bits cannot count", "[strategies]") {
  constexpr std::int64_t kMaxExtent = std::numeric_limits<std::int64_t>::max();

  CHECK(tensor_bytes(std::vector<std::int64_t>{}, float32()) == 4U);
  CHECK(tensor_bytes(std::vector<std::int64_t>{0, 5}, float32()) == 0U);
  CHECK_FALSE(tensor_bytes(std::vector<std::int64_t>{kMaxExtent, 4}, float32()));
  CHECK_FALSE(tensor_bytes(std::vector<std::int64_t>{1LL << 32, 1LL << 32}, bfloat16()));
  CHECK_FALSE(tensor_bytes(std::vector<std::int64_t>{-1}, float32()));
  CHECK_FALSE(tensor_bytes(std::vector<std::int64_t>{-1}, *find_safetensors_type("I8")));
  CHECK_FALSE(tensor_bytes(std::vector<std::int64_t>{0, -1}, float32()));
}

TEST_CASE("types that are not known are not found", "[strategies]") {
  CHECK(find_gguf_type(4) == nullptr);  // q4_2, which ggml took out
  CHECK(find_gguf_type(99) == nullptr);
  CHECK(find_safetensors_type("F4") == nullptr);
  CHECK(find_safetensors_type("") == nullptr);
  CHECK(find_safetensors_type("BF16") == find_gguf_type(30));
}
