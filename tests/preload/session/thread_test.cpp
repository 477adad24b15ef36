// Threads and processes come into a session, and leave it.
#include "preload/hooks/heap.hpp"
#include "preload/session/record.hpp"
#include "tests/preload/session/guest_session.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

using namespace tidemark;
using preload::ThreadState;
using tests::drain;
using tests::GuestSession;
using tests::kinds_of;
using wire::RecordKind;

TEST_CASE("a thread's first words are its name, its process and what it runs", "[record]") {
  GuestSession session;
  GuestSession::run_thread([](ThreadState& thread) { write(thread, wire::Free{.address = 7}); });
  const auto records = drain(session);
  REQUIRE(kinds_of(records) == std::vector<RecordKind>{RecordKind::kThreadBegin,
                                                       RecordKind::kProcessBegin,
                                                       RecordKind::kFree});
  CHECK(records[0].address == std::uint64_t{1} << 32);
  CHECK(records[2].address == 7);
}

TEST_CASE("a thread that ends gives its ring to the next one", "[record]") {
  GuestSession session;
  for (int i = 0; i < 3; ++i)
    GuestSession::run_thread([](ThreadState& thread) { write(thread, wire::Free{}); });
  CHECK(session.control().rings_used.load() == 1);
  const auto records = drain(session);
  const auto kinds = kinds_of(records);
  CHECK(std::count(kinds.begin(), kinds.end(), RecordKind::kThreadBegin) == 3);
  CHECK(std::count(kinds.begin(), kinds.end(), RecordKind::kProcessBegin) == 1);
  // Its end is told by the one that takes over.
  REQUIRE(std::count(kinds.begin(), kinds.end(), RecordKind::kThreadEnd) == 2);
  const auto end = std::find(kinds.begin(), kinds.end(), RecordKind::kThreadEnd);
  REQUIRE(end + 1 != kinds.end());
  CHECK(end[1] == RecordKind::kThreadBegin);
  CHECK(records[static_cast<std::size_t>(end - kinds.begin())].extra == records[0].extra);
}

TEST_CASE("a new name of a thread is told, whoever gives it", "[record]") {
  GuestSession session;
  std::atomic<bool> is_named{false};
  std::atomic<bool> has_begun{false};
  std::thread other = GuestSession::start_thread([&](ThreadState&) {
    has_begun = true;
    CHECK(tests::comes_true([&] { return is_named.load(); }));
  });
  CHECK(tests::comes_true([&] { return has_begun.load(); }));
  const auto pthread = reinterpret_cast<const void*>(other.native_handle());
  GuestSession::run_thread(
      [&](ThreadState&) { preload::record_thread_name(pthread, "reader of weights"); });
  is_named = true;
  other.join();
  const auto first = drain(session, 0);
  const auto second = drain(session, 1);
  REQUIRE(second.size() == 2);
  CHECK(second[1].kind == RecordKind::kThreadName);
  CHECK(second[1].extra == first[0].extra);
  CHECK(second[1].size == 15);
}

/// Of `thread` itself, that were ever written to.
std::size_t pages_touched(const ThreadState& thread) {
  constexpr std::size_t kPages = (sizeof thread + wire::kPageBytes - 1) / wire::kPageBytes;
  std::array<unsigned char, kPages> is_there{};
  REQUIRE(::mincore(const_cast<ThreadState*>(&thread), sizeof thread, is_there.data()) == 0);
  return static_cast<std::size_t>(
      std::ranges::count_if(is_there, [](unsigned char page) { return (page & 1) != 0; }));
}

TEST_CASE("a thread's caches are not touched before they are used", "[record]") {
  GuestSession session;
  // Started, and nothing recorded with a stack: the rules alone are eight pages.
  GuestSession::run_thread([](ThreadState& thread) { CHECK(pages_touched(thread) < 6); });
}

TEST_CASE("threads that live at one time have a ring each", "[record]") {
  GuestSession session;
  std::atomic<int> started{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.push_back(GuestSession::start_thread([&](ThreadState&) {
      ++started;
      while (started.load() != 4)
        std::this_thread::yield();
    }));
  }
  for (std::thread& thread : threads)
    thread.join();
  CHECK(session.control().rings_used.load() == 4);
}

TEST_CASE("stamps wait for earlier loads from a process's second thread on", "[record]") {
  GuestSession session;
  preload::set_clock(wire::Clock::kTsc);
  const auto stamps = [] { return preload::g_stamps.load(); };
  GuestSession::run_thread([&](ThreadState& thread) {
    CHECK(stamps() == preload::Stamps::kTscAlone);
    write(thread, wire::Free{});
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

TEST_CASE("a thread without a ring is refused once, and costs nothing more", "[record]") {
  GuestSession session;
  for (std::uint32_t i = 0; i < wire::kMaxRings; ++i)
    session.map().ring(i).owner.store(7);
  std::thread([&] {
    preload::record_free(nullptr);
    void* block = real::malloc(1);
    preload::record_free(block);
    const auto bytes = session.map().process(0).private_bytes.load();
    CHECK(session.control().threads_refused.of(wire::Refusal::kNoPlace).load() == 1);
    for (int i = 0; i < 10; ++i)
      preload::record_free(block);
    CHECK(session.control().threads_refused.of(wire::Refusal::kNoPlace).load() == 1);
    CHECK(session.map().process(0).private_bytes.load() == bytes);
    real::free(block);
  }).join();
  CHECK(session.map().process(0).private_bytes.load() == 0);
}
