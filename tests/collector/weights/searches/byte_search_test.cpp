// Floats that were made of a file's bytes by a scale are found, and other floats are not.
#include "collector/weights/searches/byte_search.hpp"

#include "tests/collector/weights/samples.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace tidemark;
using tests::sample_of;
using tidemark::tests::TemporaryFolder;
using weights::ByteSearch;

namespace {

constexpr std::size_t kNumbers = 512 * 1024;
constexpr std::size_t kHeader = 1001;  ///< Of the file: bytes may begin anywhere.

std::vector<std::uint8_t> random_bytes(unsigned seed = 7) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> bytes(kNumbers);
  for (std::uint8_t& byte : bytes)
    byte = static_cast<std::uint8_t>(random());
  return bytes;
}

float scale_of_group(std::size_t group) {
  return 0.01F + 0.001F * static_cast<float>(group % 37);
}

/// What is in the file: groups with `scale_bytes` in front of each, or no groups.
std::string file_of(const std::vector<std::uint8_t>& bytes,
                    std::size_t group,
                    std::size_t scale_bytes) {
  std::string file(kHeader, 'h');
  for (std::size_t at = 0; at < bytes.size(); at += group) {
    file.append(scale_bytes, static_cast<char>(at / group));
    file.append(reinterpret_cast<const char*>(bytes.data()) + at, group);
  }
  return file;
}

/// A scale for each group, and a zero point.
template <typename Byte>
std::vector<float> unpacked(const std::vector<std::uint8_t>& bytes, std::size_t group, int zero) {
  std::vector<float> values;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    values.push_back(scale_of_group(i / group) *
                     static_cast<float>(static_cast<Byte>(bytes[i]) - zero));
  return values;
}

std::optional<trace::PackedMatch> find(const std::string& content,
                                       const std::vector<float>& block) {
  const TemporaryFolder folder;
  const std::string path = folder.file("weights");
  std::ofstream(path, std::ios::binary) << content;
  ByteSearch search;
  search.want(sample_of(block));
  const weights::PlainFile file{trace::FileId{5}, open_regular_file(path), content.size()};
  search.read(file);
  return search.find(sample_of(block));
}

}  // namespace

TEST_CASE("bytes that were multiplied by the scale of their group are found", "[weights]") {
  const std::size_t group = GENERATE(32U, 64U, 1024U);
  const std::size_t scale_bytes = GENERATE(0U, 2U, 4U);
  CAPTURE(group, scale_bytes);
  const auto bytes = random_bytes();

  const auto match =
      find(file_of(bytes, group, scale_bytes), unpacked<std::int8_t>(bytes, group, 0));

  REQUIRE(match);
  CHECK(match->allocation == 3);
  CHECK(trace::index(match->file) == 5);
  CHECK(match->distance == 0);
  CHECK(match->at_ns == 17);
  CHECK(match->type == "f32");
  CHECK(match->file_type == "i8");
  // By the first sixteen that have one scale: those before them may have scales between them.
  CHECK(match->offset >= kHeader);
  CHECK(match->offset <= kHeader + 2 * scale_bytes);
}

TEST_CASE("bytes that have a zero point are found as what they are", "[weights]") {
  const auto bytes = random_bytes();
  const auto match = find(file_of(bytes, kNumbers, 0), unpacked<std::uint8_t>(bytes, 4096, 117));
  REQUIRE(match);
  CHECK(match->file_type == "u8");
  const auto with_sign = find(file_of(bytes, kNumbers, 0), unpacked<std::int8_t>(bytes, 4096, -3));
  REQUIRE(with_sign);
  CHECK(with_sign->file_type == "i8");
}

TEST_CASE("an object's header does not hide unpacked bytes", "[weights]") {
  const auto bytes = random_bytes();
  auto block = unpacked<std::int8_t>(bytes, 32, 0);
  block.insert(block.begin(), GENERATE(4U, 12U, 20U), 1e30F);
  CHECK(find(file_of(bytes, 32, 2), block));
}

TEST_CASE("floats that are made of other bytes are not found", "[weights]") {
  const auto bytes = random_bytes();
  const std::string content = file_of(bytes, 32, 2);
  SECTION("of another file") {
    CHECK_FALSE(find(content, unpacked<std::int8_t>(random_bytes(8), 32, 0)));
  }
  SECTION("of the same in another order") {
    auto turned = bytes;
    std::ranges::reverse(turned);
    CHECK_FALSE(find(content, unpacked<std::int8_t>(turned, 32, 0)));
  }
  SECTION("that begin like them, and go on with others") {
    auto other = random_bytes(8);
    std::copy_n(bytes.begin(), 64, other.begin());
    CHECK_FALSE(find(content, unpacked<std::int8_t>(other, 32, 0)));
  }
  SECTION("that are twice as far apart") {
    std::vector<std::uint8_t> sparse;
    for (std::size_t i = 0; i < kNumbers; ++i)
      sparse.push_back(bytes[i / 16 * 32 % kNumbers + i % 16]);
    CHECK_FALSE(find(content, unpacked<std::int8_t>(sparse, 32, 0)));
  }
}

TEST_CASE("floats that are no whole multiples want nothing of a file", "[weights]") {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> weights(kNumbers);
  for (float& value : weights)
    value = normal(random);
  std::vector<float> few(kNumbers);
  for (std::size_t i = 0; i < few.size(); ++i)
    few[i] = static_cast<float>(i % 3);
  std::vector<float> holes = weights;
  for (std::size_t i = 0; i < holes.size(); i += 5)
    holes[i] = i % 2 == 0 ? std::numeric_limits<float>::quiet_NaN()
                          : std::numeric_limits<float>::infinity();
  // Of all sizes: what is nothing beside the largest of them is no multiple of its scale.
  std::vector<float> any_size;
  while (any_size.size() < kNumbers) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(value))
      any_size.push_back(value);
  }
  ByteSearch search;
  search.want(sample_of(any_size));
  CHECK(search.is_empty());
  search.want(sample_of(holes));
  search.want(sample_of(weights));
  search.want(sample_of(few));
  CHECK(search.is_empty());
  search.want(sample_of(unpacked<std::int8_t>(random_bytes(), 32, 0)));
  CHECK_FALSE(search.is_empty());
}
