// What munmap must leave alone of what the program asks it to unmap.
#include "preload/session/own_memory.hpp"

#include "tests/preload/session/guest_session.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using preload::AddressRange;
using preload::find_own;
using preload::ProcessState;
using tests::GuestSession;

namespace {

AddressRange range_of(const void* begin, std::uint64_t bytes) {
  const auto at = reinterpret_cast<std::uint64_t>(begin);
  return {at, at + bytes};
}

/// Whether `own` is found as it is, with room around it, and clipped at each end.
bool is_found(const AddressRange& own) {
  constexpr std::uint64_t kPage = wire::kPageBytes;
  const std::uint64_t middle = (own.begin + own.end) / 2 / kPage * kPage;
  return find_own(own) == own && find_own({own.begin - kPage, own.end + kPage}) == own &&
         find_own({own.begin - kPage, middle}) == AddressRange{own.begin, middle} &&
         find_own({middle, own.end + kPage}) == AddressRange{middle, own.end};
}

/// In place of the windows that a process maps.
class StackTables {
 public:
  StackTables() {
    preload::g_small_table = wire::StackTable::small(small_);
    preload::g_stack_table.store(&preload::g_small_table);
  }
  ~StackTables() {
    preload::g_small_table = {};
    preload::g_stack_table.store(nullptr);
  }
  StackTables(const StackTables&) = delete;
  StackTables& operator=(const StackTables&) = delete;
  StackTables(StackTables&&) = delete;
  StackTables& operator=(StackTables&&) = delete;

  void enlarge() { preload::g_stack_table.store(&large_table_); }

  [[nodiscard]] AddressRange small() const { return range_of(small_, wire::kSmallStackTableBytes); }
  [[nodiscard]] AddressRange large() const { return range_of(large_, wire::kStackTableBytes); }

 private:
  // Nothing is there.
  std::byte* const small_ = reinterpret_cast<std::byte*>(std::uint64_t{1} << 45);
  std::byte* const large_ = reinterpret_cast<std::byte*>(std::uint64_t{1} << 46);
  wire::StackTable large_table_ = wire::StackTable::large(large_);
};

}  // namespace

TEST_CASE("each window of the stack table is left alone, the first one for ever", "[own_memory]") {
  const GuestSession session;
  StackTables tables;
  CHECK(is_found(tables.small()));
  CHECK(find_own(tables.large()).is_empty());
  tables.enlarge();
  CHECK(is_found(tables.small()));
  CHECK(is_found(tables.large()));
}

TEST_CASE("a forked child does not have its parent's stack table, and may map there",
          "[own_memory]") {
  const GuestSession session;
  StackTables tables;
  tables.enlarge();
  // As the fork wipes it, and as it is where the child found no slot.
  preload::g_process->attached.store(GENERATE(0U, ProcessState::kRefused));
  CHECK(find_own(tables.small()).is_empty());
  CHECK(find_own(tables.large()).is_empty());
}

TEST_CASE("a session's control block, a process's state, threads' states and rings are left alone",
          "[own_memory]") {
  const GuestSession session;
  CHECK(find_own(range_of(session.map().base, wire::kPageBytes)) ==
        range_of(session.map().base, wire::kPageBytes));
  GuestSession::run_thread([](const preload::ThreadState& thread) {
    // What is before it is tidemark's, too.
    const AddressRange ring = range_of(thread.slots, wire::kRingBytes);
    CHECK(find_own(ring) == ring);
    CHECK(is_found(range_of(&thread, wire::round_to_page(sizeof thread))));
  });
}

TEST_CASE("where nothing of tidemark's is, or the process is not recorded, nothing is left alone",
          "[own_memory]") {
  const GuestSession session;
  int mine = 0;
  CHECK(find_own(range_of(&mine, sizeof mine)).is_empty());
  const AddressRange control = range_of(session.map().base, wire::kPageBytes);
  preload::g_attachment.store(preload::Attachment::kDetached);
  CHECK(find_own(control).is_empty());
}
