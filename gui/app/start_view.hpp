/// What the window shows before anything is open.
#pragma once

#include "gui/app/dialogs/open_dialog.hpp"
#include "gui/app/platform/fonts.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {

class StartView {
 public:
  explicit StartView(bool dark) : dark_(dark) {}

  void show(const Fonts& fonts, const picture::Type& type, const std::vector<std::string>& recent);
  /// What went wrong, in one sentence.
  void say(std::string message) { message_ = std::move(message); }
  std::optional<std::vector<std::string>> take_wanted() { return std::exchange(wanted_, {}); }

 private:
  bool dark_;
  OpenDialog dialog_;
  std::string message_;
  std::optional<std::vector<std::string>> wanted_;
};

}  // namespace tidemark::gui
