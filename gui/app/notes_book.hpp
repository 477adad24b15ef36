/// The notes of the open traces, and their files.
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
  /// Reads the notes of traces not seen yet. @return one sentence on what is wrong with a file;
  /// empty: nothing.
  std::string read(const Session& session);
  [[nodiscard]] const std::array<Notes, 2>& all() const { return notes_; }

  /// Does set_note and writes the file at once, keeping what other windows have written meanwhile.
  /// @return one sentence if the file cannot be written: the note then lasts as long as the window.
  std::string write(std::size_t side, std::uint64_t at_ns, const std::string& text);

 private:
  struct File {
    std::string path;
    std::string trouble;       ///< Set if the file cannot be read as notes: it is left alone.
    bool has_unsaved = false;  ///< The last note is in the window alone.
  };
  void load(std::size_t side);

  std::array<File, 2> files_;
  std::array<Notes, 2> notes_;
};

}  // namespace tidemark::gui
