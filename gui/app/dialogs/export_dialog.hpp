/// The popup that asks which picture is to be exported, and as what.
#pragma once

#include "gui/app/panes/desk.hpp"

#include <optional>
#include <string>

namespace tidemark::gui {

struct WantedPicture {
  std::string file;      ///< As it was typed: whether it can be one is not known.
  bool is_pane = false;  ///< Of the pane below, else of the timeline.
};

class ExportDialog {
 public:
  /// Into the current popup. @return what was chosen.
  std::optional<WantedPicture> show(const Desk& desk);

 private:
  std::string file_;
  std::string suggested_;  ///< By the names of the traces.
};

}  // namespace tidemark::gui
