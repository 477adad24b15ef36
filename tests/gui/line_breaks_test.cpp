#include "gui/view/basics/line_breaks.hpp"

#include "tests/support/catch.hpp"

using namespace tidemark;

TEST_CASE("lines end at spaces alone, never in a number", "[gui]") {
  const auto broken = [](const char* text, double room) {
    return gui::broken_at_spaces(
        text, room, [](const std::string& line) { return static_cast<double>(line.size()); });
  };
  CHECK(broken("Without: 89.4 MiB = 0.77 x W.", 29) == "Without: 89.4 MiB = 0.77 x W.");
  CHECK(broken("Without: 89.4 MiB = 0.77 x W.", 22) == "Without: 89.4 MiB =\n0.77 x W.");
  CHECK(broken("one two three four", 9) == "one two\nthree\nfour");
  // A number has its unit beside it.
  CHECK(broken("copied at 207 ms", 13) == "copied at\n207 ms");
  CHECK(broken("of 45.6 MiB, twice", 9) == "of\n45.6 MiB,\ntwice");
  CHECK(broken("it is 0.77 x W.", 12) == "it is\n0.77 x W.");
  CHECK(broken("in 3 s or 3 steps", 14) == "in 3 s or 3\nsteps");
  // Lines that there are stay, and so does a word that no line has room for.
  CHECK(broken("one\ntwo three", 9) == "one\ntwo three");
  CHECK(broken("a unbreakable word", 6) == "a\nunbreakable\nword");
  CHECK(broken("", 6).empty());
}
