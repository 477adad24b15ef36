#include "collector/drain/tables/block_origins.hpp"

#include "tests/support/catch.hpp"

#include <array>
#include <optional>
#include <random>

using namespace tidemark;

namespace {

constexpr std::uint64_t kBlock = 200;

struct Byte {
  std::uint32_t file;
  std::uint64_t offset;
  bool operator==(const Byte&) const = default;
};
using Bytes = std::array<std::optional<Byte>, kBlock>;

Bytes bytes_of(const FileExtents& content) {
  Bytes bytes;
  for (const FileExtent& extent : content.all()) {
    for (std::uint64_t i = 0; i < extent.bytes; ++i) {
      REQUIRE_FALSE(bytes.at(extent.begin + i).has_value());
      bytes.at(extent.begin + i) = Byte{trace::index(extent.file), extent.offset + i};
    }
  }
  return bytes;
}

/// Stretches that no longer one could take the place of.
std::size_t stretches_in(const Bytes& bytes) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool goes_on = i > 0 && bytes[i] && bytes[i - 1] &&
                         bytes[i]->file == bytes[i - 1]->file &&
                         bytes[i]->offset == bytes[i - 1]->offset + 1;
    count += bytes[i] && !goes_on ? 1U : 0U;
  }
  return count;
}

}  // namespace

TEST_CASE("what a block holds of files is what was put there last, byte by byte", "[origins]") {
  const auto seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  FileExtents content;
  Bytes plain;
  bool was_overwritten = false;
  for (int step = 0; step < 400; ++step) {
    const std::uint64_t begin = random() % kBlock;
    const std::uint64_t bytes = 1 + random() % std::min<std::uint64_t>(kBlock - begin, 40);
    const bool is_wipe = random() % 4 == 0;
    // Mostly where the bytes lie in the first file as in the block.
    const Byte first{static_cast<std::uint32_t>(random() % 8 == 0),
                     begin + random() % 8 / 7 * 1000};
    for (std::uint64_t i = 0; i < bytes; ++i) {
      const Byte now{first.file, first.offset + i};
      auto& old = plain.at(begin + i);
      was_overwritten = was_overwritten || (old && (is_wipe || *old != now));
      old = is_wipe ? std::nullopt : std::optional(now);
    }
    if (is_wipe)
      content.wipe(begin, bytes);
    else {
      content.put({.begin = begin,
                   .bytes = bytes,
                   .file = trace::FileId{first.file},
                   .offset = first.offset});
    }
    REQUIRE(bytes_of(content) == plain);
    REQUIRE(content.size() == stretches_in(plain));
    REQUIRE(content.is_reused() == was_overwritten);
  }
  CHECK(was_overwritten);
}

TEST_CASE("a stretch that grows keeps the time of its first bytes", "[origins]") {
  FileExtents content;
  content.put({.begin = 100, .bytes = 10, .offset = 500, .at_ns = 7});
  content.put({.begin = 110, .bytes = 10, .offset = 510, .at_ns = 9});
  content.put({.begin = 105, .bytes = 10, .offset = 505, .at_ns = 11});
  REQUIRE(content.all().size() == 1);
  CHECK(content.all()[0].at_ns == 7);
  CHECK(content.all()[0].bytes == 20);
  CHECK_FALSE(content.is_reused());
  const auto part = content.in(112, 100);
  REQUIRE(part.size() == 1);
  CHECK(part[0].begin == 112);
  CHECK(part[0].offset == 512);
  CHECK(part[0].bytes == 8);
}

TEST_CASE("a stretch that grows to the front has the time of its first bytes, too", "[origins]") {
  FileExtents content;
  content.put({.begin = 100, .bytes = 100, .offset = 500, .at_ns = 7});
  content.put({.begin = 0, .bytes = 100, .offset = 400, .at_ns = 9});
  REQUIRE(content.all().size() == 1);
  CHECK(content.all()[0].at_ns == 7);
}

TEST_CASE("a block that became another one takes along what fits", "[origins]") {
  BlockOrigins origins;
  origins.put(1, {.begin = 0, .bytes = 100, .offset = 40});
  origins.move(1, 2, 60);
  REQUIRE(origins.find(2) != nullptr);
  REQUIRE(origins.find(2)->all().size() == 1);
  CHECK(origins.find(2)->all()[0].bytes == 60);
  CHECK_FALSE(origins.find(2)->is_reused());
  origins.put(2, {.begin = 0, .bytes = 10, .offset = 4000});
  origins.move(2, 3, 1000);
  CHECK(origins.find(3)->is_reused());
  origins.move(77, 4, 1000);
  CHECK(origins.find(4) == nullptr);
}
