/// The popup for writing a note.
#pragma once

#include "gui/app/panes/desk.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tidemark::gui {

struct WrittenNote {
  std::size_t side = 0;
  std::uint64_t at_ns = 0;
  std::string text;  ///< Empty: remove the note.
};

class NoteDialog {
 public:
  /// Starts a note on the chosen trace: at the chosen instant, else at `pointed_at` on the axis,
  /// else at the peak. If there is a note close by, edits that one.
  void begin(const Desk& desk, std::optional<double> pointed_at);
  /// Into the current popup. @return the note once it is confirmed.
  std::optional<WrittenNote> show(const Desk& desk);

 private:
  WrittenNote edited_;
};

}  // namespace tidemark::gui
