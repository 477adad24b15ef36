#include "gui/app/notes_book.hpp"

#include "analyzer/io/whole_file.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace tidemark::gui {

std::string NotesBook::read(const Session& session) {
  std::string trouble;
  for (std::size_t side = 0; side < session.size(); ++side) {
    std::string path = notes_path(session.trace(side).path());
    File& file = files_.at(side);
    if (file.path == path) {
      continue;
    }
    file = {.path = std::move(path), .trouble = {}, .has_unsaved = false};
    notes_.at(side).clear();
    load(side);
    trouble = file.trouble.empty() ? trouble : file.trouble;
  }
  return trouble;
}

void NotesBook::load(std::size_t side) {
  File& file = files_.at(side);
  file.trouble.clear();
  std::error_code error;
  if (!std::filesystem::exists(file.path, error) && !error) {
    return;
  }
  const auto text = analyzer::read_whole_file(file.path);
  if (!text.ok()) {
    file.trouble = text.error().message;
    return;
  }
  auto notes = parse_notes(text.value());
  if (notes.ok()) {
    notes_.at(side) = std::move(notes.value());
  } else {
    file.trouble = file.path + " " + notes.error().message + ", and is left as it is";
  }
}

std::string NotesBook::write(std::size_t side, std::uint64_t at_ns, const std::string& text) {
  File& file = files_.at(side);
  if (!file.has_unsaved) {
    load(side);
  }
  set_note(notes_.at(side), at_ns, text);
  std::string trouble = file.trouble;
  if (trouble.empty()) {
    const auto status = analyzer::write_whole_file(file.path, notes_json(notes_.at(side)));
    trouble = status.ok() ? "" : status.error().message;
  }
  file.has_unsaved = !trouble.empty();
  return trouble.empty() ? "" : "notes are kept only until the window is closed: " + trouble;
}

}  // namespace tidemark::gui
