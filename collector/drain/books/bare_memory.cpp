#include "collector/drain/books/bare_memory.hpp"

#include "collector/process/module_ends.hpp"
#include "collector/process/page_map.hpp"
#include "preload/wire/record.hpp"

#include <algorithm>
#include <utility>

namespace tidemark {
namespace {

/// Larger areas take too long to scan on older kernels.
constexpr std::uint64_t kMaxSearchedBytes = std::uint64_t{16} << 30U;
/// Largest guard area below a thread's stack: anything larger is something else.
constexpr std::uint64_t kMaxGuardBytes = std::uint64_t{1} << 20U;

bool may_be_bare(const MemoryArea& area) {
  return area.is_private && area.is_writable && area.name.empty() &&
         area.pages.bytes() >= kWorthABareMapping && area.pages.bytes() <= kMaxSearchedBytes;
}

/// Whether `guard` is an inaccessible area right below `area`.
bool is_guard_of(const MemoryArea& guard, const MemoryArea& area) {
  return guard.pages.end == area.pages.begin && guard.is_private && !guard.is_accessible &&
         guard.name.empty() && guard.pages.bytes() <= kMaxGuardBytes;
}

/// Bytes of private memory that are in no lane.
std::uint64_t unaccounted_bytes(const Host& host) {
  const std::uint64_t counted =
      host.totals()[trace::Lane::kHeap] + host.totals()[trace::Lane::kAnon];
  const std::uint64_t resident = host.sampling.last.rss_anon_bytes;
  return resident - std::min(resident, counted);
}

/// The whole pages that contain [address, address + bytes).
PageRange whole_pages(std::uint64_t address, std::uint64_t bytes) {
  return {address / wire::kPageBytes * wire::kPageBytes, wire::round_to_page(address + bytes)};
}

/// Recorded PROT_NONE ranges made accessible by a bare `syscall` instruction explain nothing.
void remove_recorded(PageRanges& pages, const Host& host, const PageRange& area) {
  for (const Mapping& mapping : host.tables.mappings.in(area.begin, area.end)) {
    if (mapping.kind != Mapping::Kind::kReserved)
      pages.remove({mapping.begin, mapping.end});
  }
  for (const PageRanges* gone : {&host.tables.areas.leaving, &host.tables.areas.freed}) {
    for (const PageRange& part : gone->in(area))
      pages.remove(part);
  }
}

void remove_file_data(PageRanges& pages, const std::vector<FileArea>& files) {
  for (const FileArea& file : files)
    pages.remove(file.pages);
}

void remove_own(PageRanges& pages, std::uint32_t slot, const wire::SessionMap& session) {
  const wire::ProcessSlot& process = session.process(slot);
  if (process.published.load() == 0)
    return;
  // A host may have overwritten these numbers: then part of its own memory is not found.
  constexpr std::uint64_t kMaxOwnBytes = std::uint64_t{4} << 20U;
  const auto remove = [&](std::uint64_t address, std::uint64_t bytes) {
    if (address != 0)
      pages.remove(whole_pages(address, std::min(bytes, kMaxOwnBytes)));
  };
  const std::uint64_t thread_bytes = process.thread_state_bytes;
  remove(process.state_address, process.state_bytes);
  remove(process.code_table_address.load(), process.code_table_bytes.load());
  const std::uint32_t rings = std::min(session.control().rings_used.load(), wire::kMaxRings);
  for (std::uint32_t i = 0; i < rings; ++i) {
    const wire::RingHeader& ring = session.ring(i);
    if (ring.owner.load(std::memory_order_relaxed) == slot + 1)
      remove(ring.state_address.load(std::memory_order_relaxed), thread_bytes);
  }
}

/// Removes large blocks that an allocator has given a mapping of their own.
/// @return whether other blocks are there, or were.
bool is_of_heap(PageRanges& pages, const HostTables& tables, const PageRange& area) {
  std::vector<std::uint64_t> known;
  const auto take_out = [&](std::uint64_t address, const LargeBlocks::Block& block) {
    if (block.is_window || !AddressTable::is_alone(address, block.size))
      return;
    pages.remove(whole_pages(address, block.size));
    known.push_back(address);
  };
  tables.large.visit_in(area.begin, area.end, take_out);
  return tables.heap.has_had_others_in(area.begin, area.end, known);
}

/// Searches by the list of areas and the records alone, without looking at pages.
class Search {
 public:
  Search(Host& host, const wire::SessionMap& session, const std::vector<MemoryArea>& areas)
      : host_(host), session_(session), areas_(areas) {}

  /// The parts of an area that may be bare memory, in pieces of at least kWorthABareMapping.
  std::vector<PageRange> pieces_of(std::size_t index) {
    const MemoryArea& area = areas_[index];
    if (!may_be_bare(area) || (index != 0 && is_guard_of(areas_[index - 1], area)))
      return {};
    PageRanges pages;
    pages.add(area.pages);
    remove_recorded(pages, host_, area.pages);
    if (pages.is_empty() || is_of_heap(pages, host_.tables, area.pages))
      return {};
    if (!std::exchange(are_files_known_, true)) {
      // A program may have written to its data before anything else of it was recorded.
      if (host_.process() != nullptr)
        learn_module_ends(host_.process()->pid(), areas_, host_.tables.module_ends);
      files_ = private_file_areas(areas_, host_.tables.module_ends);
    }
    remove_file_data(pages, files_);
    remove_own(pages, host_.slot(), session_);
    std::vector<PageRange> pieces = pages.all();
    std::erase_if(pieces,
                  [](const PageRange& piece) { return piece.bytes() < kWorthABareMapping; });
    return pieces;
  }

 private:
  Host& host_;
  const wire::SessionMap& session_;
  const std::vector<MemoryArea>& areas_;
  std::vector<FileArea> files_;
  bool are_files_known_ = false;
};

}  // namespace

PageRanges find_bare_memory(Host& host,
                            const wire::SessionMap& session,
                            const std::vector<MemoryArea>& areas) {
  // Requested but untouched memory hides part of the unaccounted memory.
  constexpr std::uint64_t kHiddenParts = 4;
  PageRanges found;
  const std::uint64_t unaccounted = unaccounted_bytes(host);
  if (unaccounted < kWorthABareMapping || host.is_forked() || host.process() == nullptr)
    return found;
  std::uint64_t left = unaccounted + unaccounted / kHiddenParts;
  Search search(host, session, areas);
  const PageMap map(host.process()->pid());
  for (std::size_t i = 0; i < areas.size(); ++i) {
    for (const PageRange& piece : search.pieces_of(i)) {
      const std::uint64_t bytes = map.present_bytes(piece.begin, piece.end);
      // A piece larger than the unaccounted memory must be something else.
      if (bytes < kWorthABareMapping || bytes > left)
        continue;
      left -= bytes;
      found.add(piece);
    }
  }
  return found;
}

PageRanges find_bare_memory_at(const PageRange& written,
                               Host& host,
                               const wire::SessionMap& session,
                               const std::vector<MemoryArea>& areas) {
  PageRanges found;
  if (host.is_forked())
    return found;
  const PageRange pages = whole_pages(written.begin, written.bytes());
  Search search(host, session, areas);
  for (std::size_t i = 0; i < areas.size(); ++i) {
    if (!areas[i].pages.overlaps(pages))
      continue;
    for (const PageRange& piece : search.pieces_of(i)) {
      const PageRange part{std::max(piece.begin, pages.begin), std::min(piece.end, pages.end)};
      if (part.begin < part.end)
        found.add(part);
    }
  }
  return found;
}

}  // namespace tidemark
