// Memory that no record tells of. This very process is the host: its memory is real, what its
// records say of it is the test's.
#include "collector/drain/books/bare_memory.hpp"

#include "collector/process/process_facts.hpp"
#include "tests/collector/drain/own_memory.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"

#include <chrono>
#include <cstdint>
#include <future>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// 64 MiB that this process has, and no record tells of, away from all else that it has.
class BareMemory : public OwnMemory {
 public:
  static constexpr std::uint64_t kLater = 1'000'000'000;
  static constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

  BareMemory() {
    // Neighbours of the same kind would be one area with it.
    const std::uint64_t room = kBytes + 4 * kMiB;
    void* const reserved =
        mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    REQUIRE(reserved != MAP_FAILED);
    reserved_ = static_cast<char*>(reserved);
    void* const placed =
        mremap(memory, kBytes, kBytes, MREMAP_MAYMOVE | MREMAP_FIXED, reserved_ + 2 * kMiB);
    REQUIRE(placed != MAP_FAILED);
    memory = static_cast<char*>(placed);
    address = reinterpret_cast<std::uint64_t>(memory);
    resident(kBytes);
  }
  BareMemory(const BareMemory&) = delete;
  BareMemory& operator=(const BareMemory&) = delete;
  BareMemory(BareMemory&&) = delete;
  BareMemory& operator=(BareMemory&&) = delete;
  ~BareMemory() {
    munmap(reserved_, 2 * kMiB);
    munmap(reserved_ + 2 * kMiB + kBytes, 2 * kMiB);
  }
  /// What the sampler has seen last.
  void resident(std::uint64_t anon_bytes) { process().sampling.last.rss_anon_bytes = anon_bytes; }
  [[nodiscard]] std::uint64_t counted() const { return bytes(trace::Lane::kAnon); }
  /// Enough looks for all that they can find.
  void look_often() {
    for (int i = 0; i < 4; ++i)
      look(kLater);
  }
  trace::Loss loss() {
    assembler().tell_rest();
    trace::Loss lost;
    assembler().areas().put_into(lost);
    return lost;
  }

 private:
  char* reserved_ = nullptr;
};

/// One that waits for nothing but its end.
class WaitingThread {
 public:
  WaitingThread() {
    std::promise<pid_t> number;
    thread_ = std::thread([&number, end = end_.get_future()] {
      number.set_value(gettid());
      end.wait();
    });
    tid_ = number.get_future().get();
    REQUIRE(comes_true([this] { return read_process_stat(tid_)->state == 'S'; },
                       std::chrono::seconds(20)));
  }
  ~WaitingThread() {
    end_.set_value();
    thread_.join();
  }
  WaitingThread(const WaitingThread&) = delete;
  WaitingThread& operator=(const WaitingThread&) = delete;
  WaitingThread(WaitingThread&&) = delete;
  WaitingThread& operator=(WaitingThread&&) = delete;

  [[nodiscard]] std::uint32_t tid() const { return static_cast<std::uint32_t>(tid_); }

 private:
  std::promise<void> end_;
  std::thread thread_;
  pid_t tid_ = 0;
};

}  // namespace

TEST_CASE("memory that no record tells of counts by its pages, after two looks", "[assembler]") {
  BareMemory host;
  host.touch(8 * BareMemory::kMiB);
  host.look(BareMemory::kLater);
  CHECK(host.process().tables.bare.is_empty());
  host.look(BareMemory::kLater);
  CHECK(host.process().tables.bare.bytes_in({host.address, host.address + BareMemory::kBytes}) ==
        BareMemory::kBytes);
  host.look(BareMemory::kLater);
  CHECK(host.counted() == 8 * BareMemory::kMiB);
  const auto allocations = host.log().of_kind(trace::EventKind::kAllocate);
  REQUIRE(allocations.size() == 1);
  CHECK(host.log().stack_text(allocations[0].stack) != "");
  SECTION("more, as it is touched") {
    host.touch(16 * BareMemory::kMiB);
    host.look(BareMemory::kLater);
    CHECK(host.counted() == 16 * BareMemory::kMiB);
  }
  SECTION("less, as pages are given back without a record") {
    madvise(host.memory, 2 * BareMemory::kMiB, MADV_DONTNEED);
    host.look(BareMemory::kLater);
    CHECK(host.counted() == 6 * BareMemory::kMiB);
  }
  SECTION("less, as pages are given back so where mremap has moved it") {
    void* const room =
        mmap(nullptr, BareMemory::kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(room != MAP_FAILED);
    REQUIRE(mremap(host.memory, BareMemory::kBytes, BareMemory::kBytes,
                   MREMAP_MAYMOVE | MREMAP_FIXED, room) == room);
    host.memory = static_cast<char*>(room);
    const std::uint64_t moved_to = reinterpret_cast<std::uint64_t>(room);
    const bool grows = GENERATE(false, true);
    host.main.remap_begin(host.address, BareMemory::kBytes - (grows ? BareMemory::kMiB : 0));
    host.main.remap_end(moved_to, BareMemory::kBytes);
    CHECK(host.counted() == 8 * BareMemory::kMiB);
    host.touch(BareMemory::kBytes);
    host.look(BareMemory::kLater);
    CHECK(host.counted() == BareMemory::kBytes);
    madvise(host.memory + BareMemory::kMiB, BareMemory::kBytes - BareMemory::kMiB, MADV_DONTNEED);
    host.look(BareMemory::kLater);
    CHECK(host.counted() == BareMemory::kMiB);
  }
  SECTION("less, by a record") {
    host.main.advise(host.address, BareMemory::kMiB, MADV_DONTNEED);
    CHECK(host.counted() == 7 * BareMemory::kMiB);
  }
  SECTION("nothing once it is gone, which is no loss: no record had told of it") {
    munmap(host.memory, BareMemory::kBytes);
    host.look(BareMemory::kLater);
    CHECK(host.counted() == 0);
    CHECK(host.loss().unmapped_unseen_bytes == 0);
  }
  SECTION("not where a heap block comes: it has gone without a record, and no peak has both") {
    host.main.allocate(host.address + 16, 2 * BareMemory::kMiB - 16);
    CHECK(host.counted() == 6 * BareMemory::kMiB);
    CHECK(host.assembler().peak_footprint() == 8 * BareMemory::kMiB);
    host.main.realloc_begin(host.address + 16, 4 * BareMemory::kMiB - 16);
    host.main.realloc_end(host.address + 16, 4 * BareMemory::kMiB - 16);
    CHECK(host.counted() == 4 * BareMemory::kMiB);
    CHECK(host.assembler().peak_footprint() == 8 * BareMemory::kMiB);
  }
  SECTION("once, where the record of its mapping comes after all") {
    host.main.map(host.address, BareMemory::kBytes, anonymous());
    host.look_often();
    CHECK(host.counted() == 8 * BareMemory::kMiB);
    CHECK(host.process().tables.bare.is_empty());
  }
}

TEST_CASE("a run of heap records ends where a block may lie in bare memory", "[assembler]") {
  BareMemory host;
  TickClock clock(wire::Clock::kMonotonic);
  const std::uint64_t now = clock.look();
  std::vector<RawRecord> records(2);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].kind = wire::RecordKind::kAllocate;
    records[i].address = host.address + (std::uint64_t{1} << 40U) + i * BareMemory::kMiB;
    records[i].size = i == 0 ? 100 : BareMemory::kMiB;
    records[i].time = (now + i) & wire::kTimeMask;
  }
  const bool is_there = GENERATE(false, true);
  if (is_there)
    host.process().tables.bare.add({host.address, host.address + BareMemory::kBytes});
  const std::uint64_t until = clock.to_ticks(records[1].time);
  CHECK(host.assembler().add_heap_run(0, records, clock, until) == (is_there ? 1 : 2));
}

TEST_CASE("a record between two looks explains memory", "[assembler]") {
  BareMemory host;
  host.touch(BareMemory::kBytes);
  host.look(BareMemory::kLater);
  host.main.map(host.address, BareMemory::kBytes, anonymous());
  host.look_often();
  CHECK(host.counted() == BareMemory::kBytes);
  CHECK(host.process().tables.bare.is_empty());
}

TEST_CASE("address space that is opened without a record is such memory", "[assembler]") {
  BareMemory host;
  host.main.map(host.address, BareMemory::kBytes, anonymous(PROT_NONE));
  host.touch(8 * BareMemory::kMiB);
  host.look_often();
  CHECK(host.counted() == 8 * BareMemory::kMiB);
}

TEST_CASE("what is not mapped by the program is no memory without a record", "[assembler]") {
  BareMemory host;
  host.touch(BareMemory::kBytes);
  const auto check_none = [&] {
    host.look_often();
    CHECK(host.process().tables.bare.is_empty());
  };
  SECTION("all is accounted for by the lanes") {
    host.resident(3 * BareMemory::kMiB);
    check_none();
  }
  SECTION("more than is not accounted for: something else is in it") {
    host.resident(32 * BareMemory::kMiB);
    check_none();
  }
  SECTION("an allocator's: small blocks are there") {
    host.main.allocate(host.address + 32 * BareMemory::kMiB, 100);
    check_none();
  }
  SECTION("an allocator's: blocks have been there") {
    const std::uint64_t block = host.address + 2 * wire::kPageBytes + 160;
    host.main.allocate(block, 20 * BareMemory::kMiB);
    host.main.free(block);
    check_none();
  }
  SECTION("an allocator's that has told of it") {
    host.process().tables.mappings.insert({.begin = host.address,
                                           .end = host.address + BareMemory::kBytes,
                                           .kind = Mapping::Kind::kInternal});
    check_none();
  }
  SECTION("the stack of a thread: there is a guard below it") {
    mprotect(host.memory, 16 * wire::kPageBytes, PROT_NONE);
    // And what is below that belongs to somebody else.
    REQUIRE(mmap(host.memory - wire::kPageBytes, wire::kPageBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
    check_none();
  }
}

TEST_CASE("a large block that has a mapping of its own hides nothing beside it", "[assembler]") {
  BareMemory host;
  host.touch(BareMemory::kBytes);
  host.resident(2 * BareMemory::kBytes);
  host.main.allocate(host.address + 16, 32 * BareMemory::kMiB - 16);
  host.look_often();
  CHECK(host.counted() == 32 * BareMemory::kMiB);
}

TEST_CASE("a block that libc had mapped alone is freed before it is unmapped", "[assembler]") {
  BareMemory host;
  host.touch(8 * BareMemory::kMiB);
  host.main.allocate(host.address + 16, BareMemory::kBytes - 16);
  host.look_often();
  SECTION("by a thread that waits then: it is something else by now") {
    const WaitingThread waiting;
    RecordedThread(host, 1, 0, waiting.tid()).free(host.address + 16);
    for (int i = 0; i < 4; ++i)
      host.look();
    CHECK(host.process().tables.bare.is_empty());
    host.look_often();
    CHECK(host.counted() == 8 * BareMemory::kMiB);
  }
  SECTION("by one that would run if it were let, and has not come to the munmap") {
    host.main.free(host.address + 16);
    for (int i = 0; i < 3; ++i)
      host.look(300'000'000);
    CHECK(host.process().tables.bare.is_empty());
    host.look_often();
    CHECK(host.counted() == 8 * BareMemory::kMiB);
  }
}

TEST_CASE("the record of a heap block that looks took for such memory ends that", "[assembler]") {
  BareMemory host;
  host.touch(BareMemory::kBytes);
  host.look_often();
  REQUIRE(host.counted() == BareMemory::kBytes);
  host.main.allocate(host.address + 16, 32 * BareMemory::kMiB - 16);
  CHECK(host.counted() == 32 * BareMemory::kMiB);
  CHECK(host.loss().unmapped_unseen_bytes == 0);
}

TEST_CASE("blocks that were where nothing is mapped any more hide nothing", "[assembler]") {
  BareMemory host;
  const bool is_alone = GENERATE(false, true);  // Then libc has unmapped it.
  const std::uint64_t block = host.address + (is_alone ? 16U : 160U);
  host.main.allocate(block, 32 * BareMemory::kMiB);
  munmap(host.memory, BareMemory::kBytes);
  host.main.free(block);
  if (!is_alone)
    host.look(BareMemory::kLater);
  REQUIRE(mmap(host.memory, BareMemory::kBytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == host.memory);
  madvise(host.memory, BareMemory::kBytes, MADV_NOHUGEPAGE);
  host.touch(8 * BareMemory::kMiB);
  host.look_often();
  CHECK(host.counted() == 8 * BareMemory::kMiB);
}

TEST_CASE("what is copied where no record has told of memory is found there at once",
          "[assembler]") {
  BareMemory host;
  host.resident(0);
  const std::uint64_t block = host.address + (std::uint64_t{1} << 40U);
  host.main.allocate(block, 16 * BareMemory::kMiB);
  SECTION("the copy goes into it") {
    host.main.copy(host.address + BareMemory::kMiB, block, 16 * BareMemory::kMiB);
    CHECK(host.counted() == 16 * BareMemory::kMiB);
    const auto copies = host.log().of_kind(trace::EventKind::kCopy);
    REQUIRE(copies.size() == 1);
    CHECK(copies[0].allocation != trace::kNoAllocation);
  }
  SECTION("what lies beside it is left to the looks: its record may be on its way") {
    host.main.copy(host.address, block, 16 * BareMemory::kMiB);
    host.main.allocate(host.address + 16 * BareMemory::kMiB + 16, 32 * BareMemory::kMiB);
    CHECK(host.process().tables.bare.bytes_in({0, ~std::uint64_t{0}}) == 16 * BareMemory::kMiB);
  }
  SECTION("piece by piece it is one block") {
    host.main.copy(host.address, block, 16 * BareMemory::kMiB);
    host.pass_time(BareMemory::kLater);  // A search takes a fiftieth of the time at most.
    host.main.copy(host.address + 16 * BareMemory::kMiB, block, 16 * BareMemory::kMiB);
    CHECK(host.counted() == 32 * BareMemory::kMiB);
    CHECK(host.log().of_kind(trace::EventKind::kAllocate).size() == 2);  // with the heap's
    host.main.unmap(host.address, BareMemory::kBytes);
    CHECK(host.counted() == 0);
  }
  SECTION("a small copy is not worth a look") {
    host.main.copy(host.address + BareMemory::kMiB, block, 2 * BareMemory::kMiB);
    CHECK(host.counted() == 0);
  }
  SECTION("not where nothing is mapped") {
    host.main.copy(host.address + (std::uint64_t{1} << 41U), block, 16 * BareMemory::kMiB);
    CHECK(host.counted() == 0);
  }
  SECTION("not where blocks have been") {
    host.main.allocate(host.address + 160, 20 * BareMemory::kMiB);
    host.main.free(host.address + 160);
    host.main.copy(host.address, block, 16 * BareMemory::kMiB);
    CHECK(host.counted() == 0);
  }
}
