#include "gui/view/files/folder_listing.hpp"

#include "collector/trace/types/unfinished.hpp"

#include <algorithm>
#include <system_error>
#include <tuple>

namespace tidemark::gui {
namespace {

namespace fs = std::filesystem;

bool is_trace(const std::string& name) {
  return trace::finished_name(name).ends_with(".tmk");
}

FolderEntry entry_of(const fs::directory_entry& found) {
  std::error_code error;
  FolderEntry entry{.name = found.path().filename().string(),
                    .is_folder = found.is_directory(error)};
  if (entry.is_folder) {
    return entry;
  }
  const std::uintmax_t bytes = found.file_size(error);
  if (!error) {
    entry.bytes = bytes;
  }
  return entry;
}

}  // namespace

FolderListing list_folder(const fs::path& folder) {
  FolderListing listing;
  std::error_code error;
  // Not a range-based loop: its increment throws, where a disk or a server fails in the middle.
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const FolderEntry entry = entry_of(*at);
    if (!entry.name.starts_with('.') && (entry.is_folder || is_trace(entry.name))) {
      listing.entries.push_back(entry);
    }
  }
  if (error) {
    listing.error = folder.string() + " cannot be read: " + error.message();
  }
  std::ranges::sort(listing.entries, [](const FolderEntry& a, const FolderEntry& b) {
    return std::tuple(a.is_folder, a.name) < std::tuple(b.is_folder, b.name);
  });
  return listing;
}

}  // namespace tidemark::gui
