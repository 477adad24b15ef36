/// Arbitrary bytes as a trace: the reader must survive them, and keep what its consumers rely on.
#include "collector/trace/reader.hpp"
#include "tests/fuzz/right_checksums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace tidemark::trace {
namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

/// Sums of a few such numbers do not wrap.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 48U;

/// What the tables say of files and processes by their ids; allocations are looked up by all.
void check_values(const Definitions& tables) {
  const auto is_file = [&tables](FileId id) { return index(id) < tables.files.size(); };
  for (const Tensor& tensor : tables.tensors) {
    require(is_file(tensor.file) && tensor.shape.size() <= Tensor::kMaxDimensions);
    require(tensor.elements != 0 && tensor.elements <= kMaxBytes && tensor.bytes <= kMaxBytes);
  }
  for (const Look& look : tables.looks)
    require(look.bytes <= kMaxBytes);
  for (const Origin& origin : tables.origins) {
    require(is_file(origin.file) && origin.bytes != 0 && origin.bytes <= kMaxBytes);
    require(origin.begin <= kMaxBytes && origin.offset <= kMaxBytes);
  }
  for (const ValueMatch& match : tables.matches)
    require(is_file(match.file) && match.begin <= kMaxBytes);
  for (const PackedMatch& packed : tables.packed)
    require(is_file(packed.file));
  for (const HeapLook& look : tables.heap_looks) {
    require(index(look.process) < tables.processes.size());
    require(look.bytes <= kMaxBytes && look.blocks <= kMaxBytes);
  }
  for (const Joined& joined : tables.joined) {
    require(joined.begin <= kMaxBytes && joined.rows != 0);
    require(joined.bytes != 0 && joined.bytes <= kMaxBytes);
  }
}

/// Every table is named, so that one more does not compile without a word on its ids.
void check_definitions(const Definitions& definitions) {
  const auto& [names, processes, threads, modules, frames, stacks, locations, files, tensors, looks,
               origins, matches, mismatches, packed, heap_looks, alike, joined, session] =
      definitions;
  require(!names.empty() && !modules.empty() && !stacks.empty());
  require(locations.size() <= frames.size());
  for (std::size_t i = 1; i < stacks.size(); ++i) {
    require(index(stacks[i].parent) < i);
    require(index(stacks[i].frame) < frames.size());
  }
  for (const auto& frame : frames)
    require(index(frame.module) < modules.size());
  for (const auto& thread : threads)
    require(index(thread.process) < processes.size());
  for (std::size_t i = 0; i < processes.size(); ++i)
    require(processes[i].parent == Process::kNoParent || processes[i].parent < i);
  check_values(definitions);
}

void check_extra(const Event& event, const Definitions& tables) {
  switch (event.kind) {
    case EventKind::kOpen:
    case EventKind::kClose:
    case EventKind::kRead:
      return require(event.extra < tables.files.size());
    case EventKind::kAllocate:
      return require(event.lane != Lane::kFile || event.extra < tables.files.size());
    case EventKind::kPhaseBegin:
    case EventKind::kPhaseEnd:
    case EventKind::kLoad:
    case EventKind::kUnload:
      return require(event.extra < tables.names.size());
    case EventKind::kProcessBegin:
    case EventKind::kProcessEnd:
      return require(event.extra < tables.processes.size());
    default:
      return;
  }
}

/// Consumers index tables by these ids without looking.
void check_event(const Event& event, const Definitions& tables) {
  require(static_cast<std::size_t>(event.kind) < kEventKindCount);
  require(static_cast<std::size_t>(event.lane) < kLaneCount);
  require(index(event.thread) < tables.threads.size());
  require(index(event.stack) < tables.stacks.size());
  check_extra(event, tables);
}

void check_digest(const BlockDigest& digest,
                  const BlockSummary& summary,
                  const Definitions& definitions) {
  for (const auto& release : digest.releases)
    require(release.allocation < summary.first_allocation);
  for (const auto& survivor : digest.survivors) {
    require(survivor.allocation - summary.first_allocation < summary.event_count);
    require(index(survivor.stack) < definitions.stacks.size());
    require(index(survivor.thread) < definitions.threads.size());
  }
}

void check_events(TraceReader& reader) {
  std::vector<Event> events;
  const auto parts = reader.block_reader();
  std::uint64_t next_allocation = 0;
  std::uint64_t last_ns = 0;
  for (std::size_t block = 0; block < reader.blocks().size(); ++block) {
    const auto& summary = reader.blocks()[block];
    require(summary.begin_ns >= last_ns && summary.first_allocation >= next_allocation);
    last_ns = summary.begin_ns;
    next_allocation = summary.first_allocation;
    BlockDigest digest;
    if (reader.digest(block, digest))
      check_digest(digest, summary, reader.definitions());
    const bool is_intact = reader.decode(block, events);
    parts->enter(block);
    require(parts->decode_parts([](std::span<const Event>) {}) == is_intact);
    if (!is_intact)
      continue;
    require(events.size() == summary.event_count);
    for (const auto& event : events) {
      check_event(event, reader.definitions());
      require(event.at_ns >= last_ns);
      last_ns = event.at_ns;
      if (event.kind == EventKind::kRelease || event.kind == EventKind::kReleasePart)
        require(event.allocation < next_allocation);
      if (is_allocation(event.kind))
        require(event.allocation == next_allocation++);
      require(event.kind != EventKind::kReallocate || event.released < event.allocation);
    }
    require(last_ns == summary.end_ns);
  }
}

void read_all(std::span<const std::uint8_t> bytes) {
  auto reader = TraceReader::open(std::as_bytes(bytes));
  if (!reader.ok())
    return;
  check_definitions(reader.value().definitions());
  for (const auto& sample : reader.value().samples())
    require(index(sample.process) < reader.value().definitions().processes.size());
  check_events(reader.value());
}

}  // namespace
}  // namespace tidemark::trace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(data, size);
  tidemark::trace::read_all(bytes);
  tidemark::trace::read_all(tidemark::trace::with_right_checksums(bytes));
  return 0;
}
