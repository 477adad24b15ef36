#include "gui/view/basics/toolbar_rows.hpp"

#include "tests/support/catch.hpp"

#include <string>

using namespace tidemark;
using gui::ToolbarItem;

namespace {

/// A text of 200 pixels, then a label with three switches: 40, 50, 50 and 50.
std::vector<ToolbarItem> text_and_switches() {
  return {{.width = 200, .begins_group = true},
          {.width = 40, .gap = 18, .begins_group = true},
          {.width = 50, .gap = 8},
          {.width = 50, .gap = 2},
          {.width = 50, .gap = 2}};
}

/// `|` before each item that begins a row: `|..|.`.
std::string rows(const std::vector<ToolbarItem>& items, double room) {
  std::string text;
  for (const bool begins_row : gui::toolbar_rows(items, room)) {
    text += begins_row ? "|." : ".";
  }
  return text;
}

}  // namespace

TEST_CASE("a toolbar has as many rows as its groups need", "[gui]") {
  const auto items = text_and_switches();
  CHECK(rows(items, 1000) == "|.....");
  CHECK(rows(items, 420) == "|.....");
  // The switches go down together, with what is said before them.
  CHECK(rows(items, 419) == "|.|....");
  CHECK(rows(items, 202) == "|.|....");
}

TEST_CASE("a group that no row has room for is cut where a row ends", "[gui]") {
  const auto items = text_and_switches();
  CHECK(rows(items, 201) == "|.|...|.");
  CHECK(rows(items, 100) == "|.|..|.|.");
  // What is wider than a row has one of its own.
  CHECK(rows(items, 10) == "|.|.|.|.|.");
  CHECK(rows({}, 10).empty());
}
