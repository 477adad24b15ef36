/// The notes that a person has written on a trace, each at an instant.
#pragma once

#include "collector/trace/types/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::gui {

struct Note {
  std::uint64_t at_ns = 0;
  std::string text;  ///< One line, never empty.

  bool operator==(const Note&) const = default;
};

/// In order of time, no two at one instant.
using Notes = std::vector<Note>;

/// The file with a trace's notes, beside the trace. For an unfinished recording it is already the
/// file of the finished trace.
std::string notes_path(const std::string& trace);

/// Sets, replaces or, if `text` is empty, removes the note at the instant.
void set_note(Notes& notes, std::uint64_t at_ns, const std::string& text);

/// The note in [begin_ns, end_ns] nearest to `at_ns`; null if there is none.
const Note* note_near(const Notes& notes,
                      std::uint64_t at_ns,
                      std::uint64_t begin_ns,
                      std::uint64_t end_ns);

/// JSON, schema 1.
std::string notes_json(const Notes& notes);
/// @return kUsage if the text is no such JSON; the message goes after the file's name.
Result<Notes> parse_notes(const std::string& text);

}  // namespace tidemark::gui
