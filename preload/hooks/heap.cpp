#include "preload/hooks/heap.hpp"

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"

#include <algorithm>
#include <span>

#include <sys/uio.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

/// Largest difference between usable and requested size of a block with its own mapping, for
/// alignments up to 64 bytes: the rest of a page, and what precedes the block.
constexpr std::size_t kMaxMappedSlack = wire::kPageBytes + 160;
static_assert(wire::kFirstValueBytes + kMaxMappedSlack / 2 + 2 * wire::kInnerValueBytes <=
              kMaxTextBytes);

/// Bytes of its resident whole pages, plus its parts of pages shared with neighbours.
[[gnu::noinline]] std::uint64_t touched_bytes(std::uint64_t begin, std::uint64_t bytes) {
  const std::uint64_t first = wire::round_to_page(begin);
  const std::uint64_t pages = (begin + bytes - first) / wire::kPageBytes;
  const std::uint64_t shared = bytes - pages * wire::kPageBytes;
  return shared + sys::count_resident(first, pages) * wire::kPageBytes;
}

/// Whether every page of [begin, end) is resident.
bool are_resident(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t first = begin / wire::kPageBytes * wire::kPageBytes;
  const std::uint64_t pages = (wire::round_to_page(end) - first) / wire::kPageBytes;
  return sys::count_resident(first, pages) == pages;
}

/// Records the block's bytes even if the program made its pages unreadable, and without paging any
/// in.
void record_last_values(ThreadState& thread, std::uint64_t address, std::size_t usable) {
  const std::size_t first_bytes =
      std::min<std::size_t>(wire::kFirstValueBytes, wire::kPageBytes - address % wire::kPageBytes);
  const std::uint64_t inner_at = wire::values_place(usable - kMaxMappedSlack);
  const std::size_t inner_bytes = wire::values_place(usable) + wire::kInnerValueBytes - inner_at;
  const std::span<std::byte> bytes =
      std::as_writable_bytes(std::span(thread.text)).first(first_bytes + inner_bytes);
  if (!are_resident(address, address + first_bytes) ||
      !are_resident(address + inner_at, address + inner_at + inner_bytes))
    return;
  const iovec places[] = {{reinterpret_cast<void*>(address), first_bytes},
                          {reinterpret_cast<void*>(address + inner_at), inner_bytes}};
  with_text(thread, [&] {
    if (sys::read_back(places, bytes) != bytes.size())
      return;
    write_payload(thread,
                  wire::LastValues{.address = address,
                                   .inner_at = inner_at,
                                   .first_bytes = static_cast<std::uint32_t>(first_bytes),
                                   .inner_bytes = static_cast<std::uint32_t>(inner_bytes)},
                  bytes);
  });
}

}  // namespace

void record_last_look_and_free(ThreadState& thread, void* block) {
  const auto address = reinterpret_cast<std::uint64_t>(block);
  // For a block with its own mapping, this reads only the word that was just read.
  const std::size_t usable = may(kMayAskKernel) ? real::malloc_usable_size(block) : 0;
  const bool is_large = usable >= kLastLookBytes && usable <= kMaxLookedAtBytes;
  const std::uint64_t touched = is_large ? touched_bytes(address, usable) : 0;
  if (touched != 0 && may(kMayReadBack))
    record_last_values(thread, address, usable);
  const std::uint64_t ticks = now_ticks();
  if (is_large)
    write(thread, wire::LastLook{.address = address, .touched_bytes = touched}, ticks);
  write(thread, wire::Free{.address = address}, ticks);
}

}  // namespace tidemark::preload
