// A ring that is written and read at one time: nothing is lost but what is said to be.
#include "preload/session/record.hpp"
#include "tests/preload/session/guest_session.hpp"
#include "tests/support/catch.hpp"

#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

#include <pthread.h>

using namespace tidemark;
using preload::ThreadState;
using tests::comes_true;
using tests::GuestSession;
using wire::RecordKind;

namespace {

/// The other side of a thread's ring, and what it has seen there.
class ReadingSide {
 public:
  explicit ReadingSide(const GuestSession& session) : reader_(session.map(), 0) {}

  std::uint64_t read = 0;
  std::uint64_t lost = 0;  ///< As the ring says in-band.
  bool in_order = true;

  /// What was made until now.
  void take() { take(preload::now_ticks() & wire::kTimeMask, false); }
  /// All there is, of a thread that has ended.
  void take_rest() { take(tests::any_time(), true); }
  void give_room() {
    reader_.release();
    reader_.wake_writer();
  }
  [[nodiscard]] bool is_behind() const { return reader_.reserved() != reader_.position(); }
  /// The records taken last.
  [[nodiscard]] const std::vector<RawRecord>& taken() const { return batch_.records; }

 private:
  void take(std::uint64_t until, bool final) {
    batch_.clear();
    while (!reader_.read(batch_, until, final)) {
    }
    for (const RawRecord& record : batch_.records)
      count(record);
  }
  void count(const RawRecord& record) {
    if (record.kind == RecordKind::kLost) {
      lost += record.size;
      next_ += record.size;
    } else if (record.kind == RecordKind::kFree) {
      ++read;
      in_order = in_order && record.address == next_++;
    }
  }

  RingReader reader_;
  RingBatch batch_;
  std::uint64_t next_ = 0;  ///< Number of the next record, when none is missing.
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
      write(thread, wire::Free{.address = i});
    done.store(true);
  });
  ReadingSide reading(session);
  const wire::RingHeader& ring = session.map().ring(0);
  // However fast this side is on this machine, the ring has run full once: no room before that.
  const auto ran_full = [&] {
    return overflow == wire::Overflow::kBlock ? ring.writer_waits.load() != 0
                                              : ring.dropped_total.load() > 0;
  };
  const bool has_run_full = comes_true([&] { return done.load() || ran_full(); }) && ran_full();
  while (!done.load()) {
    reading.take();
    // And it runs full again and again: a collector that is slower than its host.
    if (!reading.is_behind() || reading.read % 7 != 0)
      reading.give_room();
  }
  producer.join();
  reading.take_rest();

  const std::uint64_t dropped = ring.dropped_total.load();
  CHECK(has_run_full);
  // The last ones may have been dropped with no record after them to say so.
  CHECK(reading.lost + ring.dropped == dropped);
  CHECK(kPushed == reading.read + dropped);
  CHECK(reading.in_order);
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
      write(*thread, wire::DeviceFree{.handle = handled.fetch_add(1)});
  };
  ::sigaction(SIGUSR1, &action, &before);
  GuestSession session;
  std::atomic<bool> done{false};
  std::atomic<bool> may_end{false};
  std::thread producer = GuestSession::start_thread([&](ThreadState& thread) {
    for (std::uint64_t i = 0; i < kPushed; ++i)
      write(thread, wire::Free{.address = i});
    done.store(true);
    while (!may_end.load())
      std::this_thread::yield();
  });
  ReadingSide reading(session);
  std::uint64_t next_handled = 0;
  bool handlers_in_order = true;
  const auto look_at_handlers = [&] {
    for (const RawRecord& record : reading.taken()) {
      if (record.kind == RecordKind::kDeviceFree)
        handlers_in_order = handlers_in_order && record.address == next_handled++;
    }
  };
  const auto take = [&] {
    reading.take();
    reading.give_room();
    look_at_handlers();
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
    take();
  }
  while (handled.load() != sent)
    take();
  may_end.store(true);
  producer.join();
  reading.take_rest();
  look_at_handlers();
  ::sigaction(SIGUSR1, &before, nullptr);
  CHECK(reading.read == kPushed);
  CHECK(reading.in_order);
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
      write(thread, wire::Free{.address = i});
      written.store(i + 1);
    }
  });
  wire::RingHeader& ring = session.map().ring(0);
  ReadingSide reading(session);
  while (written.load() < kRounds * wire::kRingSlots) {
    // Not before the ring is full does the collector lift a finger.
    REQUIRE(comes_true([&] {
      return ring.writer_waits.load() != 0 || written.load() == kRounds * wire::kRingSlots;
    }));
    reading.take();
    reading.give_room();
  }
  producer.join();
  reading.take_rest();
  CHECK(reading.read == kRounds * wire::kRingSlots);
  CHECK(reading.in_order);
  CHECK(ring.space_sequence.load() >= kRounds - 1);
  CHECK(ring.blocked_ticks > 0);
}

TEST_CASE("a host whose collector died goes on without it", "[record][concurrency]") {
  const auto overflow = GENERATE(wire::Overflow::kBlock, wire::Overflow::kDrop);
  CAPTURE(static_cast<int>(overflow));
  GuestSession session(overflow);
  std::thread producer = GuestSession::start_thread([&](ThreadState& thread) {
    while (thread.ring != nullptr)
      write(thread, wire::Free{});
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
      write(thread, wire::Free{});
    CHECK(thread.ring->reserved == wire::kRingSlots - preload::kRingSlack);
  });
}
