// Who waits for space in a ring although there is some: whoever is on the collector's core while
// others are short of it.
#include "preload/session/record.hpp"
#include "tests/preload/session/guest_session.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/one_core.hpp"

using namespace tidemark;
using preload::kSpaceCheckSlots;
using preload::ThreadState;
using tests::comes_true;
using tests::GuestSession;
using tests::OneCore;

namespace {

/// A session whose collector was last seen on the core of the test's threads.
class OneCoreSession {
 public:
  explicit OneCoreSession(wire::Overflow overflow = wire::Overflow::kBlock) : guest_(overflow) {
    guest_.control().clock = wire::Clock::kTsc;
    preload::set_clock(wire::Clock::kTsc);
    control().collector_cpu.store(static_cast<std::uint32_t>(core_.cpu() + 1));
  }

  [[nodiscard]] wire::ControlBlock& control() const { return guest_.control(); }
  [[nodiscard]] wire::RingHeader& ring() const { return guest_.map().ring(0); }
  [[nodiscard]] RingReader reader() const { return {guest_.map(), 0}; }
  void kill_collector() const { guest_.kill_collector(); }

  [[nodiscard]] static std::thread start_writer(std::uint64_t records) {
    return GuestSession::start_thread([records](ThreadState& thread) {
      for (std::uint64_t i = 0; i < records; ++i)
        write(thread, wire::Free{.address = i});
    });
  }

 private:
  OneCore core_;
  GuestSession guest_;
};

constexpr std::uint64_t kQuarter = wire::kRingSlots / 4;
/// Steps of so many records take half a second even where nobody wakes the thread.
constexpr std::uint64_t kManySteps = 2 * kQuarter;
static_assert(kManySteps / kSpaceCheckSlots >= 5);

}  // namespace

TEST_CASE("a thread on the collector's core yields for one that is short of space",
          "[ring_space][concurrency]") {
  OneCoreSession session;
  session.control().space_wanted.store(1);
  std::thread writer = OneCoreSession::start_writer(kManySteps);
  CHECK(comes_true([&] { return session.ring().writer_waits.load() != 0; }));
  CHECK(session.ring().reserved < kManySteps);

  session.control().space_wanted.store(0);
  RingReader reader = session.reader();
  reader.wake_writer();
  writer.join();
  CHECK(session.ring().reserved > kManySteps);
  CHECK(session.ring().dropped_total.load() == 0);
  CHECK(session.ring().blocked_ticks > 0);
}

TEST_CASE("nobody yields for a collector that has a core, or nothing to do", "[ring_space]") {
  OneCoreSession session;
  session.control().space_wanted.store(1);
  wire::ControlBlock& control = session.control();
  const auto nobody_waits = [&session] {
    OneCoreSession::start_writer(kQuarter).join();
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
  SECTION("nobody wants space") {
    control.space_wanted.store(0);
    nobody_waits();
  }
}

TEST_CASE("nobody yields where records are dropped rather than waited for", "[ring_space]") {
  OneCoreSession session(wire::Overflow::kDrop);
  session.control().space_wanted.store(1);
  OneCoreSession::start_writer(kQuarter).join();
  CHECK(session.ring().blocked_ticks == 0);
}

TEST_CASE("a thread asks for space once half its ring is full", "[ring_space]") {
  OneCoreSession session;
  session.control().collector_cpu.fetch_add(1);
  OneCoreSession::start_writer(kQuarter).join();
  CHECK(session.control().space_wanted.load() == 0);
  OneCoreSession::start_writer(2 * kQuarter).join();
  CHECK(session.control().space_wanted.load() == 1);
}

TEST_CASE("a thread that yielded for a collector that died goes on without it",
          "[ring_space][concurrency]") {
  OneCoreSession session;
  session.control().space_wanted.store(1);
  std::thread writer = OneCoreSession::start_writer(kManySteps);
  CHECK(comes_true([&] { return session.ring().writer_waits.load() != 0; }));
  session.kill_collector();
  writer.join();
  CHECK(session.ring().reserved < kManySteps);
  CHECK(session.control().ended.load() == 1);
}

TEST_CASE("nobody yields for a collector that is dead already", "[ring_space]") {
  OneCoreSession session;
  session.control().space_wanted.store(1);
  session.kill_collector();
  OneCoreSession::start_writer(kManySteps).join();
  CHECK(session.ring().reserved <= kSpaceCheckSlots);
  CHECK(session.ring().blocked_ticks == 0);
}

TEST_CASE("a thread's limit leaves space for handlers, however full its ring", "[ring_space]") {
  GuestSession session(wire::Overflow::kDrop);
  GuestSession::run_thread([](ThreadState& thread) {
    constexpr std::uint64_t kEnd = wire::kRingSlots - preload::kRingSlack;
    bool is_within = true;
    while (thread.header->reserved < kEnd) {
      write(thread, wire::Free{});
      is_within = is_within && thread.limit <= kEnd;
    }
    CHECK(is_within);
  });
}
