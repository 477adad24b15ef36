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
  /// Writes a picture of the timeline; for the pane's, only makes the wish. @return success or
  /// trouble, once known.
  std::optional<Message> begin(const Desk& desk,
                               TimelinePane& timeline,
                               const WantedPicture& wanted);
  /// After a frame has drawn the pane: writes the picture wished for. @return the message; none if
  /// there was no wish.
  std::optional<Message> end();

 private:
  PaneWish pane_wish_;
  std::string pane_file_;
};

}  // namespace tidemark::gui
