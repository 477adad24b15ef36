#include "analyzer/text/shown_text.hpp"

#include "analyzer/text/text_style.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace tidemark;
using analyzer::is_shown_as_it_is;
using analyzer::shown_text;

TEST_CASE("text that only shows itself stays", "[text]") {
  for (const std::string text :
       {"", "plain", "a_b|c<d>&`", "\xc3\xa9\xc3\x9f", "\xe6\xa8\xa1\xe5\x9e\x8b",
        "\xf0\x9f\xa6\x8a", "\xc2\xa0", "\xef\xbb\xbf", "\xf4\x8f\xbf\xbd", "\xed\x9f\xbf"}) {
    CAPTURE(text);
    CHECK(shown_text(text) == text);
    CHECK(is_shown_as_it_is(text));
  }
}

TEST_CASE("a question mark stands for a character that does more than show itself", "[text]") {
  const std::string character =
      GENERATE(as<std::string>(), "\n", "\r", "\t", "\x1b", "\x07", "\x7f", "\xc2\x80", "\xc2\x85",
               "\xc2\x9b", "\xc2\x9f", "\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8",
               "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9",
               "\xef\xbf\xbe", "\xef\xbf\xbf", "\xf0\x9f\xbf\xbf", "\xef\xb7\x90");
  CAPTURE(character);

  CHECK(shown_text("a" + character + "b") == "a?b");
  CHECK_FALSE(is_shown_as_it_is(character));
}

TEST_CASE("a zero byte is a control character", "[text]") {
  CHECK(shown_text(std::string_view("a\0b", 3)) == "a?b");
}

TEST_CASE("a question mark stands for each byte that is no UTF-8", "[text]") {
  CHECK(shown_text("\xff\xfe") == "??");
  CHECK(shown_text("\x80z") == "?z");
  CHECK(shown_text("\xc3") == "?");
  CHECK(shown_text("\xe2\x82z") == "??z");
  CHECK(shown_text("\xc0\x80") == "??");  // Two bytes for what takes one.
  CHECK(shown_text("\xe0\x80\xaf") == "???");
  CHECK(shown_text("\xed\xa0\x80") == "???");       // Half of a pair.
  CHECK(shown_text("\xf4\x90\x80\x80") == "????");  // Beyond the last one.
  CHECK(shown_text("\xf0\x80\x80\xa0") == "????");
}

TEST_CASE("without UTF-8 a question mark stands for each character", "[text]") {
  CHECK(analyzer::printable({.utf8 = false}, "a\xc3\xa9\xe6\xa8\xa1\x1b") == "a???");
  CHECK(analyzer::printable({.utf8 = true}, "a\xc3\xa9\x1b") == "a\xc3\xa9?");
}

TEST_CASE("a trace that is opened holds shown text alone, and the paths to look up", "[text]") {
  tests::TraceBuilder trace;
  trace.session.command = {"a\x1b"};
  static_cast<void>(trace.file("/f\n", 1));
  static_cast<void>(trace.writer().add_module({.path = "/m\x1b", .build_id = "", .base = 0}));
  trace.begin_phase("p\x7f");
  trace.allocate(1, trace.stack({"function\x07"}));
  const auto loaded = trace.open();

  const auto& tables = loaded.definitions();
  CHECK(tables.session.command.front() == "a?");
  CHECK(tables.files.front().path == "/f?");
  CHECK(tables.modules.back().path == "/m?");
  CHECK(loaded.recorded_modules().back().path == "/m\x1b");
  CHECK(tables.names.back() == "p?");
  CHECK(tables.locations.front().front().function == "function?");
}
