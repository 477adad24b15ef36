#include "preload/hooks/heap.hpp"

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

/// Its whole pages that are in memory, and what it has of pages that it shares with others.
[[gnu::noinline]] std::uint64_t touched_bytes(std::uint64_t begin, std::uint64_t bytes) {
  const std::uint64_t first = wire::round_to_page(begin);
  const std::uint64_t pages = (begin + bytes - first) / wire::kPageBytes;
  const std::uint64_t shared = bytes - pages * wire::kPageBytes;
  return shared + sys::count_resident(first, pages) * wire::kPageBytes;
}

}  // namespace

void record_last_look_and_free(ThreadState& thread, void* block) {
  const auto address = reinterpret_cast<std::uint64_t>(block);
  // Of a mapped block it reads the same word, and nothing else.
  const std::size_t usable = may(kMayAskKernel) ? real::malloc_usable_size(block) : 0;
  const bool is_large = usable >= kLastLookBytes && usable <= kMostLookedAt;
  const std::uint64_t touched = is_large ? touched_bytes(address, usable) : 0;
  const std::uint64_t ticks = now_ticks();
  if (is_large)
    write(thread, wire::LastLook{.address = address, .touched_bytes = touched}, ticks);
  write(thread, wire::Free{.address = address}, ticks);
}

}  // namespace tidemark::preload
