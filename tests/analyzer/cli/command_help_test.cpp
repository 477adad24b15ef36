// What the built `tidemark` says of itself, and how its text looks.
#include "tests/analyzer/cli/command_run.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>

using namespace tidemark;
using tests::check_refused;
using tests::contents_of;
using tests::tidemark_with;
using tests::TraceBuilder;

TEST_CASE("help and version answer on standard output", "[cli]") {
  for (const char* words : {"--help", "record --help", "report --help", "diff --help",
                            "compare --help", "explain --help", "marks --help", "--version", ""}) {
    CAPTURE(words);
    const auto answer = tidemark_with(words);
    CHECK(answer.status == 0);
    CHECK_FALSE(answer.out.empty());
    CHECK(answer.err.empty());
  }
}

TEST_CASE("the version says of which commit and build it is", "[cli]") {
  const auto version = tidemark_with("--version");
  CHECK_THAT(version.out, Catch::StartsWith("tidemark " TIDEMARK_VERSION " (") &&
                              Catch::Contains("++ ") && Catch::EndsWith(")\n"));
  CHECK(tidemark_with("-V").out == version.out);

  const auto commit = tests::run_command("git -C " TIDEMARK_SOURCE " rev-parse --short=12 HEAD");
  if (commit.status == 0) {  // Not in a copy without git.
    CHECK_THAT(version.out,
               Catch::Contains("(commit " + commit.out.substr(0, commit.out.find('\n'))));
  }
}

TEST_CASE("help VERB is VERB --help", "[cli]") {
  CHECK(tidemark_with("help").out == tidemark_with("--help").out);
  CHECK(tidemark_with("help record").out == tidemark_with("record --help").out);
  check_refused(tidemark_with("help repotr"), "did you mean 'report'?");
  check_refused(tidemark_with("help report diff"), "is one word too many");
}

TEST_CASE("colours are where --color, the environment or a terminal want them", "[cli]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  const std::string path = trace.finish();
  const tests::TemporaryFolder folder;
  const auto is_coloured = [](const std::string& text) {
    return text.find('\033') != std::string::npos;
  };
  const auto report = [&](const std::string& options, const std::string& variables) {
    return tidemark_with("report " + path + ' ' + options, "TERM=xterm " + variables).out;
  };
  const auto on_a_terminal = [&](const std::string& options, const std::string& variables) {
    return tests::run_command("script -qec 'env -u COLUMNS TERM=xterm " + variables +
                              " " TIDEMARK_COMMAND " report " + path + ' ' + options +
                              "' /dev/null")
        .out;
  };

  CHECK_FALSE(is_coloured(report("", "")));
  CHECK_FALSE(is_coloured(report("", "FORCE_COLOR=0 CLICOLOR_FORCE=0")));
  CHECK(is_coloured(report("", "FORCE_COLOR=1")));
  CHECK(is_coloured(report("", "CLICOLOR_FORCE=1")));
  CHECK_FALSE(is_coloured(report("", "FORCE_COLOR=1 NO_COLOR=1")));
  CHECK_FALSE(is_coloured(report("--color never", "FORCE_COLOR=1")));
  CHECK(is_coloured(report("--color always", "NO_COLOR=1")));
  CHECK(is_coloured(on_a_terminal("", "")));
  CHECK_FALSE(is_coloured(on_a_terminal("", "NO_COLOR=1")));
  CHECK_FALSE(is_coloured(on_a_terminal("--color never", "")));
  check_refused(tidemark_with("report " + path + " --color red"),
                "'red' is none of auto, always, never");

  // What a terminal wants is nothing to a file.
  const std::string file = folder.file("report.txt");
  static_cast<void>(on_a_terminal("-o " + file, ""));
  CHECK_THAT(tests::contents_of(file), Catch::Contains("peak 10.0 GiB"));
  CHECK_FALSE(is_coloured(tests::contents_of(file)));
  static_cast<void>(on_a_terminal("--color always -o " + file, ""));
  CHECK(is_coloured(tests::contents_of(file)));
}

TEST_CASE("COLUMNS says how wide text is, from 60 to 240", "[cli]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  const std::string path = trace.finish();
  // In a locale of one byte a character.
  const auto widest = [&](const std::string& columns) {
    std::istringstream lines(tests::run_command("env LC_ALL=C COLUMNS=" + columns +
                                                " " TIDEMARK_COMMAND " report " + path)
                                 .out);
    std::size_t width = 0;
    for (std::string line; std::getline(lines, line);) {
      width = std::max(width, line.size());
    }
    return width;
  };

  CHECK(widest("100") == 100);
  CHECK(widest("240") == 240);
  CHECK(widest("1000") == 240);
  CHECK(widest("60") == 60);
  CHECK(widest("10") == 60);
  for (const char* no_number : {"''", "0", "-5", "wide", "90x"}) {
    CHECK(widest(no_number) == 80);
  }
}

TEST_CASE("no help is wider than a terminal, and each says how to go on", "[cli]") {
  for (const std::string verb : {"", "record", "report", "diff", "compare", "plot", "check",
                                 "baseline", "export", "view", "explain", "marks"}) {
    std::istringstream help(tidemark_with(verb + " --help").out);
    std::string line;
    std::size_t lines = 0;
    while (std::getline(help, line)) {
      CAPTURE(verb, line);
      CHECK(line.size() <= 80);
      ++lines;
    }
    CAPTURE(verb);
    CHECK(lines > 5);
  }
}

TEST_CASE("explain tells of one finding, or lists all", "[cli]") {
  const auto list = tidemark_with("explain");
  CHECK(list.status == 0);
  CHECK(list.err.empty());
  CHECK_THAT(list.out, Catch::Contains("  written_twice  blocks were written before"));

  const auto one = tidemark_with("explain twice");
  CHECK(one.status == 0);
  CHECK_THAT(one.out, Catch::StartsWith("twice: the same weights") &&
                          Catch::Contains("\nWhat helps: read into place"));

  check_refused(tidemark_with("explain writtentwice"),
                "there is no finding 'writtentwice'; the nearest name is 'written_twice'");
  check_refused(tidemark_with("explain twice held"), "'held' is one word too many");
}

TEST_CASE("marks shows each language", "[cli]") {
  const auto page = tidemark_with("marks");

  CHECK(page.status == 0);
  for (const char* text :
       {"tidemark::Phase phase(\"deserialize\");", "tidemark_phase_begin(\"deserialize\");",
        "with phase(\"deserialize\"):", "tidemark marks --python > tidemark_marks.py"}) {
    CHECK_THAT(page.out, Catch::Contains(text));
  }
  const auto module = tidemark_with("marks --python");
  CHECK(module.status == 0);
  CHECK(module.out == contents_of(TIDEMARK_PYTHON_MARKS));
}
