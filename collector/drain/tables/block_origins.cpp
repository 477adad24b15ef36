#include "collector/drain/tables/block_origins.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tidemark {
namespace {

/// The part of `extent` in [begin, end).
FileExtent part_of(const FileExtent& extent, std::uint64_t begin, std::uint64_t end) {
  FileExtent part = extent;
  part.begin = std::max(extent.begin, begin);
  part.bytes = std::min(extent.end(), end) - part.begin;
  part.offset += part.begin - extent.begin;
  return part;
}

}  // namespace

/// Removes [begin, end).
void FileExtents::cut(std::uint64_t begin, std::uint64_t end) {
  auto at = by_begin_.upper_bound(begin);
  if (at != by_begin_.begin() && std::prev(at)->second.end() > begin)
    --at;
  while (at != by_begin_.end() && at->first < end) {
    const FileExtent old = at->second;
    at = by_begin_.erase(at);
    if (old.begin < begin)
      by_begin_[old.begin] = part_of(old, old.begin, begin);
    if (old.end() > end)
      by_begin_[end] = part_of(old, end, old.end());
  }
}

void FileExtents::put(const FileExtent& extent) {
  const std::vector<FileExtent> before = in(extent.begin, extent.bytes);
  is_reused_ = is_reused_ || !std::ranges::all_of(before, [&](const FileExtent& old) {
                 return old.lies_as(extent);
               });
  FileExtent joined = extent;
  for (const FileExtent& old : before)
    joined.at_ns = std::min(joined.at_ns, old.at_ns);
  cut(extent.begin, extent.end());
  auto after = by_begin_.lower_bound(extent.begin);
  if (after != by_begin_.end() && after->first == joined.end() && after->second.lies_as(joined)) {
    joined.bytes += after->second.bytes;
    joined.at_ns = std::min(joined.at_ns, after->second.at_ns);
    after = by_begin_.erase(after);
  }
  if (after != by_begin_.begin()) {
    FileExtent& left = std::prev(after)->second;
    if (left.end() == joined.begin && left.lies_as(joined)) {
      left.bytes += joined.bytes;
      left.at_ns = std::min(left.at_ns, joined.at_ns);
      return;
    }
  }
  by_begin_.emplace_hint(after, joined.begin, joined);
}

void FileExtents::wipe(std::uint64_t begin, std::uint64_t bytes) {
  is_reused_ = is_reused_ || !in(begin, bytes).empty();
  cut(begin, begin + bytes);
}

std::vector<FileExtent> FileExtents::in(std::uint64_t begin, std::uint64_t bytes) const {
  const std::uint64_t end = begin + bytes;
  std::vector<FileExtent> found;
  auto at = by_begin_.upper_bound(begin);
  if (at != by_begin_.begin() && std::prev(at)->second.end() > begin)
    --at;
  for (; at != by_begin_.end() && at->first < end; ++at)
    found.push_back(part_of(at->second, begin, end));
  return found;
}

FileExtents FileExtents::first(std::uint64_t bytes) const {
  FileExtents part;
  for (const FileExtent& extent : in(0, bytes))
    part.by_begin_[extent.begin] = extent;
  part.is_reused_ = is_reused_;
  return part;
}

void BlockOrigins::put(trace::AllocationNumber allocation, const FileExtent& extent) {
  if (extent.bytes == 0 || (blocks_.size() >= kMaxBlocks && !blocks_.contains(allocation)))
    return;
  FileExtents& content = blocks_[allocation];
  if (content.size() < kMaxExtents)
    content.put(extent);
  else
    content.wipe(extent.begin, extent.bytes);
}

void BlockOrigins::wipe(trace::AllocationNumber allocation,
                        std::uint64_t begin,
                        std::uint64_t bytes) {
  if (const auto block = blocks_.find(allocation); block != blocks_.end())
    block->second.wipe(begin, bytes);
}

const FileExtents* BlockOrigins::find(trace::AllocationNumber allocation) const {
  const auto block = blocks_.find(allocation);
  return block != blocks_.end() ? &block->second : nullptr;
}

void BlockOrigins::move(trace::AllocationNumber from,
                        trace::AllocationNumber to,
                        std::uint64_t bytes) {
  const FileExtents* content = find(from);
  if (content == nullptr || blocks_.size() >= kMaxBlocks)
    return;
  FileExtents kept = content->first(bytes);
  blocks_.insert_or_assign(to, std::move(kept));
}

}  // namespace tidemark
