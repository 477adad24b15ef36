/// Folders that a program went through file by file, like archivers, copiers and search tools.
#pragma once

#include "analyzer/load/file_use.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>

namespace tidemark::analyzer {

/// Recognised by the many kinds of files read from one folder: a program's other input, beside its
/// weights, is of few kinds.
class WalkedFolders {
 public:
  /// `files` stay borrowed.
  explicit WalkedFolders(std::span<const FileUse> files);
  /// True for a file that is a small part of what was read below one of the folders around it.
  [[nodiscard]] bool hold_in_passing(const FileUse& file) const;

 private:
  struct Folder {
    std::size_t files = 0;
    std::uint64_t bytes = 0;
    std::set<std::string_view> endings;  ///< No more of them than make it a walk.
  };
  [[nodiscard]] static bool is_walked(const Folder& folder);

  std::map<std::string_view, Folder> folders_;
};

}  // namespace tidemark::analyzer
