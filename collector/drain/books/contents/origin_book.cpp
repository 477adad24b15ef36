#include "collector/drain/books/contents/origin_book.hpp"

#include "collector/os/clocks.hpp"

#include <algorithm>
#include <ctime>
#include <unordered_set>
#include <vector>

namespace tidemark {
namespace {

constexpr std::uint64_t kMinOriginPauseNs = 50'000'000;
constexpr std::uint64_t kOriginTimeParts = 100;

/// What of a range is known to be bytes of files: of mappings, or of blocks that hold such. Their
/// `begin` is in the range.
std::vector<FileExtent> extents_at(const Host& host, std::uint64_t address, std::uint64_t bytes) {
  std::vector<FileExtent> extents;
  std::uint64_t done = 0;
  while (done < bytes) {
    const BlockPlace place = place_at(host, address + done);
    if (!place.is_known())
      break;
    const std::uint64_t here = std::min(bytes - done, place.bytes_left);
    const Mapping* mapping = host.tables.mappings.find(address + done);
    if (mapping != nullptr && mapping->kind == Mapping::Kind::kFile &&
        mapping->allocation == place.allocation) {
      extents.push_back({.begin = done,
                         .bytes = here,
                         .file = trace::FileId{mapping->file},
                         .offset = mapping->offset + (address + done - mapping->begin)});
    } else if (const FileExtents* content = host.tables.origins.find(place.allocation)) {
      for (FileExtent extent : content->in(place.begin, here)) {
        extent.begin = extent.begin - place.begin + done;
        extents.push_back(extent);
      }
    }
    done += here;
  }
  return extents;
}

/// Also those that are held aside between two records of a call.
std::unordered_set<trace::AllocationNumber> living_blocks(const Host& host) {
  std::unordered_set<trace::AllocationNumber> alive;
  host.tables.large.visit_all(
      [&](std::uint64_t, const LargeBlocks::Block& block) { alive.insert(block.allocation); });
  for (const auto& [begin, mapping] : host.tables.mappings.all())
    alive.insert(mapping.allocation);
  for (const auto& [thread, call] : host.tables.pending) {
    if (call.block)
      alive.insert(call.block->allocation);
    for (const Mapping& mapping : call.moving)
      alive.insert(mapping.allocation);
  }
  return alive;
}

}  // namespace

BlockPlace place_at(const Host& host, std::uint64_t address) {
  // An allocator's own mappings hold heap blocks: those first.
  if (const auto block = host.tables.large.find(address))
    return {block->allocation, address - block->begin, block->begin + block->size - address};
  const Mapping* mapping = host.tables.mappings.find(address);
  if (mapping == nullptr || !mapping->holds_allocation())
    return {};
  return {mapping->allocation, address - mapping->base, mapping->end - address};
}

PlacedBytes part_at(const Host& host, std::uint64_t address, std::uint64_t bytes) {
  BlockPlace place = place_at(host, address);
  if (!place.is_known())
    return {place, bytes};
  while (place.bytes_left < bytes) {
    const BlockPlace next = place_at(host, address + place.bytes_left);
    if (next.allocation != place.allocation || next.begin != place.begin + place.bytes_left)
      break;
    place.bytes_left += next.bytes_left;
  }
  return {place, std::min(bytes, place.bytes_left)};
}

void OriginBook::was_read(Host& host,
                          const BlockPlace& to,
                          trace::FileId file,
                          std::uint64_t offset,
                          std::uint64_t bytes) {
  if (!to.is_known())
    return;
  host.tables.origins.put(to.allocation, {.begin = to.begin,
                                          .bytes = std::min(bytes, to.bytes_left),
                                          .file = file,
                                          .offset = offset,
                                          .at_ns = sink_.now_ns()});
}

void OriginBook::was_copied(Host& host,
                            const BlockPlace& to,
                            std::uint64_t from,
                            std::uint64_t bytes) {
  if (!to.is_known())
    return;
  bytes = std::min(bytes, to.bytes_left);
  std::uint64_t done = 0;
  for (const FileExtent& extent : extents_at(host, from, bytes)) {
    was_written(host, to.further(done), extent.begin - done);
    FileExtent copied = extent;
    copied.begin += to.begin;
    copied.at_ns = sink_.now_ns();
    host.tables.origins.put(to.allocation, copied);
    done = extent.end();
  }
  was_written(host, to.further(done), bytes - done);
}

void OriginBook::was_written(Host& host, const BlockPlace& to, std::uint64_t bytes) {
  if (to.is_known() && bytes != 0)
    host.tables.origins.wipe(to.allocation, to.begin, std::min(bytes, to.bytes_left));
}

void OriginBook::was_mapped(const Mapping& mapping) {
  tell({.allocation = mapping.allocation,
        .begin = 0,
        .file = trace::FileId{mapping.file},
        .offset = mapping.offset,
        .bytes = mapping.bytes(),
        .at_ns = sink_.now_ns()});
}

void OriginBook::look(Host& host) {
  const std::uint64_t now_ns = sink_.now_ns();
  if (host.tables.origins.size() == 0 || now_ns < host.tables.next_origin_look_ns)
    return;
  const std::uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  const auto alive = living_blocks(host);
  host.tables.origins.remove_if(
      [&](trace::AllocationNumber allocation, const FileExtents& content) {
        const bool is_gone = !alive.contains(allocation);
        if (is_gone)
          tell(allocation, content);
        return is_gone;
      });
  const std::uint64_t cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  host.tables.next_origin_look_ns =
      now_ns + std::max(kMinOriginPauseNs, kOriginTimeParts * cost_ns);
}

void OriginBook::end(Host& host) {
  host.tables.origins.remove_if(
      [&](trace::AllocationNumber allocation, const FileExtents& content) {
        tell(allocation, content);
        return true;
      });
}

void OriginBook::tell(trace::AllocationNumber allocation, const FileExtents& content) {
  if (content.is_reused())
    return;
  for (const FileExtent& extent : content.all()) {
    tell({.allocation = allocation,
          .begin = extent.begin,
          .file = extent.file,
          .offset = extent.offset,
          .bytes = extent.bytes,
          .at_ns = extent.at_ns});
  }
}

void OriginBook::tell(const trace::Origin& origin) {
  if (told_ == kMaxTold)
    return;
  ++told_;
  sink_.writer().add_origin(origin);
}

}  // namespace tidemark
