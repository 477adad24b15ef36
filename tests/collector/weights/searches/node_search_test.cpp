// Numbers of a file that lie one in a node each are found, and what only looks alike is not.
#include "collector/weights/searches/node_search.hpp"

#include "tests/collector/weights/samples.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace tidemark;
using tests::sample_of;
using tidemark::tests::TemporaryFolder;
using weights::NodeSearch;

namespace {

constexpr std::size_t kMadeNumbers = 100'000;

template <typename Float>
std::vector<Float> made_numbers() {
  std::mt19937 random(11);
  std::normal_distribution<Float> normal(0, Float{1} / 50);
  std::vector<Float> numbers(kMadeNumbers);
  for (Float& number : numbers)
    number = normal(random);
  return numbers;
}

class NumbersInFile {
 public:
  template <typename Float>
  explicit NumbersInFile(const std::vector<Float>& numbers, std::size_t header = 0) {
    const std::string path = folder_.file("weights");
    std::ofstream(path, std::ios::binary)
        << std::string(header, 'h')
        << std::string_view(reinterpret_cast<const char*>(numbers.data()),
                            numbers.size() * sizeof(Float));
    file_.id = trace::FileId{5};
    file_.file = open_regular_file(path);
    file_.size = header + numbers.size() * sizeof(Float);
  }
  [[nodiscard]] std::optional<trace::PackedMatch> find(const weights::BlockSample& sample) const {
    weights::WordPlaces words;
    NodeSearch search(words);
    search.want(sample);
    words.read(file_);
    search.note_read(file_);
    return search.find(sample);
  }
  [[nodiscard]] std::optional<trace::PackedMatch> find(const std::vector<std::byte>& block) const {
    return find(sample_of(block));
  }

 private:
  TemporaryFolder folder_;
  weights::PlainFile file_;
};

struct NodeForm {
  std::size_t bytes = 16;
  std::size_t at = 0;      ///< Of a number in its node.
  std::size_t header = 0;  ///< Of the block.
  std::size_t spare = 0;   ///< NodeForm behind the last one.
};

/// @tparam InBlock what a number is there.
template <typename InBlock, typename Float>
std::vector<std::byte> in_nodes(const std::vector<Float>& numbers, const NodeForm& nodes) {
  std::vector<std::byte> block(nodes.header + (numbers.size() + nodes.spare) * nodes.bytes,
                               std::byte{3});
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<InBlock>(numbers[i]);
    std::memcpy(&block[nodes.header + i * nodes.bytes + nodes.at], &number, sizeof number);
  }
  return block;
}

/// Objects of 32 bytes in pools that begin with a header, as CPython has its floats.
/// @param begin pools in front of the block.
std::vector<std::byte> in_pools(const std::vector<float>& numbers,
                                std::size_t pool_bytes,
                                std::size_t header,
                                std::size_t begin) {
  constexpr std::size_t kNode = 32;
  const std::size_t in_pool = (pool_bytes - header) / kNode;
  std::vector<std::byte> block(((numbers.size() - 1) / in_pool + 1) * pool_bytes, std::byte{3});
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<double>(numbers[i]);
    std::memcpy(&block[i / in_pool * pool_bytes + header + i % in_pool * kNode + 16], &number,
                sizeof number);
  }
  block.erase(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(begin));
  return block;
}

}  // namespace

TEST_CASE("numbers in the pools of an allocator are found, wherever these begin", "[weights]") {
  const auto numbers = made_numbers<float>();
  const NumbersInFile file(numbers, 64);
  const std::size_t pool = GENERATE(4096U, 16384U);
  const std::size_t begin = GENERATE(0U, 8192U, 65'536U + 4096U);
  CAPTURE(pool, begin);
  const auto match = file.find(in_pools(numbers, pool, 48, begin));
  REQUIRE(match);
  CHECK(match->type == "f64");
  CHECK(match->file_type == "f32");
  CHECK(match->node_bytes == 32);
}

TEST_CASE("of numbers in pools those further inside come behind the first by what lies between",
          "[weights]") {
  const auto numbers = made_numbers<float>();
  const NumbersInFile file(numbers);
  const std::vector<float> piece(numbers.begin(), numbers.begin() + 20'000);
  REQUIRE(file.find(in_pools(piece, 16384, 512, 4096)));
  SECTION("an eighth is more than headers take") {
    CHECK_FALSE(file.find(in_pools(piece, 16384, 2048, 4096)));
  }
  SECTION("in the file's order") {
    const auto middle = numbers.begin() + kMadeNumbers / 2;
    std::vector<float> other(middle, middle + 20'000);
    std::copy_n(numbers.begin(), 15'000, other.begin() + 5'000);
    CHECK_FALSE(file.find(in_pools(other, 16384, 512, 4096)));
  }
  SECTION("as the file has them") {
    auto block = in_pools(numbers, 4096, 48, 0);
    const std::size_t inner = weights::BlockSample::inner_place(block.size());
    for (std::size_t at = inner; at < inner + 64; ++at)
      block[at] ^= std::byte{0x20};
    CHECK_FALSE(file.find(block));
  }
}

TEST_CASE("float32 in nodes of any size are found where they are in the file", "[weights]") {
  const std::size_t bytes = GENERATE(8U, 12U, 16U, 24U, 32U, 40U, 48U, 56U, 64U);
  CAPTURE(bytes);
  const auto numbers = made_numbers<float>();
  const auto match = NumbersInFile(numbers, 64).find(in_nodes<float>(numbers, {bytes, 4}));
  REQUIRE(match);
  CHECK(match->allocation == 3);
  CHECK(trace::index(match->file) == 5);
  CHECK(match->offset == 64);
  CHECK(match->distance == 0);
  CHECK(match->at_ns == 17);
  CHECK(match->type == "f32");
  CHECK(match->file_type == "f32");
  CHECK(match->node_bytes == bytes);
}

TEST_CASE("float32 of the file that are float64 in nodes of any size are found", "[weights]") {
  const std::size_t bytes = GENERATE(16U, 24U, 32U, 40U, 48U, 56U, 64U);
  CAPTURE(bytes);
  const auto numbers = made_numbers<float>();
  const auto match = NumbersInFile(numbers, 64).find(in_nodes<double>(numbers, {bytes, 8}));
  REQUIRE(match);
  CHECK(match->offset == 64);
  CHECK(match->type == "f64");
  CHECK(match->file_type == "f32");
  CHECK(match->node_bytes == bytes);
}

TEST_CASE("float64 of the file are found in nodes", "[weights]") {
  const auto numbers = made_numbers<double>();
  const auto match = NumbersInFile(numbers).find(in_nodes<double>(numbers, {24}));
  REQUIRE(match);
  CHECK(match->type == "f64");
  CHECK(match->file_type == "f64");
  CHECK(match->node_bytes == 24);
}

TEST_CASE("float32 that are in an array of Ruby are found as float64", "[weights]") {
  const auto numbers = made_numbers<float>();
  // rb_float_new_inline: of a float64 whose exponent's upper three bits are 011 or 100.
  std::vector<std::uint64_t> values;
  for (const float number : numbers) {
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(number));
    values.push_back((std::rotl(bits, 3) & ~std::uint64_t{3}) | 2);
  }
  const auto bytes = std::as_bytes(std::span(values));
  const auto match = NumbersInFile(numbers).find(sample_of(bytes));
  REQUIRE(match);
  CHECK(match->type == "f64");
  CHECK(match->file_type == "f32");
  CHECK(match->node_bytes == 0);
  SECTION("but not where objects of another kind are among them") {
    values[20] = 8;
    CHECK_FALSE(NumbersInFile(numbers).find(sample_of(bytes)));
  }
}

TEST_CASE("nodes behind a header, and with room to spare behind them, are found", "[weights]") {
  const auto numbers = made_numbers<float>();
  const NumbersInFile file(numbers);
  const auto with_header = file.find(in_nodes<double>(numbers, {16, 0, 24}));
  REQUIRE(with_header);
  CHECK(with_header->node_bytes == 16);
  CHECK(file.find(in_nodes<double>(numbers, {16, 0, 0, kMadeNumbers - 1})));
  // More than a buffer that grew has: it is something else.
  CHECK_FALSE(file.find(in_nodes<double>(numbers, {16, 0, 0, kMadeNumbers + kMadeNumbers / 4})));
}

TEST_CASE("a block that holds something else further inside is not taken for nodes of the file",
          "[weights]") {
  const auto numbers = made_numbers<float>();
  const NumbersInFile file(numbers);
  const auto block = in_nodes<double>(numbers, {});
  auto sample = sample_of(block);
  REQUIRE(file.find(sample));
  SECTION("other numbers") {
    sample.inner[9] ^= std::byte{0x40};
    sample.inner[1] ^= std::byte{0x40};
    CHECK_FALSE(file.find(sample));
  }
  SECTION("those of another place") {
    sample.inner_at += 16;
    CHECK_FALSE(file.find(sample));
  }
  SECTION("at the beginning") {
    sample.first[193] ^= std::byte{0x40};
    CHECK_FALSE(file.find(sample));
  }
}

TEST_CASE("rows of the file that were interleaved are no nodes of one number", "[weights]") {
  const auto numbers = made_numbers<float>();
  const NumbersInFile file(numbers);
  constexpr std::size_t kRow = kMadeNumbers / 2;
  std::vector<float> pairs;
  for (std::size_t i = 0; i < kRow; ++i)
    pairs.insert(pairs.end(), {numbers[i], numbers[kRow + i]});
  CHECK_FALSE(file.find(sample_of(pairs)));
}

TEST_CASE("a plain copy, a widened one, and one number again and again are no nodes", "[weights]") {
  const auto numbers = made_numbers<float>();
  const NumbersInFile file(numbers);
  CHECK_FALSE(file.find(sample_of(numbers)));
  const std::vector<double> wide(numbers.begin(), numbers.end());
  CHECK_FALSE(file.find(sample_of(std::as_bytes(std::span(wide)))));
  const std::vector<float> same(kMadeNumbers, 0.5F);
  CHECK_FALSE(NumbersInFile(same).find(in_nodes<float>(same, {})));
}
