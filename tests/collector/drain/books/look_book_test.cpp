#include "collector/drain/books/look_book.hpp"

#include "tests/collector/drain/own_memory.hpp"
#include "tests/support/catch.hpp"

#include <vector>

#include <sys/mman.h>

using namespace tidemark;

namespace {

constexpr std::uint64_t kBlock = tests::OwnMemory::kBytes;
constexpr std::uint64_t kAfterAnyPause = 30'000'000'000;  // Whatever the look before has cost.

/// The memory is a heap block.
struct OwnBlock : tests::OwnMemory {
  /// Twice: what one look has found the next one tells.
  void look(std::uint64_t later_ns = kAfterAnyPause) {
    OwnMemory::look(later_ns);
    OwnMemory::look(later_ns);
  }
  [[nodiscard]] const std::vector<trace::Look>& looks() { return log().looks(); }
};

}  // namespace

TEST_CASE("what of a large block was touched is told as it grows", "[look_book]") {
  OwnBlock host;
  host.main.allocate(host.address, kBlock);
  host.look();
  REQUIRE(host.looks().size() == 1);
  CHECK(host.looks()[0].bytes == 0);
  host.touch(kBlock / 4);
  host.look();
  CHECK(host.looks().back().bytes == kBlock / 4);
  CHECK(host.looks().back().allocation == host.looks()[0].allocation);
  CHECK(host.looks().back().at_ns == host.now() - kAfterAnyPause);
  host.touch(kBlock);
  host.look();
  CHECK(host.looks().back().bytes == kBlock);
  const std::size_t count = host.looks().size();
  host.look();
  CHECK(host.looks().size() == count);  // there is nothing more to learn
}

TEST_CASE("until when a block stood unused is told when it is used", "[look_book]") {
  OwnBlock host;
  host.main.allocate(host.address, kBlock);
  host.look();
  for (int i = 0; i < 9; ++i)
    host.look();
  const std::uint64_t unused_ns = host.now();
  host.touch(kBlock);
  host.look();
  REQUIRE(host.looks().size() >= 2);
  const trace::Look& before = host.looks()[host.looks().size() - 2];
  CHECK(before.bytes == 0);
  CHECK(before.at_ns == unused_ns);
}

TEST_CASE("a block that does not change is told again when it is twice as old", "[look_book]") {
  OwnBlock host;
  host.main.allocate(host.address, kBlock);
  host.look();
  const std::uint64_t first_ns = host.looks().at(0).at_ns;
  for (int i = 0; i < 16; ++i)
    host.look();
  REQUIRE(host.looks().size() > 2);
  CHECK(host.looks().size() < 8);
  const std::uint64_t last_ns = host.looks().back().at_ns;
  CHECK(last_ns - first_ns >= (host.now() - first_ns) / 3);
}

TEST_CASE("a block at an address that another one had is looked at anew", "[look_book]") {
  OwnBlock host;
  host.main.allocate(host.address, kBlock);
  host.touch(kBlock);
  host.look();
  host.main.free(host.address);
  madvise(host.memory, kBlock, MADV_DONTNEED);
  host.main.allocate(host.address, kBlock);
  host.look();
  REQUIRE(host.looks().size() == 2);
  CHECK(host.looks()[1].allocation != host.looks()[0].allocation);
  CHECK(host.looks()[1].bytes == 0);
}

TEST_CASE("small blocks are not looked at, and parts of pages count as touched", "[look_book]") {
  OwnBlock host;
  host.main.allocate(host.address, LookBook::kMinBytes - 1);
  host.look();
  CHECK(host.looks().empty());
  host.main.allocate(host.address + 2 * LookBook::kMinBytes + 100, LookBook::kMinBytes);
  host.look();
  REQUIRE(host.looks().size() == 1);
  CHECK(host.looks()[0].bytes == 4096);
}

TEST_CASE("looks do not come one upon the other", "[look_book]") {
  OwnBlock host;
  host.main.allocate(host.address, kBlock);
  host.look();
  host.touch(kBlock);
  host.look(1'000'000);
  CHECK(host.looks().size() == 1);
}

TEST_CASE("what was seen of a block that has gone is not told", "[look_book]") {
  OwnBlock host;
  host.main.allocate(host.address, kBlock);
  host.OwnMemory::look(kAfterAnyPause);
  host.main.free(host.address);
  host.look();
  CHECK(host.looks().empty());
}

TEST_CASE("what a host saw of a block that it frees is the last look at it", "[look_book]") {
  OwnBlock host;
  host.main.allocate(host.address, kBlock);
  host.main.look_last(host.address, kBlock / 4);
  const std::uint64_t at_ns = host.now();
  host.main.free(host.address);
  REQUIRE(host.looks().size() == 1);
  CHECK(host.looks()[0].bytes == kBlock / 4);
  CHECK(host.looks()[0].at_ns == at_ns);
  host.look();
  CHECK(host.looks().size() == 1);
}

TEST_CASE("a last look is told where it is news", "[look_book]") {
  OwnBlock host;
  host.main.allocate(host.address, kBlock);
  host.main.look_last(host.address, kBlock);  // full, and never seen otherwise
  host.main.free(host.address);
  CHECK(host.looks().empty());

  host.main.allocate(host.address, kBlock);
  host.touch(kBlock / 4);
  host.look();
  for (int i = 0; i < 9; ++i)
    host.look();
  const std::uint64_t quiet_ns = host.now() - kAfterAnyPause;
  const std::size_t count = host.looks().size();
  host.main.look_last(host.address, kBlock / 4);  // the same: nothing came after the look before
  host.main.free(host.address);
  REQUIRE(host.looks().size() >= count + 1);
  CHECK(host.looks().back().bytes == kBlock / 4);
  CHECK(host.looks().back().at_ns > quiet_ns);

  host.main.allocate(host.address, kBlock);
  host.touch(kBlock);
  host.look();
  host.main.look_last(host.address, kBlock);  // full now as before: that nothing changed is news
  CHECK(host.looks().back().at_ns == host.now());
}

TEST_CASE("what is in swap at the end was seen before, and was touched", "[look_book]") {
  OwnBlock host;
  host.main.allocate(host.address, kBlock);
  host.touch(kBlock / 2);
  host.look();
  host.main.look_last(host.address, kBlock / 4);
  CHECK(host.looks().back().at_ns == host.now());
  CHECK(host.looks().back().bytes == kBlock / 2);
}

TEST_CASE("a last look at no block is none, and one beyond a block is all of it", "[look_book]") {
  OwnBlock host;
  host.main.look_last(host.address, kBlock / 4);
  host.main.allocate(host.address, kBlock);
  host.main.look_last(host.address + 4096, kBlock / 4);
  CHECK(host.looks().empty());
  host.look();
  REQUIRE(host.looks().size() == 1);
  host.main.look_last(host.address, 9 * kBlock);
  CHECK(host.looks().back().bytes == kBlock);
}

TEST_CASE("of last looks there are no more than have room", "[look_book]") {
  OwnBlock host;
  for (std::size_t i = 0; i <= LookBook::kMaxLastLooks; ++i) {
    host.main.allocate(host.address, kBlock);
    host.main.look_last(host.address, 0);
    host.main.free(host.address);
  }
  CHECK(host.looks().size() == LookBook::kMaxLastLooks);
}
