// A signal handler that records, at every single instruction of a record.
#include "preload/hooks/heap.hpp"
#include "tests/preload/session/guest_session.hpp"
#include "tests/support/catch.hpp"

#include <csignal>
#include <map>
#include <optional>
#include <vector>

#include <sys/mman.h>

using namespace tidemark;
using tests::drain;
using tests::GuestSession;
using wire::RecordKind;

namespace {

int g_handler_flags = 0;

/// A signal stack at a higher address than the stack of the thread that uses it.
class AlternateStack {
 public:
  AlternateStack() { g_handler_flags = SA_ONSTACK; }
  ~AlternateStack() {
    g_handler_flags = 0;
    if (memory_ != nullptr)
      ::munmap(memory_, kBytes);
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;
  AlternateStack(AlternateStack&&) = delete;
  AlternateStack& operator=(AlternateStack&&) = delete;

  /// For the calling thread, and for one only.
  void use() {
    memory_ = map_above(__builtin_frame_address(0));
    stack_t stack{};
    stack.ss_sp = memory_;
    stack.ss_size = kBytes;
    REQUIRE(::sigaltstack(&stack, nullptr) == 0);
    REQUIRE(memory_ > __builtin_frame_address(0));
  }

 private:
  static constexpr std::size_t kBytes = 256 * 1024;

  /// Where the kernel maps by itself depends on what was unmapped before.
  static void* map_above(const void* address) {
    constexpr std::uintptr_t kStep = std::uintptr_t{1} << 30;  // a session takes 17 of these
    auto at = (reinterpret_cast<std::uintptr_t>(address) / kStep + 1) * kStep;
    for (int tries = 0; tries < 200; ++tries, at += kStep) {
      void* memory = ::mmap(reinterpret_cast<void*>(at), kBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      if (memory != MAP_FAILED)
        return memory;
    }
    return nullptr;
  }

  void* memory_ = nullptr;
};

/// Runs `body` with `handler` called after each of its instructions.
template <typename Body>
void interrupt_everywhere(void (*handler)(int), Body body) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = handler;
  action.sa_flags = g_handler_flags;
  ::sigaction(SIGTRAP, &action, &before);
  asm volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" : : : "memory", "cc");
  body();
  asm volatile("pushfq\n andq $~0x100, (%%rsp)\n popfq" : : : "memory", "cc");
  ::sigaction(SIGTRAP, &before, nullptr);
}

std::uint64_t g_handled = 0;

[[gnu::noinline]] void allocate_in_handler(int) {
  preload::record_allocation(nullptr, ++g_handled, TIDEMARK_CALLER);
}

/// Two depths, so that walks are fresh, joined and cached.
[[gnu::noinline]] void allocate_once(std::uint64_t size) {
  preload::record_allocation(nullptr, size, TIDEMARK_CALLER);
  asm volatile("");
}
[[gnu::noinline]] void allocate_deeper(std::uint64_t size) {
  allocate_once(size);
  asm volatile("");
}

constexpr std::uint64_t kMain = 1'000'000;

using Handler = void (*)(int);
void do_nothing(int) {}

/// The same calls from the same places, whoever disturbs them: of an unrolled loop each round would
/// be a place of its own.
[[gnu::noipa]] void allocate_with_each(const std::vector<Handler>& handlers) {
#pragma GCC unroll 1
  for (const Handler handler : handlers) {
    interrupt_everywhere(handler, [] {
      allocate_once(kMain);
      allocate_deeper(kMain + 1);
    });
  }
}

}  // namespace

TEST_CASE("a record that is interrupted at any instruction is whole, and so is what interrupts it",
          "[record]") {
  constexpr std::uint64_t kPushed = 50;
  // Nobody reads meanwhile: too many records would be missing here, and not wait for ever.
  GuestSession session(wire::Overflow::kDrop);
  g_handled = 0;
  GuestSession::run_thread([](preload::ThreadState& thread) {
    interrupt_everywhere(
        [](int) { write(*preload::current_thread(), wire::DeviceFree{.handle = g_handled++}); },
        [&] {
          for (std::uint64_t i = 0; i < kPushed; ++i)
            write(thread, wire::Free{.address = i});
        });
  });
  std::uint64_t frees = 0;
  std::uint64_t closes = 0;
  for (const RawRecord& record : drain(session)) {
    if (record.kind == RecordKind::kFree)
      CHECK(record.address == frees++);
    if (record.kind == RecordKind::kDeviceFree && record.address != closes++)
      FAIL("a record of the handler is missing or out of order");
  }
  CHECK(frees == kPushed);
  CHECK(closes == g_handled);
  CHECK(g_handled > kPushed * 10);
}

namespace {

std::uint64_t g_steps = 0;
std::uint64_t g_fills_at = 0;

/// At one instruction, as many records as the ring takes.
void fill_ring_at_one_step(int) {
  if (g_steps++ != g_fills_at)
    return;
  preload::ThreadState& thread = *preload::current_thread();
  while (thread.header->dropped_total.load() == 0)
    write(thread, wire::DeviceFree{});
}

}  // namespace

TEST_CASE("a handler that fills the ring at any instruction leaves room for the next one",
          "[record]") {
  constexpr std::uint64_t kEnd = wire::kRingSlots - preload::kRingSlack;
  for (g_fills_at = 0, g_steps = 1; g_steps > g_fills_at; ++g_fills_at) {
    CAPTURE(g_fills_at);
    GuestSession session(wire::Overflow::kDrop);
    GuestSession::run_thread([](preload::ThreadState& thread) {
      thread.limit = 0;  // so that the record looks for room
      g_steps = 0;
      interrupt_everywhere(fill_ring_at_one_step, [&] { write(thread, wire::Free{}); });
      // The interrupted record, and word of what the handler dropped.
      if (thread.limit > kEnd || thread.header->reserved > kEnd + 2)
        FAIL("limit " << thread.limit << ", reserved " << thread.header->reserved);
    });
  }
  CHECK(g_fills_at > 30);
}

TEST_CASE("a long record that is interrupted at any instruction is whole", "[record]") {
  // Nobody reads meanwhile: too many records would be missing here, and not wait for ever.
  GuestSession session(wire::Overflow::kDrop);
  g_handled = 0;
  const std::string text = "a name that takes three of the payload's slots, or nearly";
  GuestSession::run_thread([&](preload::ThreadState& thread) {
    interrupt_everywhere(
        [](int) {
          preload::write_text(*preload::current_thread(), wire::Load{}, {"handler", 7});
          ++g_handled;
        },
        [&] { preload::write_text(thread, wire::PhaseBegin{}, text); });
  });
  RingReader reader(session.map(), 0);
  RingBatch batch;
  while (!reader.read(batch, tests::any_time(), true)) {
  }
  std::map<RecordKind, std::uint64_t> seen;
  for (const RawRecord& record : batch.records) {
    ++seen[record.kind];
    const std::string found(reinterpret_cast<const char*>(batch.payload.data()) + record.payload_at,
                            record.payload_bytes);
    if (record.kind == RecordKind::kPhaseBegin)
      CHECK(found.substr(0, record.size) == text);
    if (record.kind == RecordKind::kLoad && found.substr(0, record.size) != "handler")
      FAIL("a handler's text is not whole");
  }
  CHECK(seen[RecordKind::kPhaseBegin] == 1);
  CHECK(seen[RecordKind::kLoad] == g_handled);
  CHECK(seen[RecordKind::kPayload] == 0);
}

TEST_CASE("a stack that is taken while another one is taken is right, and leaves that one right",
          "[record]") {
  // Nobody reads meanwhile: too many records would be missing here, and not wait for ever.
  GuestSession session(wire::Overflow::kDrop);
  g_handled = 0;
  const std::vector<Handler> handlers{allocate_in_handler, do_nothing};
  std::optional<AlternateStack> alternate;
  if (GENERATE(false, true))
    alternate.emplace();
  GuestSession::run_thread([&](preload::ThreadState&) {
    if (alternate)
      alternate->use();
    allocate_with_each(handlers);
  });
  std::map<std::uint64_t, std::map<std::uint32_t, int>> stacks;
  std::uint64_t handled = 0;
  for (const RawRecord& record : drain(session)) {
    if (record.kind != RecordKind::kAllocationFailed)
      continue;
    CHECK(record.stack != wire::kNoNode);
    if (record.size >= kMain)
      ++stacks[record.size][record.stack];
    else if (record.size != ++handled)
      FAIL("a record of the handler is missing or out of order");
  }
  CHECK(handled == g_handled);
  CHECK(g_handled > 1000);
  // Each of the two places has one stack.
  REQUIRE(stacks.size() == 2);
  for (const auto& [size, nodes] : stacks)
    CHECK(nodes.size() == 1);
  // In the middle of this test's own pushfq and popfq, of which its unwind tables know nothing.
  CHECK(session.map().process(0).stacks_truncated.load() <= 2);
  CHECK(session.map().process(0).unwind_fallbacks.load() == 0);
}
