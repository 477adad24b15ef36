// A block whose values stand in a larger one behind something else is found, and no other.
#include "collector/drain/books/contents/shifted_values.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <vector>

using namespace tidemark;

namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t kHeldBytes = 300'000;

Bytes some_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  std::ranges::generate(bytes, [&random] { return static_cast<std::byte>(random()); });
  return bytes;
}

Bytes behind(std::size_t count, const Bytes& values, unsigned seed = 77) {
  Bytes all = some_bytes(count, seed);
  all.insert(all.end(), values.begin(), values.end());
  return all;
}

/// A process whose blocks are far from each other.
struct SomeBlocks {
  std::uint64_t add(Bytes bytes) {
    contents[next] = std::move(bytes);
    return next++;
  }
  /// From `begin` on.
  void note(std::uint64_t allocation, std::uint64_t begin = 0) {
    const Bytes& bytes = contents.at(allocation);
    const auto window = std::span(bytes).subspan(begin);
    words.add(block(allocation), begin,
              window.first(std::min(window.size(), NearWords::kWindowBytes)));
  }
  [[nodiscard]] BeginningBlock block(std::uint64_t allocation) const {
    return {allocation, allocation << 32U, contents.at(allocation).size()};
  }
  ShiftedSearch search(std::uint64_t held) {
    reads = 0;
    return find_shifted_values(
        {.block = block(held), .first = std::span(contents.at(held)).first(256), .at_ns = 500},
        words, memory());
  }
  /// Where in the larger one; none where it does not stand there.
  std::optional<trace::Joined> find(std::uint64_t held) {
    const auto begun = search(held).begun;
    const bool is_all = begun && holds_shifted_values(held << 32U, *begun, memory());
    return is_all ? std::optional(begun->joined) : std::nullopt;
  }
  JoinedMemory memory() {
    return {.read =
                [this](std::uint64_t address, std::span<std::byte> into) {
                  ++reads;
                  const auto found = contents.find(address >> 32U);
                  const std::uint64_t at = address & std::numeric_limits<std::uint32_t>::max();
                  if (found == contents.end() || at + into.size() > found->second.size())
                    return false;
                  std::memcpy(into.data(), found->second.data() + at, into.size());
                  return true;
                },
            .size_of = [this](const BeginningBlock& it) -> std::optional<std::uint64_t> {
              const auto found = contents.find(it.allocation);
              return found == contents.end() ? std::nullopt
                                             : std::optional<std::uint64_t>(found->second.size());
            }};
  }

  std::map<std::uint64_t, Bytes> contents;
  NearWords words;
  std::uint64_t next = 1;
  std::size_t reads = 0;
};

}  // namespace

TEST_CASE("an array is found behind the header of the file that it is from", "[shifted_values]") {
  const std::size_t shift = GENERATE(as<std::size_t>{}, 64, 128, 131, 160, 1'003, 4'000);
  const std::size_t header = GENERATE(as<std::size_t>{}, 0, 16, 32, 48);
  const std::size_t left = GENERATE(as<std::size_t>{}, 0, 1, 70'000);
  CAPTURE(shift, header, left);
  const Bytes values = some_bytes(kHeldBytes, 1);
  Bytes file = behind(shift, values);
  file.resize(file.size() + left);
  SomeBlocks blocks;
  const auto whole = blocks.add(file);
  blocks.note(whole);
  const auto held = blocks.add(behind(header, values, 5));
  const auto found = blocks.find(held);
  REQUIRE(found);
  CHECK(found->allocation == held);
  CHECK(found->of == whole);
  CHECK(found->begin == shift);
  CHECK(found->bytes == kHeldBytes);
  CHECK(found->rows == 1);
}

TEST_CASE("what stands behind another array of a file is found, once words there are known",
          "[shifted_values]") {
  const Bytes first = some_bytes(kHeldBytes, 1);
  const Bytes second = some_bytes(kHeldBytes, 2);
  Bytes file = behind(160, first);
  const std::size_t end = file.size();
  const Bytes rest = behind(90, second);
  file.insert(file.end(), rest.begin(), rest.end());
  SomeBlocks blocks;
  const auto whole = blocks.add(file);
  blocks.note(whole);
  const auto held = blocks.add(second);
  CHECK_FALSE(blocks.find(held));
  blocks.note(whole, end);
  REQUIRE(blocks.find(held));
  CHECK(blocks.find(held)->begin == end + 90);
}

TEST_CASE("an array is the file's once all of it is there, even if the file has gone",
          "[shifted_values]") {
  const Bytes values = some_bytes(kHeldBytes, 1);
  SomeBlocks blocks;
  const auto whole = blocks.add(behind(128, values));
  blocks.note(whole);
  Bytes half = values;
  std::fill(half.begin() + kHeldBytes / 2, half.end(), std::byte{});
  const auto held = blocks.add(half);
  const auto begun = blocks.search(held).begun;
  REQUIRE(begun);
  CHECK_FALSE(holds_shifted_values(held << 32U, *begun, blocks.memory()));
  blocks.contents.erase(whole);
  blocks.contents[held] = values;
  CHECK(holds_shifted_values(held << 32U, *begun, blocks.memory()));
  blocks.contents[held][5] ^= std::byte{1};
  CHECK_FALSE(holds_shifted_values(held << 32U, *begun, blocks.memory()));
}

TEST_CASE("an array that only begins as what stands there is another one", "[shifted_values]") {
  const Bytes values = some_bytes(kHeldBytes, 1);
  const std::size_t other =
      GENERATE(as<std::size_t>{}, kHeldBytes / 3 + 3, kHeldBytes / 5 * 4 + 30, kHeldBytes - 100);
  CAPTURE(other);
  SomeBlocks blocks;
  blocks.note(blocks.add(behind(128, values)));
  Bytes array = values;
  array[other] ^= std::byte{1};
  CHECK_FALSE(blocks.find(blocks.add(array)));
}

TEST_CASE("an array of which a part only stands in the larger block is not in it",
          "[shifted_values]") {
  const Bytes values = some_bytes(kHeldBytes, 1);
  SomeBlocks blocks;
  Bytes file = behind(128, values);
  file.resize(file.size() - 1'000);
  blocks.note(blocks.add(file));
  CHECK_FALSE(blocks.find(blocks.add(values)));
}

TEST_CASE("what begins both blocks is left to others", "[shifted_values]") {
  const Bytes values = some_bytes(kHeldBytes, 1);
  const std::size_t header = GENERATE(as<std::size_t>{}, 0, 16, 32, 48);
  SomeBlocks blocks;
  blocks.note(blocks.add(behind(header, values)));
  CHECK_FALSE(blocks.find(blocks.add(values)));
}

TEST_CASE("what repeats itself, is all zeros or the same inside is not found elsewhere",
          "[shifted_values]") {
  const auto is_found = [](const Bytes& values) {
    SomeBlocks blocks;
    blocks.note(blocks.add(behind(128, values)));
    return blocks.find(blocks.add(values)).has_value();
  };
  Bytes values(kHeldBytes);
  SECTION("counts up again and again") {
    // Each place that is compared is a multiple of the period from the beginning.
    for (std::size_t i = 0; i < kHeldBytes; ++i)
      values[i] = static_cast<std::byte>(i % 250 + i % 4);
    CHECK_FALSE(is_found(values));
  }
  SECTION("zeros") {
    CHECK_FALSE(is_found(values));
  }
  SECTION("zeros behind its beginning") {
    std::ranges::copy(some_bytes(1'000, 3), values.begin());
    CHECK_FALSE(is_found(values));
  }
  SECTION("words that are the same again and again") {
    for (std::size_t i = 0; i < kHeldBytes; ++i)
      values[i] = static_cast<std::byte>(i % 4);
    CHECK_FALSE(is_found(values));
  }
}

TEST_CASE("a search for a larger block reads few places, however many begin alike",
          "[shifted_values]") {
  const Bytes values = some_bytes(kHeldBytes, 1);
  SomeBlocks blocks;
  for (unsigned i = 0; i < 100; ++i) {
    Bytes other = some_bytes(kHeldBytes, i + 10);
    std::copy_n(values.begin(), 100, other.begin());
    blocks.note(blocks.add(behind(128 + i, other, i)));
  }
  const auto held = blocks.add(values);
  CHECK_FALSE(blocks.find(held));
  blocks.search(held);
  CHECK(blocks.reads <= 20);
}

TEST_CASE("words near the beginning of blocks are bounded, and go with these", "[shifted_values]") {
  NearWords words;
  const Bytes bytes = some_bytes(NearWords::kWindowBytes, 1);
  for (std::uint64_t i = 0; !words.is_full(); ++i) {
    REQUIRE(i <= NearWords::kMaxWords);
    words.add({i, i << 32U, kHeldBytes}, 0,
              some_bytes(NearWords::kWindowBytes, static_cast<unsigned>(i)));
  }
  words.sweep([](const BeginningBlock& block) { return block.allocation == 1; });
  CHECK_FALSE(words.is_full());
  REQUIRE(words.with(bytes).size() == 1);
  CHECK(words.with(bytes)[0].block.allocation == 1);
}
