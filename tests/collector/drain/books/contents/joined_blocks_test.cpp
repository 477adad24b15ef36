// Blocks that a larger one holds, one behind the other or row by row, are found, and no others.
#include "collector/drain/books/contents/joined_blocks.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace tidemark;

namespace {

using Content = std::vector<std::byte>;

constexpr std::size_t kBytes = 400'000;
constexpr std::size_t kFirstBytes = 256;

Content random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Content bytes(count);
  std::ranges::generate(bytes, [&random] { return static_cast<std::byte>(random()); });
  return bytes;
}

/// As every object has it: no two headers are the same.
Content with_header(std::size_t header, const Content& values, std::size_t behind = 0) {
  Content object = random_bytes(header, static_cast<unsigned>(values.size()));
  object.insert(object.end(), values.begin(), values.end());
  object.resize(object.size() + behind);
  return object;
}

/// The blocks of a process, at addresses that are far from each other.
class Blocks {
 public:
  std::uint64_t add(Content bytes) {
    const std::uint64_t allocation = next_++;
    const BeginningBlock block{allocation, allocation << 32U, 0};
    beginnings_.add(block, std::span(bytes).first(kFirstBytes));
    contents_[allocation] = std::move(bytes);
    return allocation;
  }
  void release(std::uint64_t allocation) { contents_.erase(allocation); }
  Content& content(std::uint64_t allocation) { return contents_.at(allocation); }

  [[nodiscard]] std::size_t reads() const { return reads_; }  ///< Since the last `find`.

  JoinedBlocks find(std::uint64_t whole) {
    reads_ = 0;
    const Content& content = contents_.at(whole);
    return find_joined_blocks({.block = {whole, whole << 32U, content.size()},
                               .first = std::span(content).first(kFirstBytes),
                               .at_ns = 500},
                              beginnings_, memory());
  }

 private:
  JoinedMemory memory() {
    return {.read =
                [this](std::uint64_t address, std::span<std::byte> into) {
                  ++reads_;
                  const auto found = contents_.find(address >> 32U);
                  const std::uint64_t at = address & 0xffffffff;
                  if (found == contents_.end() || at + into.size() > found->second.size())
                    return false;
                  std::memcpy(into.data(), found->second.data() + at, into.size());
                  return true;
                },
            .size_of = [this](const BeginningBlock& block) -> std::optional<std::uint64_t> {
              const auto found = contents_.find(block.allocation);
              if (found == contents_.end())
                return std::nullopt;
              return found->second.size();
            }};
  }

  std::uint64_t next_ = 1;
  std::size_t reads_ = 0;
  BlockBeginnings beginnings_;
  std::map<std::uint64_t, Content> contents_;
};

Content behind_each_other(const std::vector<Content>& parts) {
  Content whole;
  for (const Content& part : parts)
    whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

Content row_by_row(const std::vector<Content>& parts, std::size_t rows) {
  Content whole;
  for (std::size_t row = 0; row < rows; ++row) {
    for (const Content& part : parts) {
      const auto bytes = static_cast<std::ptrdiff_t>(part.size() / rows);
      const auto begin = part.begin() + static_cast<std::ptrdiff_t>(row) * bytes;
      whole.insert(whole.end(), begin, begin + bytes);
    }
  }
  return whole;
}

}  // namespace

TEST_CASE("arrays that stand one behind the other in a larger one are found", "[joined_blocks]") {
  const std::size_t header = GENERATE(as<std::size_t>{}, 0, 16, 32, 48);
  const std::size_t own_header = GENERATE(as<std::size_t>{}, 0, 32);
  const std::size_t behind = GENERATE(as<std::size_t>{}, 0, 1);
  CAPTURE(header, own_header, behind);
  const std::vector<Content> values{random_bytes(kBytes, 1), random_bytes(kBytes / 2, 2),
                                    random_bytes(3 * kBytes, 3)};
  Blocks blocks;
  for (const Content& part : values)
    blocks.add(with_header(header, part, behind));
  blocks.add(random_bytes(kBytes, 9));
  const auto whole = blocks.add(with_header(own_header, behind_each_other(values), behind));

  const JoinedBlocks found = blocks.find(whole);

  REQUIRE(found.state == JoinedState::kIsJoined);
  REQUIRE(found.parts.size() == 3);
  std::uint64_t begin = own_header;
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(found.parts[i].allocation == i + 1);
    CHECK(found.parts[i].of == whole);
    CHECK(found.parts[i].begin == begin);
    CHECK(found.parts[i].rows == 1);
    CHECK(found.parts[i].at_ns == 500);
    begin += values[i].size();
  }
  CHECK(found.parts[0].bytes == values[0].size());
}

TEST_CASE("arrays that stand row by row in a larger one are found", "[joined_blocks]") {
  const std::size_t rows = GENERATE(as<std::size_t>{}, 2, 100, 1000);
  const std::size_t times = rows == 2 ? 100 : 1;
  const std::size_t header = GENERATE(as<std::size_t>{}, 0, 32);
  CAPTURE(rows, header);
  const std::vector<Content> values{random_bytes(rows * times * 400, 1),
                                    random_bytes(rows * times * 1000, 2),
                                    random_bytes(rows * times * 64, 3)};
  Blocks blocks;
  for (const Content& part : values)
    blocks.add(with_header(header, part));
  const auto whole = blocks.add(row_by_row(values, rows));

  const JoinedBlocks found = blocks.find(whole);

  REQUIRE(found.state == JoinedState::kIsJoined);
  REQUIRE(found.parts.size() == 3);
  CHECK(found.parts[1].begin == times * 400);
  CHECK(found.parts[2].begin == times * 1400);
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(found.parts[i].allocation == i + 1);
    CHECK(found.parts[i].rows == rows);
    CHECK(found.parts[i].bytes == values[i].size());
  }
}

TEST_CASE("what begins as another and goes on differently is not joined", "[joined_blocks]") {
  const std::vector<Content> values{random_bytes(kBytes, 1), random_bytes(kBytes, 2)};
  Blocks blocks;
  const auto first = blocks.add(values[0]);
  const auto second = blocks.add(values[1]);
  Content joined = behind_each_other(values);
  const std::string what =
      GENERATE("a part has gone", "a slice", "longer", "shorter", "other values in the middle",
               "other values at the end", "no second part", "the same part twice");
  CAPTURE(what);
  if (what == "a part has gone")
    blocks.release(GENERATE_COPY(first, second));
  else if (what == "a slice")
    joined = random_bytes(kBytes, 2);
  else if (what == "longer")
    joined.resize(joined.size() + 8192, std::byte{5});
  else if (what == "shorter")
    joined.resize(joined.size() - 8192);
  else if (what == "other values in the middle")
    joined[kBytes + kBytes / 3 + 7] ^= std::byte{1};
  else if (what == "other values at the end")
    joined[kBytes - 1] ^= std::byte{1};
  else if (what == "no second part")
    joined = behind_each_other({values[0], random_bytes(kBytes, 3)});
  else
    joined = behind_each_other({values[0], values[0]});
  const auto whole = blocks.add(joined);
  CHECK(blocks.find(whole).parts.empty());
  CHECK(blocks.find(whole).state != JoinedState::kIsJoined);
}

TEST_CASE("a slice of an array, and the array that it is one of, are not joined",
          "[joined_blocks]") {
  const Content values = random_bytes(4 * kBytes, 1);
  Blocks blocks;
  const auto array = blocks.add(values);
  const auto slice = blocks.add({values.begin(), values.begin() + kBytes});
  blocks.add({values.begin() + 2 * kBytes, values.end()});
  CHECK(blocks.find(array).state == JoinedState::kNotTold);
  CHECK(blocks.find(slice).state == JoinedState::kNone);
}

TEST_CASE("what is zeros everywhere, but for a part's beginning, tells nothing",
          "[joined_blocks]") {
  std::vector<Content> values{random_bytes(kBytes, 1), random_bytes(kBytes, 2)};
  for (Content& part : values)
    std::fill(part.begin() + kFirstBytes, part.end(), std::byte{});
  Blocks blocks;
  for (const Content& part : values)
    blocks.add(part);
  const auto whole = blocks.add(behind_each_other(values));
  CHECK(blocks.find(whole).state == JoinedState::kNotTold);
}

TEST_CASE("an array that is filled while it is looked at is told once it is whole",
          "[joined_blocks]") {
  const std::vector<Content> values{random_bytes(kBytes, 1), random_bytes(kBytes, 2)};
  Blocks blocks;
  for (const Content& part : values)
    blocks.add(part);
  const Content joined = behind_each_other(values);
  const auto whole = blocks.add(joined);
  std::fill(blocks.content(whole).begin() + kBytes, blocks.content(whole).end(), std::byte{});
  CHECK(blocks.find(whole).state == JoinedState::kNotTold);
  blocks.content(whole) = joined;
  CHECK(blocks.find(whole).state == JoinedState::kIsJoined);
}

TEST_CASE("a joined array that is there twice is told of both", "[joined_blocks]") {
  const std::vector<Content> values{random_bytes(kBytes, 1), random_bytes(kBytes, 2)};
  Blocks blocks;
  const auto one = blocks.add(behind_each_other(values));
  for (const Content& part : values)
    blocks.add(part);
  const auto other = blocks.add(behind_each_other(values));
  CHECK(blocks.find(one).state == JoinedState::kIsJoined);
  CHECK(blocks.find(other).state == JoinedState::kIsJoined);
}

TEST_CASE("what counts up again and again is not joined from itself", "[joined_blocks]") {
  Content counting(kBytes);
  for (std::size_t i = 0; i < counting.size(); ++i)
    counting[i] = static_cast<std::byte>(i % 250);
  const std::vector<Content> values{counting, counting};
  Blocks blocks;
  for (const Content& part : values)
    blocks.add(part);
  const auto whole = blocks.add(behind_each_other(values));
  CHECK(blocks.find(whole).state == JoinedState::kNotTold);
}

TEST_CASE("a search reads a bounded number of places, whatever there is", "[joined_blocks]") {
  // Sixteen blocks that begin alike for each of many beginnings, none of which goes on as the
  // whole.
  Content whole_values = random_bytes(4 * kBytes, 1);
  Blocks blocks;
  blocks.add(Content(whole_values.begin(), whole_values.begin() + kBytes));
  for (std::size_t at = kBytes - 64; at < kBytes + 64; ++at) {
    for (std::size_t i = 0; i < BlockBeginnings::kMaxAlike; ++i) {
      Content other(whole_values.begin() + static_cast<std::ptrdiff_t>(at),
                    whole_values.begin() + static_cast<std::ptrdiff_t>(at + kFirstBytes));
      other[63] ^= std::byte{1};  // Compared whatever header it has, and no part of its key.
      blocks.add(std::move(other));
    }
  }
  const auto whole = blocks.add(whole_values);
  const JoinedBlocks found = blocks.find(whole);
  CHECK(found.state == JoinedState::kNotTold);
  CHECK(found.has_read);
  CHECK(blocks.reads() > 1000);
  CHECK(blocks.reads() <= kMaxReads);
}

TEST_CASE("blocks that begin with the same word twice, or like many others, are passed over",
          "[joined_blocks]") {
  BlockBeginnings beginnings;
  Content bytes = random_bytes(kFirstBytes, 1);
  const auto key = std::span(bytes).subspan(BlockBeginnings::kKeyAt);
  for (std::uint64_t i = 0; i < 2 * BlockBeginnings::kMaxAlike; ++i)
    beginnings.add({i, i << 32U, 0}, bytes);
  CHECK(beginnings.with(key).size() == BlockBeginnings::kMaxAlike);
  std::ranges::copy(key.first(4), key.begin() + 4);
  beginnings.add({1000, 0, 0}, bytes);
  CHECK(beginnings.with(key).empty());
}

TEST_CASE("blocks that have gone are swept out of the beginnings", "[joined_blocks]") {
  BlockBeginnings beginnings;
  for (unsigned i = 0; !beginnings.is_to_be_swept(); ++i)
    beginnings.add({i, std::uint64_t{i} << 32U, 0}, random_bytes(kFirstBytes, i));
  beginnings.sweep([](const BeginningBlock& block) { return block.allocation < 3; });
  CHECK_FALSE(beginnings.is_to_be_swept());
  for (unsigned i = 0; i < 4; ++i) {
    const Content bytes = random_bytes(kFirstBytes, i);
    CHECK(beginnings.with(std::span(bytes).subspan(BlockBeginnings::kKeyAt)).size() ==
          (i < 3 ? 1 : 0));
  }
}
