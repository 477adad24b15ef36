#include "collector/drain/own_pages.hpp"

#include <algorithm>

namespace tidemark {
namespace {

constexpr std::uint64_t kMaxThreads = 32;
/// Larger than any table of ours. A host may have overwritten the sizes that it reported.
constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 20;

std::uint64_t present_bytes(const PageMap& pages, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t begin = address / wire::kPageBytes * wire::kPageBytes;
  const std::uint64_t end = begin + wire::round_to_page(bytes);
  return bytes <= kMaxBytes && begin < end ? pages.present_bytes(begin, end) : 0;
}

}  // namespace

std::optional<std::uint64_t> own_pages(const wire::SessionMap& session,
                                       std::uint32_t slot,
                                       const PageMap& pages) {
  const wire::ProcessSlot& process = session.process(slot);
  if (pages.access() != PageMap::Access::kOpen || process.published.load() == 0)
    return std::nullopt;
  // Read once: a host may write over it at any time.
  const std::uint64_t state_bytes = process.state_bytes;
  const std::uint64_t thread_bytes = process.thread_state_bytes;
  const std::uint64_t of_process = present_bytes(pages, process.state_address, state_bytes);
  const std::uint64_t code_table = process.code_table_address.load();
  const std::uint64_t of_code =
      code_table == 0 ? 0 : present_bytes(pages, code_table, process.code_table_bytes.load());
  std::uint64_t of_threads = 0;
  std::uint64_t looked_at = 0;
  const std::uint32_t rings = std::min(session.control().rings_used.load(), wire::kMaxRings);
  for (std::uint32_t i = 0; i < rings && looked_at < kMaxThreads; ++i) {
    const wire::RingHeader& ring = session.ring(i);
    const std::uint64_t address = ring.state_address.load(std::memory_order_relaxed);
    if (ring.owner.load(std::memory_order_relaxed) != slot + 1 || address == 0)
      continue;
    of_threads += present_bytes(pages, address, thread_bytes);
    ++looked_at;
  }
  if (of_process == 0 || looked_at == 0 || thread_bytes == 0)
    return std::nullopt;
  const std::uint64_t mapped = process.private_bytes.load(std::memory_order_relaxed);
  const std::uint64_t threads = (mapped - std::min(mapped, state_bytes)) / thread_bytes;
  return of_process + of_code + of_threads * std::max(threads, looked_at) / looked_at;
}

}  // namespace tidemark
