// A ring that is written and read at one time: nothing is lost but what is said to be.
#include "preload/record.hpp"
#include "tests/preload/guest_session.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <csignal>
#include <thread>

#include <pthread.h>

using namespace tidemark;
using preload::ThreadState;
using tests::comes_true;
using tests::GuestSession;
using wire::RecordKind;

namespace {

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
