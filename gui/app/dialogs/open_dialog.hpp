/// A plain list of folders and traces to choose from.
#pragma once

#include "gui/view/basics/look.hpp"

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
  struct Entry {
    std::string name;
    bool is_folder = false;
    std::uintmax_t bytes = 0;
  };
  void enter(const std::filesystem::path& folder);
  void entries();
  void offer(const std::string& text, const std::string& path);
  void choose(const std::string& path);

  std::filesystem::path folder_;
  std::vector<Entry> entries_;
  std::string error_;
  std::vector<std::string> chosen_;  // At most two.
};

}  // namespace tidemark::gui
