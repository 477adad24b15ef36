#include "gui/view/session/notes.hpp"

#include "gui/view/session/find_anything.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using gui::Note;
using gui::Notes;

TEST_CASE("notes are read back as they were, in order of time", "[gui]") {
  Notes notes;
  set_note(notes, 20, "the second \"copy\"");
  set_note(notes, 10, "read");
  set_note(notes, 20, "the copy");
  REQUIRE(notes == Notes{{10, "read"}, {20, "the copy"}});

  const auto again = gui::parse_notes(notes_json(notes));
  REQUIRE(again.ok());
  CHECK(again.value() == notes);

  set_note(notes, 10, "");
  set_note(notes, 11, "");
  CHECK(notes == Notes{{20, "the copy"}});
}

TEST_CASE("a note is one line, whatever was pasted", "[gui]") {
  Notes notes;
  set_note(notes, 1, "two\nlines\tand a tab");
  CHECK(notes.front().text == "two lines and a tab");
  set_note(notes, 2, "cut in a letter \xc3");
  CHECK(gui::parse_notes(notes_json(notes)).ok());
}

TEST_CASE("what holds no notes is told from a file without any", "[gui]") {
  CHECK_FALSE(gui::parse_notes("").ok());
  CHECK_FALSE(gui::parse_notes("TIDEMARK").ok());
  CHECK_FALSE(gui::parse_notes("[1]").ok());
  CHECK_FALSE(gui::parse_notes(R"({"notes": 7})").ok());
  CHECK(gui::parse_notes(R"({"notes": []})").value().empty());
  // What is no note among them is passed over.
  const auto some = gui::parse_notes(
      R"({"notes": [7, {"at_ns": -1, "text": "x"}, {"at_ns": 1}, {"at_ns": 5, "text": "y"}]})");
  CHECK(some.value() == Notes{{5, "y"}});
}

TEST_CASE("the nearest note within reach is found", "[gui]") {
  const Notes notes{{10, "a"}, {20, "b"}, {90, "c"}};
  CHECK(note_near(notes, 14, 5, 25)->text == "a");
  CHECK(note_near(notes, 16, 5, 25)->text == "b");
  CHECK(note_near(notes, 50, 30, 70) == nullptr);
}

TEST_CASE("notes lie beside the trace, while it is recorded and after", "[gui]") {
  CHECK(gui::notes_path("/d/load.tmk") == "/d/load.tmk.notes");
  CHECK(gui::notes_path("/d/load.tmk.incomplete") == "/d/load.tmk.notes");
}

TEST_CASE("a note is found by what it says", "[gui]") {
  const auto places = gui::places_of(Notes{{2'000'000, "the second copy"}}, 0);
  const auto found = gui::find_places(places, "copy", 5);
  REQUIRE(found.size() == 1);
  CHECK(std::string(gui::word_of(found[0]->kind)) == "note");
  CHECK(found[0]->span_ns->first == 2'000'000);
}
