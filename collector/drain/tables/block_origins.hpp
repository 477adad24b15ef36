/// Which bytes of which file stand where in the large blocks of one process.
#pragma once

#include "collector/trace/types/event.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace tidemark {

/// Bytes of a block that are those of a file, one after the other.
struct FileExtent {
  std::uint64_t begin = 0;  ///< In the block.
  std::uint64_t bytes = 0;
  trace::FileId file{0};
  std::uint64_t offset = 0;  ///< In the file.
  std::uint64_t at_ns = 0;   ///< When the first of them came.

  [[nodiscard]] std::uint64_t end() const { return begin + bytes; }
  /// The file's bytes lie in the block as `other`'s do: one is the continuation of the other.
  [[nodiscard]] bool lies_as(const FileExtent& other) const {
    return file == other.file && offset - begin == other.offset - other.begin;
  }
};

/// What one block holds of files.
class FileExtents {
 public:
  /// These bytes have come, over whatever was there.
  void put(const FileExtent& extent);
  /// Other bytes have come.
  void wipe(std::uint64_t begin, std::uint64_t bytes);
  /// What stands in [begin, begin + bytes), trimmed to that, in order.
  [[nodiscard]] std::vector<FileExtent> in(std::uint64_t begin, std::uint64_t bytes) const;
  /// The same as if only the first `bytes` bytes of the block had ever been.
  [[nodiscard]] FileExtents first(std::uint64_t bytes) const;
  [[nodiscard]] std::vector<FileExtent> all() const { return in(0, ~std::uint64_t{0}); }
  /// It has held other bytes where it now holds these: at what time which, nobody has kept.
  [[nodiscard]] bool is_reused() const { return is_reused_; }
  [[nodiscard]] std::size_t size() const { return by_begin_.size(); }

 private:
  void cut(std::uint64_t begin, std::uint64_t end);

  std::map<std::uint64_t, FileExtent> by_begin_;
  bool is_reused_ = false;
};

/// The content of all blocks of a process that hold any, by allocation.
class BlockOrigins {
 public:
  void put(trace::AllocationNumber allocation, const FileExtent& extent);
  void wipe(trace::AllocationNumber allocation, std::uint64_t begin, std::uint64_t bytes);
  /// Null: nothing of a file. Borrowed until the next change.
  [[nodiscard]] const FileExtents* find(trace::AllocationNumber allocation) const;
  /// A block became another one: its first `bytes` bytes are the old one's.
  void move(trace::AllocationNumber from, trace::AllocationNumber to, std::uint64_t bytes);

  /// Removes those for which `is_gone(allocation, content)`.
  template <typename IsGone>
  void remove_if(const IsGone& is_gone) {
    std::erase_if(blocks_, [&](const auto& block) { return is_gone(block.first, block.second); });
  }
  [[nodiscard]] std::size_t size() const { return blocks_.size(); }

 private:
  /// From so many on, what comes is only taken for other bytes than were there: what is missing has
  /// no name, and never a wrong one.
  static constexpr std::size_t kMaxExtents = std::size_t{1} << 16;
  static constexpr std::size_t kMaxBlocks = std::size_t{1} << 19;

  std::unordered_map<trace::AllocationNumber, FileExtents> blocks_;
};

}  // namespace tidemark
