#include "collector/drain/own_pages.hpp"

#include "tests/support/catch.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

#include <sys/mman.h>
#include <unistd.h>

using namespace tidemark;

namespace {

constexpr std::uint32_t kSlot = 3;
constexpr std::uint64_t kStateBytes = 10 * wire::kPageBytes - 100;
constexpr std::uint64_t kThreadBytes = 20 * wire::kPageBytes - 8;

/// The control region of a session, and this process as one of its hosts.
class OneHost {
 public:
  OneHost() {
    session_.base = map(wire::kControlBytes);
    wire::ProcessSlot& slot = process();
    slot.state_address = mapped_with(2, kStateBytes);
    slot.state_bytes = kStateBytes;
    slot.thread_state_bytes = kThreadBytes;
    slot.private_bytes.store(kStateBytes);
    slot.published.store(1);
  }

  [[nodiscard]] const wire::SessionMap& session() const { return session_; }
  [[nodiscard]] wire::ProcessSlot& process() const { return session_.process(kSlot); }
  /// A thread of a slot that has touched so many pages of its state.
  void add_thread(std::uint64_t pages, std::uint32_t slot = kSlot) const {
    const std::uint32_t ring = session_.control().rings_used.fetch_add(1);
    session_.ring(ring).owner.store(slot + 1);
    session_.ring(ring).state_address.store(mapped_with(pages, kThreadBytes));
    session_.process(slot).private_bytes.fetch_add(kThreadBytes);
  }
  void add_code_table(std::uint64_t pages) const {
    process().code_table_bytes.store(kThreadBytes);
    process().code_table_address.store(mapped_with(pages, kThreadBytes));
  }
  [[nodiscard]] std::optional<std::uint64_t> seen() const {
    return own_pages(session_, kSlot, PageMap(getpid()));
  }

 private:
  static std::byte* map(std::uint64_t bytes) {
    void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(mapped != MAP_FAILED);
    madvise(mapped, bytes, MADV_NOHUGEPAGE);
    return static_cast<std::byte*>(mapped);
  }
  static std::uint64_t mapped_with(std::uint64_t pages, std::uint64_t bytes) {
    std::byte* mapped = map(bytes);
    std::memset(mapped, 1, pages * wire::kPageBytes);
    return reinterpret_cast<std::uintptr_t>(mapped);
  }

  wire::SessionMap session_;
};

}  // namespace

TEST_CASE("of tidemark's own memory in a host only what is there counts", "[collector]") {
  const OneHost host;
  CHECK_FALSE(host.seen().has_value());  // It has no thread, so it has written nothing yet.

  host.add_thread(5);
  host.add_thread(11, kSlot + 1);
  CHECK(host.seen() == 7 * wire::kPageBytes);
  host.add_thread(6);
  CHECK(host.seen() == 13 * wire::kPageBytes);

  // States without a ring are as the others.
  host.process().private_bytes.fetch_add(2 * kThreadBytes);
  CHECK(host.seen() == 24 * wire::kPageBytes);
}

TEST_CASE("the table of Python's code is tidemark's own too", "[collector]") {
  const OneHost host;
  host.add_thread(5);
  host.add_code_table(3);
  CHECK(host.seen() == 10 * wire::kPageBytes);
}

TEST_CASE("of a crowd of threads some stand for all", "[collector]") {
  const OneHost host;
  for (int i = 0; i < 100; ++i) {
    host.add_thread(4);
  }
  CHECK(host.seen() == 402 * wire::kPageBytes);
}

TEST_CASE("a host that writes over what it told of its memory has none that counts",
          "[collector]") {
  const OneHost host;
  host.add_thread(5);
  SECTION("it has told nothing") {
    host.process().published.store(0);
    CHECK_FALSE(host.seen().has_value());
  }
  SECTION("a size is 0") {
    host.process().thread_state_bytes = 0;
    CHECK_FALSE(host.seen().has_value());
  }
  SECTION("a size is beyond all sense") {
    host.process().state_bytes = std::numeric_limits<std::uint32_t>::max();
    CHECK_FALSE(host.seen().has_value());
  }
  SECTION("an address is the last of all") {
    host.process().state_address = std::numeric_limits<std::uint64_t>::max();
    CHECK_FALSE(host.seen().has_value());
  }
}
