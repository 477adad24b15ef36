/// The popup in which a note is written.
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
  std::string text;  ///< Empty: there shall be none.
};

class NoteDialog {
 public:
  /// Of the chosen trace: at the instant that was clicked on, else at `pointed_at`, on the axis,
  /// else at the peak. Where there is a note close by, that one is changed.
  void begin(const Desk& desk, std::optional<double> pointed_at);
  /// Into the current popup. @return what shall be kept.
  std::optional<WrittenNote> show(const Desk& desk);

 private:
  WrittenNote edited_;
};

}  // namespace tidemark::gui
