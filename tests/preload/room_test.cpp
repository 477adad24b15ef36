// Who waits for room in a ring although there is some: whoever is on the collector's core while
// others are short of it.
#include "preload/record.hpp"
#include "tests/preload/guest_session.hpp"

#include <catch2/catch.hpp>

#include <atomic>

#include <sched.h>

using namespace tidemark;
using preload::kRoomStep;
using preload::ThreadState;
using tests::GuestSession;

namespace {

/// A session whose collector was last seen on the core of the test's thread.
class OneCoreSession {
 public:
  explicit OneCoreSession(wire::Overflow overflow = wire::Overflow::kBlock) : guest_(overflow) {
    guest_.control().clock = wire::Clock::kTsc;
    preload::set_clock(wire::Clock::kTsc);
    control().collector_cpu.store(static_cast<std::uint32_t>(cpu_ + 1));
  }

  [[nodiscard]] wire::ControlPage& control() const { return guest_.control(); }
  [[nodiscard]] wire::RingHeader& ring() const { return guest_.map().ring(0); }
  [[nodiscard]] RingReader reader() const { return {guest_.map(), 0}; }
  void kill_collector() const { guest_.kill_collector(); }

  /// A thread that stays on that core and writes `records`.
  [[nodiscard]] std::thread start_writer(std::uint64_t records) const {
    return GuestSession::start_thread([this, records](ThreadState& thread) {
      cpu_set_t core;
      CPU_ZERO(&core);
      CPU_SET(cpu_, &core);
      ::sched_setaffinity(0, sizeof core, &core);
      for (std::uint64_t i = 0; i < records; ++i)
        write(thread, {.kind = wire::RecordKind::kFree, .address = i});
    });
  }

 private:
  std::size_t cpu_ = static_cast<std::size_t>(::sched_getcpu());
  GuestSession guest_;
};

constexpr std::uint64_t kQuarter = wire::kRingSlots / 4;

}  // namespace

TEST_CASE("a thread on the collector's core steps aside for one that is short of room",
          "[room][concurrency]") {
  OneCoreSession session;
  session.control().room_wanted.store(1);
  std::thread writer = session.start_writer(kQuarter);
  while (session.ring().writer_waits.load() == 0)
    std::this_thread::yield();
  CHECK(session.ring().reserved <= 2 * kRoomStep);

  session.control().room_wanted.store(0);
  RingReader reader = session.reader();
  reader.wake_writer();
  writer.join();
  CHECK(session.ring().reserved > kQuarter);
  CHECK(session.ring().dropped_total.load() == 0);
  CHECK(session.ring().blocked_ticks > 0);
}

TEST_CASE("nobody steps aside for a collector that has a core, or nothing to do", "[room]") {
  OneCoreSession session;
  session.control().room_wanted.store(1);
  wire::ControlPage& control = session.control();
  const auto nobody_waits = [&session] {
    session.start_writer(kQuarter).join();
    CHECK(session.ring().reserved > kQuarter);
    CHECK(session.ring().blocked_ticks == 0);
  };
  SECTION("it runs elsewhere") {
    control.collector_cpu.fetch_add(1);
    nobody_waits();
  }
  SECTION("where it runs is unknown") {
    control.collector_cpu.store(0);
    nobody_waits();
  }
  SECTION("it sleeps") {
    control.collector_sleeps.store(1);
    nobody_waits();
  }
  SECTION("nobody wants room") {
    control.room_wanted.store(0);
    nobody_waits();
  }
}

TEST_CASE("nobody steps aside where records are dropped rather than waited for", "[room]") {
  OneCoreSession session(wire::Overflow::kDrop);
  session.control().room_wanted.store(1);
  session.start_writer(kQuarter).join();
  CHECK(session.ring().blocked_ticks == 0);
}

TEST_CASE("a thread asks for room once half its ring is full", "[room]") {
  OneCoreSession session;
  session.control().collector_cpu.fetch_add(1);
  session.start_writer(kQuarter).join();
  CHECK(session.control().room_wanted.load() == 0);
  session.start_writer(2 * kQuarter).join();
  CHECK(session.control().room_wanted.load() == 1);
}

TEST_CASE("a thread that stepped aside for a collector that died goes on without it",
          "[room][concurrency]") {
  OneCoreSession session;
  session.control().room_wanted.store(1);
  std::thread writer = session.start_writer(kQuarter);
  while (session.ring().writer_waits.load() == 0)
    std::this_thread::yield();
  session.kill_collector();
  writer.join();
  CHECK(session.ring().reserved <= 2 * kRoomStep);
  CHECK(session.control().ended.load() == 1);
}
