/// What a person has written beside a trace, each note at an instant.
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

/// Where the notes of a trace are kept: beside it. Those of a recording that is not finished are
/// where those of the finished one will be.
std::string notes_path(const std::string& trace);

/// A note at the instant, in the place of one that is there; empty text: none.
void set_note(Notes& notes, std::uint64_t at_ns, const std::string& text);

/// The nearest that lies in [begin_ns, end_ns]; null: there is none.
const Note* note_near(const Notes& notes,
                      std::uint64_t at_ns,
                      std::uint64_t begin_ns,
                      std::uint64_t end_ns);

/// JSON, schema 1.
std::string notes_json(const Notes& notes);
/// @return kUsage, in words that a file's name goes before, for what is no such JSON.
Result<Notes> parse_notes(const std::string& text);

}  // namespace tidemark::gui
