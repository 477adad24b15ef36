#include "collector/drain/books/origin_book.hpp"

#include "collector/os/clocks.hpp"

#include <algorithm>
#include <ctime>
#include <vector>

namespace tidemark {
namespace {

constexpr std::uint64_t kLeastOriginPauseNs = 50'000'000;
constexpr std::uint64_t kOriginTimeParts = 100;

/// What lies at an address is known to be bytes of files: of mappings, or of blocks that hold such.
std::vector<FileExtent> extents_at(const Host& host, std::uint64_t address, std::uint64_t bytes) {
  const BlockPlace place = place_at(host, address);
  if (!place.is_known())
    return {};
  bytes = std::min(bytes, place.room);
  const Mapping* mapping = host.tables.mappings.find(address);
  if (mapping != nullptr && mapping->kind == Mapping::Kind::kFile &&
      mapping->allocation == place.allocation)
    return {{.begin = 0,
             .bytes = bytes,
             .file = trace::FileId{mapping->file},
             .offset = mapping->offset + (address - mapping->begin)}};
  const FileExtents* content = host.tables.origins.find(place.allocation);
  if (content == nullptr)
    return {};
  std::vector<FileExtent> extents = content->in(place.begin, bytes);
  for (FileExtent& extent : extents)
    extent.begin -= place.begin;
  return extents;
}

}  // namespace

BlockPlace place_at(const Host& host, std::uint64_t address) {
  // An allocator's own mappings hold heap blocks: those first.
  if (const auto block = host.tables.large.find(address))
    return {block->allocation, block->begin, address - block->begin,
            block->begin + block->size - address};
  const Mapping* mapping = host.tables.mappings.find(address);
  if (mapping == nullptr || !mapping->holds_allocation())
    return {};
  return {mapping->allocation, mapping->begin, address - mapping->begin, mapping->end - address};
}

void OriginBook::was_read(Host& host,
                          const BlockPlace& to,
                          trace::FileId file,
                          std::uint64_t offset,
                          std::uint64_t bytes) {
  if (!to.is_known())
    return;
  host.tables.origins.put(to.allocation, to.address,
                          {.begin = to.begin,
                           .bytes = std::min(bytes, to.room),
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
  bytes = std::min(bytes, to.room);
  const std::vector<FileExtent> extents = extents_at(host, from, bytes);
  std::uint64_t done = 0;
  for (const FileExtent& extent : extents) {
    was_written(host, {to.allocation, to.address, to.begin + done, to.room}, extent.begin - done);
    FileExtent copied = extent;
    copied.begin += to.begin;
    copied.at_ns = sink_.now_ns();
    host.tables.origins.put(to.allocation, to.address, copied);
    done = extent.end();
  }
  was_written(host, {to.allocation, to.address, to.begin + done, to.room}, bytes - done);
}

void OriginBook::was_written(Host& host, const BlockPlace& to, std::uint64_t bytes) {
  if (to.is_known() && bytes != 0)
    host.tables.origins.wipe(to.allocation, to.begin, std::min(bytes, to.room));
}

void OriginBook::was_mapped(const Mapping& mapping) {
  sink_.writer().add_origin({.allocation = mapping.allocation,
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
  host.tables.origins.remove_if(
      [&](trace::AllocationNumber allocation, const BlockOrigins::Block& block) {
        const bool is_gone = place_at(host, block.address).allocation != allocation;
        if (is_gone)
          tell(allocation, block.content);
        return is_gone;
      });
  const std::uint64_t cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  host.tables.next_origin_look_ns =
      now_ns + std::max(kLeastOriginPauseNs, kOriginTimeParts * cost_ns);
}

void OriginBook::end(Host& host) {
  host.tables.origins.remove_if(
      [&](trace::AllocationNumber allocation, const BlockOrigins::Block& block) {
        tell(allocation, block.content);
        return true;
      });
}

void OriginBook::tell(trace::AllocationNumber allocation, const FileExtents& content) {
  if (content.is_reused())
    return;
  for (const FileExtent& extent : content.all())
    sink_.writer().add_origin({.allocation = allocation,
                               .begin = extent.begin,
                               .file = extent.file,
                               .offset = extent.offset,
                               .bytes = extent.bytes,
                               .at_ns = extent.at_ns});
}

}  // namespace tidemark
