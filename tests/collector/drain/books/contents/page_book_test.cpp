#include "tests/collector/drain/mapped_host.hpp"
#include "tests/collector/drain/own_memory.hpp"
#include "tests/support/catch.hpp"

#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

using namespace tidemark;
using tests::anonymous;
using tests::kHere;
using tests::kPage;
using tests::kThere;
using tests::MappedHost;
using tests::of_file;
using tests::OwnMemory;
using tests::RecordedThread;
using trace::EventKind;
using trace::Lane;

namespace {

constexpr std::uint32_t kDontNeed = 4;
constexpr std::uint32_t kFree = 8;
constexpr std::uint32_t kWillNeed = 3;

wire::MappingArguments unreserved(std::uint32_t protection = PROT_READ | PROT_WRITE) {
  return {-1, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, 0, 0};
}

constexpr std::uint64_t kLarge = OwnMemory::kBytes;

}  // namespace

TEST_CASE("a large mapping that is never touched does not count", "[assembler]") {
  OwnMemory host;
  host.main.map(host.address, kLarge, anonymous());
  host.look();
  CHECK(host.bytes(Lane::kAnon) < kLarge / 16);
  host.touch(kLarge / 4);
  host.look();
  CHECK(host.bytes(Lane::kAnon) >= kLarge / 4);
  CHECK(host.bytes(Lane::kAnon) < kLarge / 2);
  host.main.unmap(host.address, kLarge);
  CHECK(host.bytes(Lane::kAnon) < kLarge / 16);
}

TEST_CASE("what has little touched at its look begins empty, or readers would leave it out",
          "[assembler]") {
  OwnMemory host;
  host.main.map(host.address, kLarge, anonymous());
  host.touch(kPage);
  host.look();
  const std::uint64_t found = host.bytes(Lane::kAnon);
  REQUIRE(found < wire::kLargeTouch);
  CHECK(host.log().of_kind(EventKind::kAllocate).at(0).size == 0);
  host.main.copy(host.address, kThere, kLarge / 4);
  CHECK(host.bytes(Lane::kAnon) == kLarge / 4);
}

TEST_CASE("a new mapping is looked at before all else is", "[assembler]") {
  OwnMemory host;
  host.main.map(host.address, kLarge, anonymous());
  host.touch(kLarge / 4);
  host.look_at_new(1'000);
  CHECK(host.bytes(Lane::kAnon) == 0);  // it has just come
  host.look_at_new();
  CHECK(host.bytes(Lane::kAnon) == 0);  // it is being filled
  host.look(0);                         // as often as both looks are due at one time
  CHECK(host.bytes(Lane::kAnon) == 0);
  host.look_at_new();
  CHECK(host.bytes(Lane::kAnon) == kLarge / 4);
  // What comes to a mapping that has been looked at is no matter of this look.
  host.touch(kLarge / 2);
  host.look_at_new();
  CHECK(host.bytes(Lane::kAnon) == kLarge / 4);
}

TEST_CASE("a large mapping that comes and goes between two looks counts in full", "[assembler]") {
  const bool is_looked_at_young = GENERATE(false, true);
  OwnMemory host;
  host.main.map(host.address, kLarge, anonymous());
  if (is_looked_at_young)
    host.look(1'000);
  host.pass_time(8'000'000);
  CHECK(host.log().of_kind(EventKind::kAllocate).empty());
  host.main.unmap(host.address, kLarge);
  REQUIRE(host.log().of_kind(EventKind::kAllocate).size() == 1);
  CHECK(host.log().of_kind(EventKind::kAllocate)[0].size == kLarge);
  CHECK(host.bytes(Lane::kAnon) == 0);
}

TEST_CASE("no more of a mapping counts than can have been touched", "[assembler]") {
  OwnMemory host;
  host.main.map(host.address, kLarge, anonymous());
  host.main.unmap(host.address, kLarge);
  CHECK(host.log().of_kind(EventKind::kAllocate).at(0).size < kLarge / 16);
}

TEST_CASE("no peak passes while a mapping that is part of it is kept aside", "[assembler]") {
  enum class Goes : std::uint8_t { kBlock, kShrunkBlock, kSmallMapping, kGivenBack };
  const auto goes =
      GENERATE(Goes::kBlock, Goes::kShrunkBlock, Goes::kSmallMapping, Goes::kGivenBack);
  const bool comes_later = GENERATE(false, true);
  CAPTURE(static_cast<int>(goes), comes_later);
  constexpr std::uint64_t kOld = kLarge / 32;
  static_assert(kOld < EventSink::kWorthALook);
  OwnMemory host;
  const auto come = [&] {
    if (goes == Goes::kBlock || goes == Goes::kShrunkBlock) {
      host.main.allocate(kHere, 2 * kOld);
      return;
    }
    host.main.map(kHere, kOld, anonymous());
    host.main.map(kHere + kOld, kOld, anonymous());
  };
  if (!comes_later)
    come();
  host.main.map(host.address, kLarge, anonymous());
  if (comes_later)
    come();
  host.touch(kLarge);
  host.pass_time(8'000'000);
  REQUIRE(host.assembler().peak_footprint() == 2 * kOld);
  switch (goes) {
    case Goes::kBlock:
      host.main.free(kHere);
      break;
    case Goes::kShrunkBlock:
      host.main.realloc_begin(kHere, kPage);
      host.main.realloc_end(kHere, kPage);
      break;
    case Goes::kSmallMapping:
      host.main.unmap(kHere, 2 * kOld);
      break;
    case Goes::kGivenBack:
      host.main.advise(kHere, 2 * kOld, kDontNeed);
      break;
  }
  CHECK(host.assembler().peak_footprint() == kLarge + 2 * kOld);
  host.main.unmap(host.address, kLarge);
}

TEST_CASE("of a mapping that is kept aside a loss beside it counts what is touched",
          "[assembler]") {
  constexpr std::uint64_t kBlock = kLarge / 32;
  constexpr std::uint64_t kTouched = kLarge / 16;
  OwnMemory host;
  host.main.map(host.address, kLarge, anonymous());
  host.touch(kTouched);
  const auto lose_a_block = [&] {
    host.main.allocate(kHere, kBlock);
    host.pass_time(2'000'000);
    host.main.free(kHere);
  };
  lose_a_block();
  CHECK(host.assembler().peak_footprint() == kTouched + kBlock);
  SECTION("and what came to it since at the next one") {
    host.touch(2 * kTouched);
    lose_a_block();
    CHECK(host.assembler().peak_footprint() == 2 * kTouched + kBlock);
    CHECK(host.log().of_kind(EventKind::kGrow).size() == 1);
    host.look_at_new();
    CHECK(host.bytes(Lane::kAnon) == 2 * kTouched);
  }
  SECTION("it still is in full what it can have become by its end") {
    host.pass_time(4'000'000);
    host.main.unmap(host.address, kLarge);
    CHECK(host.assembler().peak_footprint() == kLarge);
    CHECK(host.bytes(Lane::kAnon) == 0);
  }
  SECTION("also where that is most of it") {
    host.touch(kLarge / 4 * 3);
    lose_a_block();
    CHECK(host.assembler().peak_footprint() == kLarge / 4 * 3 + kBlock);
  }
  SECTION("at its end it is no more than it can have become since two looks found no more") {
    host.look_at_new();
    host.look_at_new();
    host.main.unmap(host.address, kLarge);
    CHECK(host.assembler().peak_footprint() < kLarge / 8);
    CHECK(host.bytes(Lane::kAnon) == 0);
  }
}

TEST_CASE(
    "of a mapping that is kept aside what is touched counts where other processes come and go",
    "[assembler]") {
  constexpr std::uint64_t kTouched = kLarge / 16;
  OwnMemory host;
  host.main.map(host.address, kLarge, anonymous());
  host.touch(kTouched);
  SECTION("one is forked, which has that as well") {
    host.claim_slot(1, OwnMemory::kFirstPid, static_cast<std::uint32_t>(getpid()),
                    wire::Origin::kForked);
    const RecordedThread child(host, 1, 1, OwnMemory::kFirstPid);
    CHECK(host.bytes(Lane::kAnon) == kTouched);
  }
  SECTION("one ends, and had memory beside it") {
    host.claim_slot(1, OwnMemory::kFirstPid);
    RecordedThread other(host, 1, 1, OwnMemory::kFirstPid);
    other.allocate(kHere, kLarge / 2);
    host.assembler().processes().end(*host.assembler().processes().hosts().back(), host.now());
    CHECK(host.assembler().peak_footprint() == kTouched + kLarge / 2);
  }
  host.main.unmap(host.address, kLarge);
}

TEST_CASE("what is ahead is read once, and what it takes pages of counts in full", "[assembler]") {
  struct Ahead : RingsAhead {
    [[nodiscard]] std::uint64_t now_ns() const override { return 0; }
    [[nodiscard]] bool has_dropped() const override { return false; }
    [[nodiscard]] PageRanges taken_pages(const Host&) const override {
      ++asked;
      return taken;
    }
    PageRanges taken;
    mutable int asked = 0;
  };
  constexpr std::uint64_t kHalf = kLarge / 2;
  OwnMemory host;
  Ahead ahead;
  ahead.taken.add({host.address + kPage, host.address + 2 * kPage});
  host.assembler().set_ahead(&ahead);
  host.main.map(host.address, kHalf, anonymous());
  host.main.map(host.address + kHalf, kHalf, anonymous());
  host.main.allocate(kHere, kLarge / 32);
  host.main.free(kHere);
  CHECK(host.assembler().peak_footprint() == kHalf + kLarge / 32);
  CHECK(ahead.asked == 1);
  host.main.unmap(host.address, kLarge);
}

TEST_CASE("what goes bit by bit is a loss too", "[assembler]") {
  OwnMemory host;
  constexpr std::uint64_t kPart = kLarge / 128;
  for (std::uint64_t k = 0; k < 16; ++k)
    host.main.allocate(kHere + k * kPart, kPart);
  host.main.map(host.address, kLarge, anonymous());
  host.touch(kLarge);
  host.pass_time(8'000'000);
  for (std::uint64_t k = 0; k < 16; ++k)
    host.main.free(kHere + k * kPart);
  CHECK(host.assembler().peak_footprint() > kLarge);
  host.main.unmap(host.address, kLarge);
}

TEST_CASE("small blocks that come and go settle nothing", "[assembler]") {
  OwnMemory host;
  host.main.map(host.address, kLarge, anonymous());
  for (int k = 0; k < 1'000; ++k) {
    host.main.allocate(kHere, kLarge / 128);
    host.main.free(kHere);
  }
  CHECK(host.bytes(Lane::kAnon) == 0);
  host.look();
  CHECK(host.bytes(Lane::kAnon) < kLarge / 16);
}

TEST_CASE(
    "a large mapping that is being filled waits on, and counts what it has from half of it on",
    "[assembler]") {
  OwnMemory host;
  host.main.map(host.address, kLarge, anonymous());
  for (const std::uint64_t parts : {3U, 6U}) {
    host.touch(kLarge / 16 * parts);
    host.look();
    CHECK(host.log().of_kind(EventKind::kAllocate).empty());
  }
  SECTION("it stops below") {
    host.look();
    CHECK(host.bytes(Lane::kAnon) == kLarge / 16 * 6);
    CHECK(host.process().tables.unseen.empty());
    host.main.unmap(host.address, kLarge);
  }
  SECTION("it stops later") {
    host.touch(kLarge / 16 * 9);
    host.look();
    CHECK(host.bytes(Lane::kAnon) == kLarge / 16 * 9);
    CHECK(host.process().tables.unseen.size() == 1);
    host.look();
    CHECK(host.bytes(Lane::kAnon) == kLarge / 16 * 9);
    CHECK(host.process().tables.unseen.empty());
    host.main.unmap(host.address, kLarge);
  }
  SECTION("it is slow, but goes on: at its end it may be full") {
    host.touch(kLarge / 16 * 9);
    host.look();
    host.touch(kLarge / 16 * 9 + kLarge / 32);
    host.look();
    CHECK(host.bytes(Lane::kAnon) == kLarge / 16 * 9 + kLarge / 32);
    // Bytes times these nanoseconds are a little more than 2^64.
    host.pass_time(GENERATE(std::uint64_t{100'000'000}, std::uint64_t{1} << 41U));
    host.main.unmap(host.address, kLarge);
    CHECK(host.assembler().peak_footprint() == kLarge);
  }
  CHECK(host.bytes(Lane::kAnon) == 0);
}

TEST_CASE("of a large mapping counts what a record names, and the rest waits for a look",
          "[assembler]") {
  constexpr std::uint64_t kNamed = kLarge / 8;
  const bool is_read_into = GENERATE(false, true);
  OwnMemory host;
  host.main.map(host.address, kLarge, anonymous());
  host.main.open(3, "/models/weights", 4'000);
  const auto fill = [&](std::uint64_t offset, std::uint64_t bytes) {
    if (is_read_into)
      host.main.read_into(3, host.address + offset, bytes);
    else
      host.main.copy(host.address + offset, kThere, bytes);
  };
  fill(0, kNamed);
  CHECK(host.bytes(Lane::kAnon) == kNamed);
  fill(kNamed / 2, kNamed);  // half of it over the one before
  CHECK(host.bytes(Lane::kAnon) == kNamed / 2 * 3);
  CHECK(host.log().of_kind(EventKind::kAllocate).size() == 1);
  const std::uint64_t block =
      host.log().of_kind(is_read_into ? EventKind::kRead : EventKind::kCopy).at(1).allocation;
  CHECK(block != Mapping::kNoAllocation);
  SECTION("the look finds no more") {
    host.touch(kNamed / 2 * 3);
    host.look();
    CHECK(host.bytes(Lane::kAnon) == kNamed / 2 * 3);
  }
  SECTION("the look finds what a loop has touched") {
    host.touch(kLarge / 3);
    host.look();
    host.look();
    CHECK(host.bytes(Lane::kAnon) > kLarge / 4);
    CHECK(host.bytes(Lane::kAnon) < kLarge / 2);
  }
  SECTION("no more than that, also where it is most of it") {
    fill(kLarge / 4, kLarge / 2);
    CHECK(host.bytes(Lane::kAnon) == kNamed / 2 * 3 + kLarge / 2);
  }
  host.main.unmap(host.address, kLarge);
  CHECK(host.bytes(Lane::kAnon) < kLarge / 16);
}

TEST_CASE("pages that madvise gives back leave the lane, once", "[assembler]") {
  const std::uint32_t advice = GENERATE(kDontNeed, kFree);
  MappedHost host;
  host.main.map(kHere, 10 * kPage, anonymous());
  host.main.advise(kHere + 2 * kPage, 3 * kPage, advice);
  CHECK(host.anon() == 7);
  host.main.advise(kHere, 4 * kPage, advice);
  CHECK(host.anon() == 5);
  host.main.unmap(kHere, 10 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("other advice gives nothing back", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 10 * kPage, anonymous());
  host.main.advise(kHere, 10 * kPage, kWillNeed);
  CHECK(host.anon() == 10);
}

TEST_CASE("advice over several mappings and gaps gives back what is mapped there", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 2 * kPage, anonymous());
  host.main.map(kHere + 4 * kPage, 2 * kPage, anonymous());
  host.main.map(kHere + 6 * kPage, 2 * kPage, anonymous(PROT_NONE));
  host.main.advise(kHere + kPage, 8 * kPage, kDontNeed);
  CHECK(host.anon() == 1);
}

TEST_CASE("what a read, a copy or a fill goes into is there again", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 100 * kPage, anonymous());
  host.main.advise(kHere, 100 * kPage, kDontNeed);
  CHECK(host.anon() == 0);
  host.main.open(3, "/models/weights", 4'000);
  host.main.read_into(3, kHere + 100, 2 * kPage);
  CHECK(host.anon() == 3);
  host.main.fill(kHere + 10 * kPage, 20 * kPage);
  CHECK(host.anon() == 23);
  host.main.copy(kHere + 29 * kPage, kHere, 2 * kPage);
  CHECK(host.anon() == 24);
  host.main.unmap(kHere, 100 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("a part that was given back can be unmapped, and the rest too", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 10 * kPage, anonymous());
  host.main.advise(kHere, 4 * kPage, kDontNeed);
  host.main.unmap(kHere, 2 * kPage);
  CHECK(host.anon() == 6);
  host.main.unmap(kHere + 2 * kPage, 4 * kPage);
  CHECK(host.anon() == 4);
  host.main.map(kHere, 10 * kPage, anonymous());
  CHECK(host.anon() == 10);
}

TEST_CASE("memory given back moves with its mapping", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 10 * kPage, anonymous());
  host.main.advise(kHere, 4 * kPage, kDontNeed);
  host.main.remap_begin(kHere, 10 * kPage);
  host.main.remap_end(kThere, 12 * kPage);
  CHECK(host.anon() == 8);
  host.main.fill(kThere, 4 * kPage);
  CHECK(host.anon() == 12);
  host.main.remap_begin(kThere, 12 * kPage);
  host.main.remap_end(kThere, 5 * kPage);
  CHECK(host.anon() == 5);
  host.main.unmap(kThere, 5 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("address space that was asked for without memory counts what is touched", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 1'000 * kPage, unreserved());
  CHECK(host.anon() == 0);
  host.main.fill(kHere + 50 * kPage, 16 * kPage);
  CHECK(host.anon() == 16);
  host.main.unmap(kHere, 60 * kPage);
  CHECK(host.anon() == 6);
  host.main.unmap(kHere, 1'000 * kPage);
  CHECK(host.anon() == 0);
}

TEST_CASE("what is opened inside such address space counts as it does", "[assembler]") {
  MappedHost host;
  host.main.map(kHere, 1'000 * kPage, unreserved(PROT_NONE));
  host.main.protect(kHere, 10 * kPage, PROT_READ | PROT_WRITE);
  host.main.map(kHere + 20 * kPage, 10 * kPage, anonymous());
  CHECK(host.anon() == 0);
  host.main.fill(kHere, 30 * kPage);
  CHECK(host.anon() == 20);
}

TEST_CASE("the mapping of a file that may be written to has memory of its own", "[assembler]") {
  MappedHost host;
  host.main.open(3, "/models/weights", 100 * kPage);
  host.main.map(kHere, 100 * kPage, of_file(3, PROT_READ | PROT_WRITE));
  host.main.map(kThere, 100 * kPage, of_file(3, PROT_READ));
  CHECK(host.bytes(Lane::kFile) == 200 * kPage);
  REQUIRE(host.log().of_kind(EventKind::kAllocate).size() == 3);
  host.main.protect(kThere, 50 * kPage, PROT_READ | PROT_WRITE);
  CHECK(host.log().of_kind(EventKind::kAllocate).size() == 4);
  CHECK(host.anon() == 0);  // nothing is known to be written
  host.main.unmap(kHere, 100 * kPage);
  host.main.unmap(kThere, 100 * kPage);
  CHECK(host.bytes(Lane::kFile) == 0);
}

TEST_CASE("what may be written has an allocation of its own after a mremap and a failed munmap",
          "[assembler]") {
  MappedHost host;
  host.main.open(3, "/models/weights", 100 * kPage);
  host.main.map(kHere, 4 * kPage, of_file(3, PROT_READ | PROT_WRITE));
  host.main.remap_begin(kHere, 4 * kPage);
  host.main.remap_end(kThere, 8 * kPage);
  host.main.unmap(kThere, 8 * kPage);
  host.main.unmap_failed(kThere, 8 * kPage);
  host.main.unmap(kThere, 4 * kPage);
  host.main.unmap(kThere + 4 * kPage, 4 * kPage);
  CHECK(host.bytes(Lane::kFile) == 0);
  CHECK(host.anon() == 0);
}

TEST_CASE("what counts in full and stands still counts what was touched", "[assembler]") {
  OwnMemory host;
  host.main.move_break(host.address, host.address + kLarge);
  host.main.allocate(kHere, kLarge);
  host.main.free(kHere);  // Beside what the break has grown by, which may have shrunk unseen.
  CHECK(host.bytes(Lane::kAnon) == kLarge);
  host.touch(kLarge / 8);
  host.look();
  host.touch(kLarge / 4);
  host.look(60'000'000);
  CHECK(host.bytes(Lane::kAnon) == kLarge);  // it is being filled
  host.look(60'000'000);
  CHECK(host.bytes(Lane::kAnon) == kLarge / 4);
  host.touch(kLarge / 2);
  host.look();
  CHECK(host.bytes(Lane::kAnon) == kLarge / 2);
  host.main.unmap(host.address, kLarge);
  CHECK(host.bytes(Lane::kAnon) == 0);
}
