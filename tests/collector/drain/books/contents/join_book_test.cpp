// Blocks that a larger one holds are told, as long as both are there.
#include "collector/drain/books/contents/join_book.hpp"

#include "tests/collector/drain/books/contents/weights_in_blocks.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

using namespace tidemark;
using tests::kBlockBytes;
using tests::kElements;
using tests::kMuchLater;
using tests::Told;
using tests::Weights;

namespace {

/// Heap blocks of which one holds the others, one behind the other.
struct Arrays : Weights {
  static constexpr std::uint64_t kParts = 3;
  static constexpr std::uint64_t kPartBytes = kBlockBytes;

  [[nodiscard]] std::uint64_t at(std::uint64_t part) const { return part * kPartBytes; }
  static constexpr std::uint64_t kWholeAt = 4 * kPartBytes;

  void load() {
    for (std::uint64_t part = 0; part < kParts; ++part) {
      main.allocate(address + at(part), kPartBytes);
      auto* to = reinterpret_cast<std::uint64_t*>(memory + at(part));
      for (std::uint64_t i = 0; i < kElements; ++i)
        to[i] = (i + 1) * 0x9e3779b97f4a7c15ULL + part;
    }
    look();
  }
  void join(std::uint64_t parts = kParts) const {
    std::memcpy(memory + kWholeAt, memory, parts * kPartBytes);
  }
  void ask_for_whole() { main.allocate(address + kWholeAt, kParts * kPartBytes); }
  const std::vector<trace::Joined>& joined() {
    weights::ValueIndex no_tensors;
    book.tell({no_tensors, {}});
    return log().joined();
  }
};

}  // namespace

TEST_CASE("blocks that a larger one holds one behind the other are told", "[join_book]") {
  Arrays host;
  host.load();
  host.ask_for_whole();
  host.join();
  host.look();
  REQUIRE(host.joined().size() == Arrays::kParts);
  for (std::uint64_t part = 0; part < Arrays::kParts; ++part) {
    const trace::Joined& joined = host.log().joined()[part];
    CHECK(joined.allocation == part);
    CHECK(joined.of == Arrays::kParts);
    CHECK(joined.begin == host.at(part));
    CHECK(joined.bytes == Arrays::kPartBytes);
    CHECK(joined.until_ns == trace::ValueMatch::kNever);
  }
}

TEST_CASE("a larger block that is being filled is told of once it is full", "[join_book]") {
  Arrays host;
  host.load();
  host.ask_for_whole();
  host.join(GENERATE(1U, 2U));
  host.look();
  host.join();
  host.look();
  CHECK(host.joined().size() == Arrays::kParts);
}

TEST_CASE("blocks that were overwritten or went are not told to be in a larger one",
          "[join_book]") {
  Arrays host;
  host.load();
  host.ask_for_whole();
  SECTION("overwritten since") {
    host.join();
    host.look();
    host.overwrite(host.at(1));
    host.look();
    REQUIRE(host.joined().size() == Arrays::kParts);
    CHECK(host.log().joined()[0].until_ns == trace::ValueMatch::kNever);
    CHECK(host.log().joined()[1].until_ns < host.now());
  }
  SECTION("freed before") {
    host.join();
    host.main.free(host.address + host.at(1));
    host.look();
    CHECK(host.joined().empty());
  }
  SECTION("the larger one was freed, and nobody knows when") {
    host.join();
    host.look_once(kMuchLater);
    host.main.free(host.address + Arrays::kWholeAt);
    host.look_once(kMuchLater);
    CHECK(host.joined().empty());
  }
}

TEST_CASE("what a look found of a larger block stays where its process tells its last values",
          "[join_book]") {
  Arrays host;
  host.load();
  host.ask_for_whole();
  host.join();
  host.look_once(kMuchLater);
  host.pass_time(kMuchLater);
  tests::see(host, Told(host, Arrays::kWholeAt, Arrays::kParts * Arrays::kPartBytes));
  host.main.free(host.address + Arrays::kWholeAt);
  host.look_once(kMuchLater);
  CHECK(host.joined().size() == Arrays::kParts);
}

TEST_CASE("a larger block that takes long to be filled is told of as well", "[join_book]") {
  Arrays host;
  host.load();
  host.ask_for_whole();
  host.join(Arrays::kParts - 1);
  constexpr int kLooks = 100;
  for (int look = 0; look < kLooks; ++look)
    host.look_once(kMuchLater);
  host.join();
  // The next try may be a third of that away.
  for (int look = 0; look < kLooks; ++look)
    host.look_once(kMuchLater);
  CHECK(host.joined().size() == Arrays::kParts);
}

namespace {

/// An array, and the bytes of a file that has a header in front of it.
struct OfFile : Arrays {
  static constexpr std::uint64_t kHeader = 160;

  void unpack() {
    main.allocate(address + kWholeAt, kPartBytes + kHeader);
    for (std::uint64_t i = 0; i < kHeader; ++i)
      memory[kWholeAt + i] = static_cast<char>(7 * i);
    auto* to = reinterpret_cast<std::uint64_t*>(memory + kWholeAt + kHeader);
    for (std::uint64_t i = 0; i < kElements; ++i)
      to[i] = (i + 1) * 0x9e3779b97f4a7c15ULL;
    look();
    main.allocate(address, kPartBytes);
  }
  void copy(std::uint64_t bytes) const { std::memcpy(memory, memory + kWholeAt + kHeader, bytes); }
};

}  // namespace

TEST_CASE("an array is told to stand behind the header of the file's bytes", "[join_book]") {
  OfFile host;
  host.unpack();
  host.copy(OfFile::kPartBytes);
  host.look();
  REQUIRE(host.joined().size() == 1);
  const trace::Joined& joined = host.log().joined()[0];
  CHECK(joined.allocation == 1);
  CHECK(joined.of == 0);
  CHECK(joined.begin == OfFile::kHeader);
  CHECK(joined.bytes == OfFile::kPartBytes);
  CHECK(joined.until_ns == trace::ValueMatch::kNever);
}

TEST_CASE("a file's bytes that go as soon as all is copied were seen to hold the array",
          "[join_book]") {
  OfFile host;
  host.unpack();
  host.copy(OfFile::kPartBytes / 2);
  host.look();
  SECTION("that was copied out of them") {
    host.copy(OfFile::kPartBytes);
    host.main.free(host.address + OfFile::kWholeAt);
    host.look();
    CHECK(host.joined().size() == 1);
  }
  SECTION("of which only a half was") {
    host.main.free(host.address + OfFile::kWholeAt);
    host.look();
    CHECK(host.joined().empty());
  }
}

TEST_CASE("whoever counts the users of a file's bytes does not change them", "[join_book]") {
  OfFile host;
  host.unpack();
  ++host.memory[OfFile::kWholeAt];
  host.copy(OfFile::kPartBytes);
  host.look();
  ++host.memory[OfFile::kWholeAt];
  host.look();
  REQUIRE(host.joined().size() == 1);
  CHECK(host.log().joined()[0].from_ns == 0);
  CHECK(host.log().joined()[0].until_ns == trace::ValueMatch::kNever);
}

TEST_CASE("an array that was overwritten stands in the file's bytes no more", "[join_book]") {
  OfFile host;
  host.unpack();
  host.copy(OfFile::kPartBytes);
  SECTION("after it was seen there") {
    host.look();
    host.overwrite(0);
    host.look();
    REQUIRE(host.joined().size() == 1);
    CHECK(host.log().joined()[0].until_ns < host.now());
  }
  SECTION("before") {
    host.overwrite(0);
    host.look();
    CHECK(host.joined().empty());
  }
}
