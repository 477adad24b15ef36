/// What a folder has for somebody who wants to open a trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

struct FolderEntry {
  std::string name;
  bool is_folder = false;
  std::optional<std::uintmax_t>
      bytes{};  ///< Size of a trace; none: unknown, as of a dangling link.

  bool operator==(const FolderEntry&) const = default;
};

struct FolderListing {
  std::vector<FolderEntry> entries;  ///< Traces, then folders, each by name; no hidden ones.
  std::string error;                 ///< One sentence, if the folder cannot be read to its end.
};

FolderListing list_folder(const std::filesystem::path& folder);

}  // namespace tidemark::gui
