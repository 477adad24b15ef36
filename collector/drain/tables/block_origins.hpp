/// Which bytes of which file are where in the large blocks of one process.
#pragma once

#include "collector/trace/types/event.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace tidemark {

/// A contiguous part of a block that holds contiguous bytes of a file.
struct FileExtent {
  std::uint64_t begin = 0;  ///< In the block.
  std::uint64_t bytes = 0;
  trace::FileId file{0};
  std::uint64_t offset = 0;  ///< In the file.
  std::uint64_t at_ns = 0;   ///< When the first of them came.

  [[nodiscard]] std::uint64_t end() const { return begin + bytes; }
  /// True if the distance between file and block is that of `other`: one may continue the other.
  [[nodiscard]] bool lies_as(const FileExtent& other) const {
    return file == other.file && offset - begin == other.offset - other.begin;
  }
};

/// The file content of one block.
class FileExtents {
 public:
  /// These bytes were written, replacing what was there.
  void put(const FileExtent& extent);
  /// Bytes that are not a file's were written.
  void wipe(std::uint64_t begin, std::uint64_t bytes);
  /// The extents in [begin, begin + bytes), trimmed to that, in order.
  [[nodiscard]] std::vector<FileExtent> in(std::uint64_t begin, std::uint64_t bytes) const;
  /// A copy, as if the block had never been longer than `bytes` bytes.
  [[nodiscard]] FileExtents first(std::uint64_t bytes) const;
  [[nodiscard]] std::vector<FileExtent> all() const { return in(0, ~std::uint64_t{0}); }
  /// Some extents replaced earlier ones; which ones, and when, is not kept.
  [[nodiscard]] bool is_reused() const { return is_reused_; }
  [[nodiscard]] std::size_t size() const { return by_begin_.size(); }

 private:
  void cut(std::uint64_t begin, std::uint64_t end);

  std::map<std::uint64_t, FileExtent> by_begin_;
  bool is_reused_ = false;
};

/// The file content of all blocks of a process that have any, by allocation.
class BlockOrigins {
 public:
  void put(trace::AllocationNumber allocation, const FileExtent& extent);
  void wipe(trace::AllocationNumber allocation, std::uint64_t begin, std::uint64_t bytes);
  /// Null: no file content. Borrowed until the next change.
  [[nodiscard]] const FileExtents* find(trace::AllocationNumber allocation) const;
  /// A realloc: the first `bytes` bytes of `to` are those of `from`.
  void move(trace::AllocationNumber from, trace::AllocationNumber to, std::uint64_t bytes);

  /// Removes those for which `is_gone(allocation, content)`.
  template <typename IsGone>
  void remove_if(const IsGone& is_gone) {
    std::erase_if(blocks_, [&](const auto& block) { return is_gone(block.first, block.second); });
  }
  [[nodiscard]] std::size_t size() const { return blocks_.size(); }

 private:
  /// At these limits, new content only wipes what was there: then content may be missing, but is
  /// never wrong.
  static constexpr std::size_t kMaxExtents = std::size_t{1} << 16;
  static constexpr std::size_t kMaxBlocks = std::size_t{1} << 19;

  std::unordered_map<trace::AllocationNumber, FileExtents> blocks_;
};

}  // namespace tidemark
