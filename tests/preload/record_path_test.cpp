#include "preload/hooks/heap.hpp"
#include "preload/hooks/mappings.hpp"
#include "preload/record.hpp"
#include "tests/preload/guest_session.hpp"
#include "tests/support/no_allocation_scope.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <map>
#include <string>
#include <vector>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark;
using preload::ThreadState;
using tests::comes_true;
using tests::GuestSession;
using tests::NoAllocationScope;
using wire::RecordKind;

namespace {

/// Everything that lies in ring `ring`.
std::vector<RawRecord> drain(const GuestSession& session, std::uint32_t ring = 0) {
  RingReader reader(session.map(), ring);
  RingBatch batch;
  while (!reader.read(batch, tests::any_time(), true)) {
  }
  return batch.records;
}

std::vector<RecordKind> kinds_of(const std::vector<RawRecord>& records) {
  std::vector<RecordKind> kinds;
  for (const RawRecord& record : records)
    kinds.push_back(record.kind);
  return kinds;
}

struct Tally {
  std::uint64_t read = 0;
  std::uint64_t lost = 0;  ///< As the ring says in-band.
  std::uint64_t next = 0;  ///< Number of the next record, when none is missing.
  bool in_order = true;

  void add(const RingBatch& batch) {
    for (const RawRecord& record : batch.records) {
      if (record.kind == RecordKind::kLost) {
        lost += record.size;
        next += record.size;
      } else if (record.kind == RecordKind::kFree) {
        ++read;
        in_order = in_order && record.address == next;
        ++next;
      }
    }
  }
};

}  // namespace

TEST_CASE("a thread's first words are its name, its process and what it runs", "[record]") {
  GuestSession session;
  GuestSession::run_thread(
      [](ThreadState& thread) { write(thread, {.kind = RecordKind::kFree, .address = 7}); });
  const auto records = drain(session);
  REQUIRE(kinds_of(records) == std::vector<RecordKind>{RecordKind::kThreadBegin,
                                                       RecordKind::kProcessBegin, RecordKind::kFree,
                                                       RecordKind::kThreadEnd});
  CHECK(records[0].address == std::uint64_t{1} << 32);
  CHECK(records[0].extra == records[3].extra);
  CHECK(records[2].address == 7);
}

TEST_CASE("a thread that ends gives its ring to the next one", "[record]") {
  GuestSession session;
  for (int i = 0; i < 3; ++i)
    GuestSession::run_thread(
        [](ThreadState& thread) { write(thread, {.kind = RecordKind::kFree}); });
  CHECK(session.control().rings_used.load() == 1);
  CHECK(session.map().ring(0).owner.load() == wire::kRingFree);
  const auto kinds = kinds_of(drain(session));
  CHECK(std::count(kinds.begin(), kinds.end(), RecordKind::kThreadBegin) == 3);
  CHECK(std::count(kinds.begin(), kinds.end(), RecordKind::kProcessBegin) == 1);
}

TEST_CASE("threads that live at one time have a ring each", "[record]") {
  GuestSession session;
  std::atomic<int> started{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.push_back(GuestSession::start_thread([&](ThreadState&) {
      ++started;
      while (started.load() != 4)
        std::this_thread::yield();
    }));
  for (std::thread& thread : threads)
    thread.join();
  CHECK(session.control().rings_used.load() == 4);
}

TEST_CASE("text of every length arrives, cut at its limit", "[record]") {
  const auto length = GENERATE(0U, 1U, 23U, 24U, 25U, 4095U, 4096U, 4097U, 10'000U);
  CAPTURE(length);
  const std::string text(length, 'x');
  GuestSession session;
  GuestSession::run_thread([&](ThreadState& thread) {
    preload::write_text(thread, {.kind = RecordKind::kPhaseBegin}, text);
  });
  RingReader reader(session.map(), 0);
  RingBatch batch;
  while (!reader.read(batch, tests::any_time(), true)) {
  }
  REQUIRE(batch.records.size() == 4);
  const RawRecord& record = batch.records[2];
  const std::size_t kept = std::min<std::size_t>(length, preload::kMaxTextBytes);
  CHECK(record.size == kept);
  REQUIRE(record.payload_bytes >= kept);
  CHECK(std::string(reinterpret_cast<const char*>(batch.payload.data()) + record.payload_at,
                    kept) == text.substr(0, kept));
}

TEST_CASE("records pushed are records read and records dropped", "[record][concurrency]") {
  const auto overflow = GENERATE(wire::Overflow::kBlock, wire::Overflow::kDrop);
  constexpr std::uint64_t kPushed = 1'000'000;
  CAPTURE(static_cast<int>(overflow));
  GuestSession session(overflow);
  std::atomic<bool> done{false};
  std::thread producer = GuestSession::start_thread([&](ThreadState& thread) {
    for (std::uint64_t i = 0; i < kPushed; ++i)
      write(thread, {.kind = RecordKind::kFree, .address = i});
    done.store(true);
  });
  RingReader reader(session.map(), 0);
  Tally tally;
  RingBatch batch;
  while (!done.load()) {
    batch.clear();
    while (!reader.read(batch, preload::now_ticks() & wire::kTimeMask, false)) {
    }
    tally.add(batch);
    // A collector that is slower than its host: the ring runs full.
    if (reader.backlog() == 0 || tally.read % 7 != 0) {
      reader.release();
      reader.wake_writer();
    }
  }
  producer.join();
  batch.clear();
  while (!reader.read(batch, tests::any_time(), true)) {
  }
  tally.add(batch);

  const wire::RingHeader& ring = session.map().ring(0);
  const std::uint64_t dropped = ring.dropped_total.load();
  // The end of the thread, which is a record too, may have been dropped with others before it.
  CHECK(tally.lost + ring.dropped == dropped);
  const bool end_dropped = ring.dropped != 0;
  CHECK(kPushed + (end_dropped ? 1 : 0) == tally.read + dropped);
  CHECK(tally.in_order);
  if (overflow == wire::Overflow::kBlock)
    CHECK(dropped == 0);
  else
    CHECK(dropped > 0);
}

TEST_CASE("records of signal handlers come between those that they interrupt, and none is lost",
          "[record][concurrency]") {
  constexpr std::uint64_t kPushed = 300'000;
  static std::atomic<std::uint64_t> handled{0};
  handled.store(0);
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {
    if (preload::ThreadState* thread = preload::current_thread())
      write(*thread, {.kind = RecordKind::kClose, .address = handled.fetch_add(1)});
  };
  ::sigaction(SIGUSR1, &action, &before);
  GuestSession session;
  std::atomic<bool> done{false};
  std::atomic<bool> may_end{false};
  std::thread producer = GuestSession::start_thread([&](ThreadState& thread) {
    for (std::uint64_t i = 0; i < kPushed; ++i)
      write(thread, {.kind = RecordKind::kFree, .address = i});
    done.store(true);
    while (!may_end.load())
      std::this_thread::yield();
  });
  RingReader reader(session.map(), 0);
  Tally tally;
  std::uint64_t next_handled = 0;
  bool handlers_in_order = true;
  RingBatch batch;
  const auto take = [&](bool final) {
    batch.clear();
    while (!reader.read(batch, final ? tests::any_time() : preload::now_ticks() & wire::kTimeMask,
                        final)) {
    }
    reader.release();
    reader.wake_writer();
    tally.add(batch);
    for (const RawRecord& record : batch.records) {
      if (record.kind == RecordKind::kClose)
        handlers_in_order = handlers_in_order && record.address == next_handled++;
    }
  };
  // One at a time: a flood of signals keeps the interrupted record from going on at all, for more
  // than the whole ring of handlers' records behind it, and then its slot is handed out again (see
  // RingReader).
  std::uint64_t sent = 0;
  while (!done.load()) {
    if (handled.load() == sent) {
      ::pthread_kill(producer.native_handle(), SIGUSR1);
      ++sent;
    }
    take(false);
  }
  while (handled.load() != sent)
    take(false);
  may_end.store(true);
  producer.join();
  take(true);
  ::sigaction(SIGUSR1, &before, nullptr);
  CHECK(tally.read == kPushed);
  CHECK(tally.in_order);
  CHECK(next_handled == handled.load());
  CHECK(handlers_in_order);
  CHECK(next_handled > 0);
}

TEST_CASE("a writer that waits for space is woken each time there is some",
          "[record][concurrency]") {
  GuestSession session;
  constexpr std::uint64_t kRounds = 20;
  std::atomic<std::uint64_t> written{0};
  std::thread producer = GuestSession::start_thread([&](ThreadState& thread) {
    for (std::uint64_t i = 0; i < kRounds * wire::kRingSlots; ++i) {
      write(thread, {.kind = RecordKind::kFree, .address = i});
      written.store(i + 1);
    }
  });
  wire::RingHeader& ring = session.map().ring(0);
  RingReader reader(session.map(), 0);
  Tally tally;
  RingBatch batch;
  while (written.load() < kRounds * wire::kRingSlots) {
    // Not before the ring is full does the collector lift a finger.
    REQUIRE(comes_true([&] {
      return ring.writer_waits.load() != 0 || written.load() == kRounds * wire::kRingSlots;
    }));
    batch.clear();
    while (!reader.read(batch, preload::now_ticks() & wire::kTimeMask, false)) {
    }
    tally.add(batch);
    reader.release();
    reader.wake_writer();
  }
  producer.join();
  batch.clear();
  while (!reader.read(batch, tests::any_time(), true)) {
  }
  tally.add(batch);
  CHECK(tally.read == kRounds * wire::kRingSlots);
  CHECK(tally.in_order);
  CHECK(ring.space_sequence.load() >= kRounds - 1);
  CHECK(ring.blocked_ticks > 0);
}

TEST_CASE("stamps wait for earlier loads from a process's second thread on", "[record]") {
  GuestSession session;
  preload::set_clock(wire::Clock::kTsc);
  const auto stamps = [] { return preload::g_stamps.load(); };
  GuestSession::run_thread([&](ThreadState& thread) {
    CHECK(stamps() == preload::Stamps::kTscAlone);
    write(thread, {.kind = RecordKind::kFree});
    std::thread second = GuestSession::start_thread(
        [&](ThreadState&) { CHECK(stamps() == preload::Stamps::kTscInOrder); });
    second.join();
    CHECK(stamps() == preload::Stamps::kTscInOrder);
  });
}

TEST_CASE("a host without a TSC stamps by the system's clock, however many its threads",
          "[record]") {
  GuestSession session;
  GuestSession::run_thread([](ThreadState&) {});
  GuestSession::run_thread([](ThreadState&) {});
  CHECK(preload::g_stamps.load() == preload::Stamps::kMonotonic);
}

TEST_CASE("a host whose collector died goes on without it", "[record][concurrency]") {
  const auto overflow = GENERATE(wire::Overflow::kBlock, wire::Overflow::kDrop);
  CAPTURE(static_cast<int>(overflow));
  GuestSession session(overflow);
  std::thread producer = GuestSession::start_thread([&](ThreadState& thread) {
    while (thread.ring != nullptr)
      write(thread, {.kind = RecordKind::kFree});
  });
  wire::RingHeader& ring = session.map().ring(0);
  REQUIRE(comes_true([&] { return ring.reserved > wire::kRingSlots / 2; }));
  session.kill_collector();
  producer.join();
  CHECK(preload::g_attachment.load() == preload::Attachment::kDetached);
  CHECK(session.control().ended.load() == 1);
  CHECK(ring.reserved <= wire::kRingSlots);
}

TEST_CASE("a ring that is full keeps room for a signal handler", "[record]") {
  GuestSession session(wire::Overflow::kDrop);
  GuestSession::run_thread([&](ThreadState& thread) {
    while (thread.ring->dropped == 0)
      write(thread, {.kind = RecordKind::kFree});
    CHECK(thread.ring->reserved == wire::kRingSlots - preload::kRingSlack);
  });
}

TEST_CASE("what is recorded inside tidemark's own calls is nothing", "[record]") {
  GuestSession session;
  GuestSession::run_thread([&](ThreadState& thread) {
    const preload::InternalScope scope(thread);
    preload::record_free(reinterpret_cast<void*>(0x1000));
    CHECK(preload::current_thread() == nullptr);
  });
  const auto kinds = kinds_of(drain(session));
  CHECK(std::count(kinds.begin(), kinds.end(), RecordKind::kFree) == 0);
  CHECK(std::count(kinds.begin(), kinds.end(), RecordKind::kThreadEnd) == 1);
}

TEST_CASE("recording allocates nothing, from a thread's first record on", "[record]") {
  if (!NoAllocationScope::is_effective())
    WARN("SKIPPED: a sanitizer stands in for malloc");
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
    preload::write_text(*preload::current_thread(), {.kind = RecordKind::kPhaseBegin},
                        {"weights", 7});
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
    SUCCEED("a sanitizer stands in for malloc");
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
      write(thread, {.kind = RecordKind::kFree});
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

TEST_CASE("a thread without a ring is refused once, and costs nothing more", "[record]") {
  GuestSession session;
  for (std::uint32_t i = 0; i < wire::kMaxRings; ++i)
    session.map().ring(i).owner.store(7);
  std::thread([&] {
    preload::record_free(nullptr);
    void* block = real::malloc(1);
    preload::record_free(block);
    const auto bytes = session.map().process(0).private_bytes.load();
    CHECK(session.control().threads_refused.load() == 1);
    for (int i = 0; i < 10; ++i)
      preload::record_free(block);
    CHECK(session.control().threads_refused.load() == 1);
    CHECK(session.map().process(0).private_bytes.load() == bytes);
    real::free(block);
  }).join();
  CHECK(session.map().process(0).private_bytes.load() == 0);
}
