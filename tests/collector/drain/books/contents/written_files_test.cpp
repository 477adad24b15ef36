// What may have been written to private mappings of files behind the last look at them.
#include "collector/os/clocks.hpp"
#include "tests/collector/drain/mapped_host.hpp"
#include "tests/collector/drain/own_memory.hpp"
#include "tests/support/catch.hpp"

#include <sys/mman.h>
#include <unistd.h>

using namespace tidemark;
using tests::kHere;
using tests::of_file;
using tests::OwnMemory;
using trace::Lane;

namespace {

/// A private mapping of a file that may be written to; to the looks it is as this process's memory.
struct WrittenFile : OwnMemory {
  static constexpr std::uint64_t kLarge = OwnMemory::kBytes;

  WrittenFile() {
    main.open(3, "/models/weights", kLarge);
    main.map(address, kLarge, of_file(3, PROT_READ | PROT_WRITE));
  }
  /// On a processor, for as long as a look needs to tell that nothing is written any more.
  static void run() {
    const std::uint64_t until_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + 2'000'000;
    while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < until_ns) {
    }
  }
  std::uint64_t unseen() {
    assembler().tell_rest();
    return assembler().pages().written_unseen_bytes();
  }
};

}  // namespace

TEST_CASE("what may have been written to a mapping before any look is a loss", "[assembler]") {
  WrittenFile host;
  host.touch(WrittenFile::kLarge);
  host.main.unmap(host.address, WrittenFile::kLarge);
  CHECK(host.unseen() == WrittenFile::kLarge);
}

TEST_CASE("no more can have been written to a mapping than pages were touched", "[assembler]") {
  // Of one that was there at the last look, of one that has come since, and of two: together.
  const std::uint64_t looked_at = GENERATE(0U, 1U, 2U);
  CAPTURE(looked_at);
  constexpr std::uint64_t kHalf = WrittenFile::kLarge / 2;
  constexpr std::uint64_t kWritten = WrittenFile::kLarge / 8;
  constexpr std::uint64_t kBeside = std::uint64_t{2} << 20U;  // this program's own pages
  OwnMemory host;
  host.main.open(3, "/models/weights", WrittenFile::kLarge);
  for (std::uint64_t i = 0; i < 3; ++i) {
    if (looked_at == i)
      host.look();
    if (i < 2)
      host.main.map(host.address + i * kHalf, kHalf, of_file(3, PROT_READ | PROT_WRITE));
  }
  host.look_at_new();
  host.touch(kWritten);
  host.main.unmap(host.address, WrittenFile::kLarge);
  host.assembler().tell_rest();
  CHECK(host.assembler().pages().written_unseen_bytes() >= kWritten);
  CHECK(host.assembler().pages().written_unseen_bytes() < kWritten + kBeside);
}

TEST_CASE("what may have been written to a mapping behind the last look is a loss", "[assembler]") {
  enum class Goes : std::uint8_t { kWhole, kInTwoParts, kWithItsProcess, kNever };
  const auto goes = GENERATE(Goes::kWhole, Goes::kInTwoParts, Goes::kWithItsProcess, Goes::kNever);
  CAPTURE(static_cast<int>(goes));
  WrittenFile host;
  host.touch(WrittenFile::kLarge / 4);
  host.look_at_new();
  host.touch(WrittenFile::kLarge / 2);
  host.look_at_new();
  REQUIRE(host.bytes(Lane::kAnon) == WrittenFile::kLarge / 2);
  host.touch(WrittenFile::kLarge);
  if (goes == Goes::kWhole) {
    host.main.unmap(host.address, WrittenFile::kLarge);
  } else if (goes == Goes::kInTwoParts) {
    host.main.unmap(host.address + WrittenFile::kLarge / 2, WrittenFile::kLarge / 2);
    host.main.unmap(host.address, WrittenFile::kLarge / 2);
  } else if (goes == Goes::kWithItsProcess) {
    host.assembler().processes().end(*host.assembler().processes().hosts().at(0), host.now());
  }
  CHECK(host.unseen() == WrittenFile::kLarge / 2);
}

TEST_CASE("what mremap moves is written unseen only where it is cut", "[assembler]") {
  const bool is_cut = GENERATE(false, true);
  CAPTURE(is_cut);
  WrittenFile host;
  host.touch(WrittenFile::kLarge / 4);
  host.look_at_new();
  host.touch(WrittenFile::kLarge);
  host.main.remap_begin(host.address, WrittenFile::kLarge);
  host.main.remap_end(host.address, is_cut ? WrittenFile::kLarge / 2 : WrittenFile::kLarge);
  host.look_at_new();
  WrittenFile::run();
  host.look_at_new();
  // What stays was not seen at that moment either.
  CHECK(host.unseen() == (is_cut ? WrittenFile::kLarge / 4 * 3 : 0));
}

TEST_CASE("parts of a mapping that go at once are one loss", "[assembler]") {
  WrittenFile host;
  host.touch(WrittenFile::kLarge / 4);
  host.look_at_new();
  // Its second half has nothing new at any look.
  host.main.protect(host.address + WrittenFile::kLarge / 2, WrittenFile::kLarge / 2, PROT_READ);
  host.touch(WrittenFile::kLarge / 2);
  host.look_at_new();
  host.touch(WrittenFile::kLarge);
  host.main.unmap(host.address, WrittenFile::kLarge);
  CHECK(host.unseen() == WrittenFile::kLarge / 2);
}

TEST_CASE("what may have been written before it was given back is a loss", "[assembler]") {
  WrittenFile host;
  host.touch(WrittenFile::kLarge / 2);
  host.look_at_new();
  host.touch(WrittenFile::kLarge);
  host.main.advise(host.address, WrittenFile::kLarge, MADV_DONTNEED);
  madvise(host.memory, WrittenFile::kLarge, MADV_DONTNEED);
  host.look();
  host.look_at_new();
  CHECK(host.unseen() == WrittenFile::kLarge / 2);
}

TEST_CASE("what processes may have written in turn is not added up", "[assembler]") {
  const bool are_in_turn = GENERATE(false, true);
  CAPTURE(are_in_turn);
  WrittenFile host;
  host.touch(WrittenFile::kLarge);
  host.claim_slot(1, OwnMemory::kFirstPid, static_cast<std::uint32_t>(getpid()));
  tests::RecordedThread other(host, 1, 1, OwnMemory::kFirstPid);
  auto& processes = host.assembler().processes();
  if (are_in_turn)
    processes.end(*processes.hosts().at(0), host.now());
  other.open(3, "/models/weights", WrittenFile::kLarge);
  other.map(kHere, WrittenFile::kLarge, of_file(3, PROT_READ | PROT_WRITE));
  processes.end(*processes.hosts().at(1), host.now());
  CHECK(host.unseen() == (are_in_turn ? WrittenFile::kLarge : 2 * WrittenFile::kLarge));
}

TEST_CASE("a mapping in which the last look has found nothing new is no loss", "[assembler]") {
  WrittenFile host;
  host.touch(GENERATE(std::uint64_t{0}, WrittenFile::kLarge / 2));
  host.look();
  WrittenFile::run();
  host.look_at_new();
  host.main.unmap(host.address, WrittenFile::kLarge);
  CHECK(host.unseen() == 0);
}

TEST_CASE("where the process has not run since, it may have stood still in the middle of writing",
          "[assembler]") {
  constexpr std::uint64_t kFewNs = 900'000;
  constexpr int kAttempts = 200;  // This process is the host: its looks take time on a processor.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    WrittenFile host;
    host.touch(16 * tests::kPage);
    const std::uint64_t began_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    host.look_at_new();
    host.look_at_new();
    if (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - began_ns > kFewNs)
      continue;
    host.touch(WrittenFile::kLarge);
    host.main.unmap(host.address, WrittenFile::kLarge);
    CHECK(host.unseen() == WrittenFile::kLarge - 16 * tests::kPage);
    return;
  }
  FAIL("two looks never took less than a millisecond");
}

TEST_CASE("what may have been written at different times is not added up", "[assembler]") {
  WrittenFile host;
  host.touch(WrittenFile::kLarge);
  host.main.unmap(host.address, WrittenFile::kLarge);
  host.main.map(host.address, WrittenFile::kLarge, of_file(3, PROT_READ | PROT_WRITE));
  host.main.unmap(host.address, WrittenFile::kLarge);
  CHECK(host.unseen() == WrittenFile::kLarge);
}

TEST_CASE("what may have been written to two mappings at one time is added up", "[assembler]") {
  WrittenFile host;
  // As many pages as both have.
  host.touch(WrittenFile::kLarge);
  madvise(host.memory, WrittenFile::kLarge, MADV_DONTNEED);
  host.touch(WrittenFile::kLarge);
  host.main.map(kHere, WrittenFile::kLarge, of_file(3, PROT_READ | PROT_WRITE));
  host.main.unmap(host.address, WrittenFile::kLarge);
  host.main.unmap(kHere, WrittenFile::kLarge);
  CHECK(host.unseen() == 2 * WrittenFile::kLarge);
}
