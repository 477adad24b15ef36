/// Parts of the window as pictures in files.
#pragma once

#include "gui/app/dialogs/export_dialog.hpp"
#include "gui/app/panes/desk.hpp"
#include "gui/app/panes/timeline/timeline_pane.hpp"
#include "gui/app/steering/message.hpp"

#include <optional>
#include <string>

namespace tidemark::gui {

class PictureExport {
 public:
  /// Where a pane leaves its picture: see Desk.
  [[nodiscard]] PaneWish& pane_wish() { return pane_wish_; }
  /// Writes a picture of the timeline; that of a pane is only wished for. @return what is said of
  /// it.
  std::optional<Message> begin(const Desk& desk,
                               TimelinePane& timeline,
                               const WantedPicture& wanted);
  /// Once a frame has drawn the pane: writes what was wished for. @return the same; none: nothing
  /// was.
  std::optional<Message> end();

 private:
  PaneWish pane_wish_;
  std::string pane_file_;
};

}  // namespace tidemark::gui
