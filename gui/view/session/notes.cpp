#include "gui/view/session/notes.hpp"

#include "collector/trace/types/unfinished.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace tidemark::gui {
namespace {

using Json = nlohmann::json;

/// A line break would hide what is behind it.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

}  // namespace

std::string notes_path(const std::string& trace) {
  return trace::finished_name(trace) + ".notes";
}

void set_note(Notes& notes, std::uint64_t at_ns, const std::string& text) {
  const auto place = std::ranges::lower_bound(notes, at_ns, {}, &Note::at_ns);
  const bool is_there = place != notes.end() && place->at_ns == at_ns;
  if (text.empty()) {
    if (is_there) {
      notes.erase(place);
    }
  } else if (is_there) {
    place->text = one_line(text);
  } else {
    notes.insert(place, {at_ns, one_line(text)});
  }
}

const Note* note_near(const Notes& notes,
                      std::uint64_t at_ns,
                      std::uint64_t begin_ns,
                      std::uint64_t end_ns) {
  const auto distance = [at_ns](const Note& note) {
    return note.at_ns > at_ns ? note.at_ns - at_ns : at_ns - note.at_ns;
  };
  const Note* nearest = nullptr;
  for (const Note& note : notes) {
    const bool is_in_reach = note.at_ns >= begin_ns && note.at_ns <= end_ns;
    if (is_in_reach && (nearest == nullptr || distance(note) < distance(*nearest))) {
      nearest = &note;
    }
  }
  return nearest;
}

std::string notes_json(const Notes& notes) {
  Json list = Json::array();
  for (const Note& note : notes) {
    list.push_back({{"at_ns", note.at_ns}, {"text", note.text}});
  }
  const Json json{{"schema", 1}, {"notes", std::move(list)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<Notes> parse_notes(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  const bool has_list = json.is_object() && json.contains("notes") && json["notes"].is_array();
  if (!has_list) {
    return Error{ErrorCode::kUsage, "holds no notes of the window"};
  }
  Notes notes;
  for (const Json& entry : json["notes"]) {
    if (entry.is_object() && entry.contains("at_ns") && entry["at_ns"].is_number_unsigned() &&
        entry.contains("text") && entry["text"].is_string()) {
      set_note(notes, entry["at_ns"].get<std::uint64_t>(), entry["text"].get<std::string>());
    }
  }
  return notes;
}

}  // namespace tidemark::gui
