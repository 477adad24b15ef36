/// The popup that asks which picture to export, and to which file.
#pragma once

#include "gui/app/panes/desk.hpp"

#include <optional>
#include <string>

namespace tidemark::gui {

struct WantedPicture {
  std::string file;      ///< As typed, not checked.
  bool is_pane = false;  ///< The pane's picture, else the timeline's.
};

class ExportDialog {
 public:
  /// Into the current popup. @return what was chosen.
  std::optional<WantedPicture> show(const Desk& desk);

 private:
  std::string file_;
  std::string suggested_;  ///< Made from the names of the traces.
};

}  // namespace tidemark::gui
