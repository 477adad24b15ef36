// What a record holds, and what making one must not do.
#include "preload/hooks/files.hpp"
#include "preload/hooks/heap.hpp"
#include "preload/hooks/mappings.hpp"
#include "preload/hooks/stack.hpp"
#include "preload/os/seccomp.hpp"
#include "preload/session/record.hpp"
#include "tests/preload/session/guest_session.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/no_allocation_scope.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark;
using preload::ThreadState;
using tests::drain;
using tests::GuestSession;
using tests::kinds_of;
using tests::NoAllocationScope;
using wire::RecordKind;

TEST_CASE("text of every length arrives, cut at its limit", "[record]") {
  const auto length = GENERATE(0U, 1U, 23U, 24U, 25U, 4095U, 4096U, 4097U, 10'000U);
  CAPTURE(length);
  const std::string text(length, 'x');
  GuestSession session;
  GuestSession::run_thread(
      [&](ThreadState& thread) { preload::write_text(thread, wire::PhaseBegin{}, text); });
  const RingBatch batch = tests::drain_batch(session);
  REQUIRE(batch.records.size() == 3);
  const RawRecord& record = batch.records[2];
  const std::size_t kept = std::min<std::size_t>(length, preload::kMaxTextBytes);
  CHECK(record.size == kept);
  REQUIRE(record.payload_bytes >= kept);
  CHECK(std::string(reinterpret_cast<const char*>(batch.payload.data()) + record.payload_at,
                    kept) == text.substr(0, kept));
}

TEST_CASE("what a child reads that found no slot is counted in no other process's", "[record]") {
  const GuestSession session;
  preload::g_process->attached.store(preload::ProcessState::kRefused);
  std::thread([] {
    constexpr int kSomeDescriptor = 5;
    constexpr std::size_t kBytes = 1 << 20;
    const preload::ReadInProgress reading(kSomeDescriptor, kBytes);
    CHECK(preload::process_slot().bytes_being_read.load() == 0);
    preload::record_read(kSomeDescriptor, {.bytes = kBytes}, TIDEMARK_CALLER);
    preload::count_unreturned(kBytes);
  }).join();
  CHECK(preload::process_slot().bytes_read.load() == 0);
}

TEST_CASE("what is recorded inside tidemark's own calls is nothing", "[record]") {
  GuestSession session;
  GuestSession::run_thread([&](ThreadState& thread) {
    const preload::ReentrancyGuard scope(thread);
    preload::record_free(reinterpret_cast<void*>(0x1000));
    CHECK(preload::current_thread() == nullptr);
  });
  CHECK(kinds_of(drain(session)) ==
        std::vector<RecordKind>{RecordKind::kThreadBegin, RecordKind::kProcessBegin});
}

TEST_CASE("recording allocates nothing, from a thread's first record on", "[record]") {
  if (!NoAllocationScope::is_effective())
    SKIP_TEST("a sanitizer stands in for malloc");
  GuestSession session;
  void* block = std::malloc(100);
  void* mapping = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::thread([&] {
    const NoAllocationScope scope;
    const unwind::FrameState caller = TIDEMARK_CALLER;
    preload::record_allocation(block, 100, caller);
    preload::record_allocation(nullptr, 100, caller);
    preload::record_realloc_begin(block, 200);
    preload::record_realloc_end(block, 200, caller);
    preload::record_free(block);
    preload::record_map(mapping, {4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}, caller);
    preload::record_protect(mapping, 4096, PROT_READ, caller);
    preload::record_remap_begin(mapping, 4096);
    preload::record_remap_end(mapping, 4096, 0, caller);
    preload::record_advise(mapping, 4096, MADV_DONTNEED);
    preload::record_unmap(mapping, 4096);
    preload::record_break(mapping, block, caller);
    preload::write_text(*preload::current_thread(), wire::PhaseBegin{}, {"weights", 7});
  }).join();
  ::munmap(mapping, 4096);
  std::free(block);

  std::map<RecordKind, int> seen;
  for (const RawRecord& record : drain(session))
    ++seen[record.kind];
  for (const RecordKind kind :
       {RecordKind::kAllocate, RecordKind::kAllocationFailed, RecordKind::kReallocBegin,
        RecordKind::kReallocEnd, RecordKind::kFree, RecordKind::kMap, RecordKind::kProtect,
        RecordKind::kRemapBegin, RecordKind::kRemapEnd, RecordKind::kAdvise, RecordKind::kUnmap,
        RecordKind::kBreak, RecordKind::kPhaseBegin}) {
    CAPTURE(static_cast<int>(kind));
    CHECK(seen[kind] == 1);
  }
  CHECK(seen[RecordKind::kModule] >= 2);
}

TEST_CASE("an allocation where none may be is noticed", "[no_allocation_scope]") {
  if (!NoAllocationScope::is_effective()) {
    SKIP_TEST("a sanitizer stands in for malloc");
    return;
  }
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::close(STDERR_FILENO);
    std::signal(SIGABRT, SIG_DFL);
    const NoAllocationScope scope;
    void* volatile block = std::malloc(1);
    ::_exit(block != nullptr ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
}

TEST_CASE("a block's record says what it asked for and what it got", "[record]") {
  GuestSession session;
  void* block = real::malloc(100);
  GuestSession::run_thread(
      [&](ThreadState&) { preload::record_allocation(block, 100, TIDEMARK_CALLER); });
  const auto usable = real::malloc_usable_size(block);
  real::free(block);
  for (const RawRecord& record : drain(session)) {
    if (record.kind != RecordKind::kAllocate)
      continue;
    CHECK(record.address == reinterpret_cast<std::uint64_t>(block));
    CHECK(record.size == 100);
    CHECK(record.extra == usable - 100);
  }
}

TEST_CASE("a large block that is freed is looked at before", "[record]") {
  constexpr std::size_t kBytes = std::size_t{40} << 20U;
  constexpr std::size_t kUsed = std::size_t{5} << 20U;
  GuestSession session;
  auto* large = static_cast<char*>(real::malloc(kBytes));
  auto* small = static_cast<char*>(real::malloc(1000));
  // Whole huge pages would be more than what is used.
  ::madvise(large + wire::kPageBytes - reinterpret_cast<std::uint64_t>(large) % wire::kPageBytes,
            kBytes - wire::kPageBytes, MADV_NOHUGEPAGE);
  std::memset(large + kBytes / 2, 1, kUsed);  // Not at its beginning, and beyond one call's pages.
  const auto address = reinterpret_cast<std::uint64_t>(large);
  REQUIRE(preload::is_mapped_by_libc(large));
  std::thread([&] {
    const NoAllocationScope scope;
    preload::record_free(large);
    preload::record_free(small);
    preload::record_named_free(large);  // Another allocator's, for all we know.
  }).join();
  real::free(large);
  real::free(small);

  std::vector<RawRecord> records = drain(session);
  std::erase_if(records, [](const RawRecord& record) {
    return record.kind != RecordKind::kLastLook && record.kind != RecordKind::kFree;
  });
  REQUIRE(kinds_of(records) == std::vector<RecordKind>{RecordKind::kLastLook, RecordKind::kFree,
                                                       RecordKind::kFree, RecordKind::kFree});
  CHECK(records[0].address == address);
  CHECK(records[0].size >= kUsed);
  CHECK(records[0].size <= kUsed + 4 * wire::kPageBytes);
  CHECK(records[1].address == address);
  CHECK(records[1].time == records[0].time);
}

TEST_CASE("what a large block holds is told before it goes", "[record]") {
  constexpr std::size_t kBytes = (std::size_t{40} << 20U) + 4;
  GuestSession session;
  auto* block = static_cast<unsigned char*>(real::malloc(kBytes));
  REQUIRE(preload::is_mapped_by_libc(block));
  for (std::size_t i = 0; i < kBytes; ++i)
    block[i] = static_cast<unsigned char>(i % 251);
  const std::uint64_t place = wire::values_place(kBytes);
  const auto address = reinterpret_cast<std::uint64_t>(block);
  auto* const inner_page =
      block + (address + place) / wire::kPageBytes * wire::kPageBytes - address;
  const std::string what = GENERATE("all", "not in memory", "not readable", "not allowed");
  CAPTURE(what);
  if (what == "not in memory")
    REQUIRE(madvise(inner_page, wire::kPageBytes, MADV_DONTNEED) == 0);
  if (what == "not readable")
    REQUIRE(mprotect(inner_page, wire::kPageBytes, PROT_NONE) == 0);
  if (what == "not allowed")
    preload::g_abilities.store(preload::kEveryAbility & ~preload::kMayReadBack);
  GuestSession::run_thread([&](ThreadState&) {
    const NoAllocationScope scope;
    preload::record_free(block);
  });
  preload::g_abilities.store(preload::kEveryAbility);
  unsigned char is_there = 0;
  REQUIRE(mincore(inner_page, wire::kPageBytes, &is_there) == 0);
  CHECK(((is_there & 1U) != 0) == (what != "not in memory"));
  real::free(block);

  const RingBatch batch = tests::drain_batch(session);
  const auto told = std::ranges::find(batch.records, RecordKind::kLastValues, &RawRecord::kind);
  REQUIRE((told != batch.records.end()) == (what == "all"));
  if (what != "all")
    return;
  const auto values = wire::LastValues::decode(told->words());
  CHECK(values.address == address);
  CHECK(values.first_bytes == wire::kFirstValueBytes);
  CHECK(values.inner_at <= place);
  CHECK(place + wire::kInnerValueBytes <= values.inner_at + values.inner_bytes);
  REQUIRE(told->payload_bytes >= values.first_bytes + values.inner_bytes);
  const auto held = [&](std::size_t at) {
    return static_cast<std::size_t>(batch.payload[told->payload_at + at]);
  };
  for (std::size_t i = 0; i < values.first_bytes; ++i)
    CHECK(held(i) == i % 251);
  for (std::size_t i = 0; i < values.inner_bytes; ++i)
    CHECK(held(values.first_bytes + i) == (values.inner_at + i) % 251);
  const auto next = std::next(told);
  REQUIRE(next != batch.records.end());
  CHECK(next->kind == RecordKind::kLastLook);
  CHECK(next->time >= told->time);
}

TEST_CASE("which blocks are looked at before they go", "[record]") {
  constexpr std::size_t kMiB = std::size_t{1} << 20U;
  struct Freed {
    std::size_t alignment;
    std::size_t bytes;
    std::uint32_t abilities;
    bool is_looked_at;
  };
  constexpr std::uint32_t kAll = preload::kEveryAbility;
  const auto freed = GENERATE(values<Freed>({
      {16, 40 * kMiB, kAll, true},
      {64, 40 * kMiB, kAll, true},
      {4096, 40 * kMiB, kAll, true},
      {16, kMiB / 2, kAll, false},  // Mapped, but small.
      {16, 1000, kAll, false},
      {16, 40 * kMiB, kAll & ~preload::kMayAskKernel, false},
  }));
  CAPTURE(freed.alignment, freed.bytes, freed.abilities);
  GuestSession session;
  void* block = real::aligned_alloc(freed.alignment, freed.bytes);
  std::memset(block, 1, freed.bytes / 4);
  preload::g_abilities.store(freed.abilities);
  GuestSession::run_thread([&](ThreadState&) { preload::record_free(block); });
  preload::g_abilities.store(preload::kEveryAbility);
  real::free(block);
  const auto kinds = kinds_of(drain(session));
  CHECK(std::ranges::count(kinds, RecordKind::kLastLook) == (freed.is_looked_at ? 1 : 0));
  CHECK(std::ranges::count(kinds, RecordKind::kFree) == 1);
}

TEST_CASE("a realloc to nothing is no failure", "[record]") {
  GuestSession session;
  GuestSession::run_thread([&](ThreadState&) {
    preload::record_realloc_end(nullptr, 0, TIDEMARK_CALLER);
    preload::record_realloc_end(nullptr, 10, TIDEMARK_CALLER);
  });
  const auto kinds = kinds_of(drain(session));
  CHECK(std::count(kinds.begin(), kinds.end(), RecordKind::kReallocEnd) == 1);
  CHECK(std::count(kinds.begin(), kinds.end(), RecordKind::kReallocFailed) == 1);
}

TEST_CASE("a module met after the session's end ends the recording, not the host", "[record]") {
  const auto overflow = GENERATE(wire::Overflow::kBlock, wire::Overflow::kDrop);
  GuestSession session(overflow);
  GuestSession::run_thread([&](ThreadState& thread) {
    const std::uint64_t full = wire::kRingSlots - preload::kRingSlack;
    while (thread.header->reserved < full)
      write(thread, wire::Free{});
    session.control().ended.store(1);
    // The walk meets every module anew, and each writes a record inside the one under way.
    preload::g_module_epoch.fetch_add(1);
    preload::record_allocation(nullptr, 1, TIDEMARK_CALLER);
    CHECK(thread.ring == nullptr);
    CHECK(thread.header->reserved == full);
    preload::record_allocation(nullptr, 2, TIDEMARK_CALLER);
    CHECK(thread.header->reserved == full);
  });
}

TEST_CASE("no stack is taken while the table of stacks is being emptied", "[record]") {
  // A change finds the thread anywhere in its walk: some of two hundred surely within one.
  constexpr std::uint32_t kChanges = 200;
  constexpr std::uint64_t kStacksBetween = 100;
  constexpr int kTurns = 500;
  GuestSession session;
  std::atomic<std::uint32_t>& generation = session.map().process(0).stack_generation;
  std::atomic<bool> is_over{false};
  std::atomic<std::uint64_t> taken{0};
  std::uint64_t taken_while_emptied = 0;
  std::thread host = GuestSession::start_thread([&](ThreadState& thread) {
    while (!is_over) {
      const std::uint32_t before = generation.load();
      const std::uint32_t stack = preload::capture_stack(thread, TIDEMARK_CALLER);
      taken += stack != wire::kNoNode ? 1U : 0U;
      taken_while_emptied += generation.load() == before && before % 2 != 0 ? 1U : 0U;
    }
  });
  for (std::uint32_t change = 0; change < kChanges; ++change) {
    const std::uint64_t before = taken.load();
    CHECK(tests::comes_true([&] { return taken.load() > before + kStacksBetween; }));
    generation.store(2 * change + 1);
    // Nothing is to come of it: time for a thread that does not wait. On a busy machine each turn
    // is somebody else's for milliseconds, and few are enough.
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    for (int i = 0; i < kTurns && std::chrono::steady_clock::now() < until; ++i)
      std::this_thread::yield();
    generation.store(2 * change + 2);
  }
  is_over = true;
  host.join();
  CHECK(taken_while_emptied == 0);
}
