/// The notes of the traces that are open, in their files.
#pragma once

#include "gui/view/session/notes.hpp"
#include "gui/view/session/session.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tidemark::gui {

class NotesBook {
 public:
  /// Reads those of traces that it has not seen yet. @return what is wrong with a file, in one
  /// sentence; empty: nothing.
  std::string read(const Session& session);
  [[nodiscard]] const std::array<Notes, 2>& all() const { return notes_; }

  /// See set_note; and into the file at once, with what another window has written there meanwhile.
  /// @return one sentence where it cannot be kept there: then the window has it until it is closed.
  std::string write(std::size_t side, std::uint64_t at_ns, const std::string& text);

 private:
  struct File {
    std::string path;
    std::string trouble;       ///< What is there is something else, and stays untouched.
    bool has_unsaved = false;  ///< The last note is in the window alone.
  };
  void load(std::size_t side);

  std::array<File, 2> files_;
  std::array<Notes, 2> notes_;
};

}  // namespace tidemark::gui
