/// A plain list of folders and traces to choose from.
#pragma once

#include "gui/view/basics/look.hpp"
#include "gui/view/files/folder_listing.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

class OpenDialog {
 public:
  /// Into the current ImGui window or popup. `recent`: opened before, the last one first.
  /// @return the traces that were chosen: one, or before and after.
  std::optional<std::vector<std::string>> show(const Look& look,
                                               const std::vector<std::string>& recent);

 private:
  void enter(const std::filesystem::path& folder);
  void entries();
  void offer(const std::string& text, const std::string& path);
  void choose(const std::string& path);

  std::filesystem::path folder_;
  FolderListing listing_;            // What is in `folder_`; its error may be another one's.
  std::vector<std::string> chosen_;  // At most two.
};

}  // namespace tidemark::gui
