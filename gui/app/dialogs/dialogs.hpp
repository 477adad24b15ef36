/// What pops up over the window: one dialog at a time.
#pragma once

#include "gui/app/dialogs/export_dialog.hpp"
#include "gui/app/dialogs/find_dialog.hpp"
#include "gui/app/dialogs/note_dialog.hpp"
#include "gui/app/dialogs/open_dialog.hpp"
#include "gui/app/panes/desk.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::gui {

enum class Dialog : std::uint8_t { kOpen, kExport, kFind, kNote, kKeys };

/// What was chosen in the open dialog in this frame; mostly nothing.
struct DialogChoice {
  std::optional<std::vector<std::string>> traces;  ///< To open: one, or before and after.
  std::optional<WantedPicture> picture;
  std::optional<Place> place;
  std::optional<WrittenNote> note;
};

/// Call all functions in the same ImGui window, outside of its children.
class Dialogs {
 public:
  /// Not for kNote: see open_note.
  void open(Dialog dialog);
  /// `pointed_at`: see NoteDialog.
  void open_note(const Desk& desk, std::optional<double> pointed_at);
  /// Whether letters are for a dialog, even before its field has the focus.
  [[nodiscard]] static bool takes_letters();
  /// Closes the open dialog after one more frame. @return false if none is open.
  bool close();
  /// `recent`: see OpenDialog. `top`: where the bar with the buttons ends.
  DialogChoice show(const Desk& desk, const std::vector<std::string>& recent, float top);

 private:
  OpenDialog open_dialog_;
  ExportDialog export_dialog_;
  FindDialog find_dialog_;
  NoteDialog note_dialog_;
  bool is_closing_ = false;
};

}  // namespace tidemark::gui
