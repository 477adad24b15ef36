// Runs the built `tidemark` as a person would.
#include "tests/analyzer/cli/command_run.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>

using namespace tidemark;
using tests::check_refused;
using tests::contents_of;
using tests::tidemark_with;
using tests::TraceBuilder;

namespace {

std::string naive_trace(TraceBuilder& trace) {
  tests::append_naive_load(trace);
  return trace.finish();
}

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename();
}

}  // namespace

TEST_CASE("report prints text, and JSON when asked", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);

  const auto text = tidemark_with("report " + path);
  const auto json = tidemark_with("report --format json " + path);

  CHECK(text.status == 0);
  CHECK_THAT(text.out, Catch::StartsWith("peak 10.0 GiB = 2.00 x the 5.00 GiB model"));
  CHECK(text.err.empty());
  CHECK(json.status == 0);
  CHECK(nlohmann::json::parse(json.out).at("schema") == 1);
}

TEST_CASE("report and diff print markdown when asked", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);

  const auto report = tidemark_with("report --format markdown " + path);
  const auto diff = tidemark_with("diff --format markdown " + path + ' ' + path);

  CHECK(report.status == 0);
  CHECK_THAT(report.out, Catch::StartsWith("**peak 10.0 GiB = 2.00 x the 5.00 GiB model"));
  CHECK(diff.status == 0);
  CHECK_THAT(diff.out, Catch::StartsWith("**peak 10.0 GiB → 10.0 GiB: unchanged"));
}

TEST_CASE("diff prints text, and JSON when asked", "[cli]") {
  TraceBuilder before;
  const auto before_path = naive_trace(before);
  TraceBuilder after;
  tests::append_streamed_load(after);
  const auto paths = before_path + ' ' + after.finish();

  const auto text = tidemark_with("diff " + paths);
  const auto json = tidemark_with("diff --format json --top 1 " + paths);

  CHECK(text.status == 0);
  CHECK_THAT(text.out,
             Catch::StartsWith("peak 10.0 GiB -> 5.01 GiB: -49.9%, ratio 2.00 -> 1.00\n"));
  CHECK(text.err.empty());
  CHECK(json.status == 0);
  CHECK(nlohmann::json::parse(json.out).at("stacks").size() == 1);
}

TEST_CASE("one model for both sides of a diff is taken from the command line", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);

  const auto diff = tidemark_with("diff --model 2GiB " + path + ' ' + path);

  CHECK_THAT(diff.out, Catch::Contains("ratio 5.00 -> 5.00"));
}

TEST_CASE("bad input to diff and compare gets one sentence and exit status 2", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);

  check_refused(tidemark_with("diff " + path), "AFTER is required; see tidemark diff --help");
  check_refused(tidemark_with("diff " + path + " /no/such/file.tmk"), "/no/such/file.tmk");
  check_refused(tidemark_with("diff /no/such/file.tmk " + path), "/no/such/file.tmk");
  check_refused(tidemark_with("diff --format pdf " + path + ' ' + path), "pdf");
  check_refused(tidemark_with("diff --model 5furlongs " + path + ' ' + path),
                "neither a size nor a file");
  check_refused(tidemark_with("compare --before true"), "--after is required");
  check_refused(tidemark_with("compare --before \"a 'b\" --after true"), "a quote is not closed");
  check_refused(tidemark_with("compare --before true --after true --runs 0"), "--runs");
  check_refused(tidemark_with("compare --before true --after true -o /dev/null/x"),
                "cannot make the folder /dev/null/x");
}

TEST_CASE("report takes an instant, a count and a model", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);

  const auto report = tidemark_with("report " + path + " --at 1s --top 1 --model 2GiB");

  CHECK(report.status == 0);
  CHECK_THAT(report.out, Catch::Contains("= 5.00 x the 2.00 GiB model"));
  CHECK_THAT(report.out, Catch::Contains("alive at 1.0 s: 5.00 GiB from 2 stacks"));
  CHECK_THAT(report.out, Catch::Contains("1 more stack\n"));
}

TEST_CASE("report and diff show whole stacks when asked", "[cli]") {
  const auto deep = [](TraceBuilder& trace, std::uint64_t size) {
    trace.at_ms(1).allocate(size, trace.stack({"malloc", "load", "f1", "f2", "f3", "f4", "f5", "f6",
                                               "f7", "f8", "main", "_start"}));
    return trace.finish();
  };
  TraceBuilder before;
  TraceBuilder after;
  const auto before_path = deep(before, 100);
  const auto paths = before_path + ' ' + deep(after, 200);

  CHECK_THAT(tidemark_with("report " + before_path).out, !Catch::Contains("f5"));
  CHECK_THAT(tidemark_with("report --whole-stacks " + before_path).out,
             Catch::Contains(" f5  [loader]") && Catch::Contains(" _start  [loader]"));
  CHECK_THAT(tidemark_with("diff " + paths).out, !Catch::Contains("f5"));
  CHECK_THAT(tidemark_with("diff --whole-stacks " + paths).out,
             Catch::Contains(" f5  [loader]") && Catch::Contains(" _start  [loader]"));
}

TEST_CASE("a trace that was never finished is named where the finished one is asked for", "[cli]") {
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("load.tmk.incomplete")) << "as far as it got";
  check_refused(tidemark_with("report " + folder.file("load.tmk")),
                "what was written so far is " + folder.file("load.tmk.incomplete"));
}

TEST_CASE("bad input gets one sentence and exit status 2", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("text.tmk")) << "this is no trace, this is a text of some length";
  std::ofstream(folder.file("empty.tmk")) << "";

  check_refused(tidemark_with("report /no/such/file.tmk"), "/no/such/file.tmk");
  check_refused(tidemark_with("report " + folder.file("text.tmk")), folder.file("text.tmk"));
  check_refused(tidemark_with("report " + folder.file("empty.tmk")), folder.file("empty.tmk"));
  check_refused(tidemark_with("report /tmp"), "/tmp");
  check_refused(tidemark_with("report"), "FILE is required; see tidemark report --help");
  check_refused(tidemark_with("report " + path + " --format pdf"), "pdf");
  check_refused(tidemark_with("report " + path + " --at soon"), "'soon' is not a time");
  check_refused(tidemark_with("report " + path + " --model 5furlongs"),
                "neither a size nor a file");
  check_refused(tidemark_with("report " + path + " --at 1h"),
                "--at '1h' is behind the end of the run, which took");
  check_refused(tidemark_with("report " + path + " --top=-1"),
                "--top: '-1' is not a whole number from 0 up; see tidemark report --help");
  check_refused(tidemark_with("report " + path + " --top many"), "'many' is not a whole number");
  check_refused(tidemark_with("report " + path + " --top 18446744073709551616"),
                "not a whole number");
  check_refused(tidemark_with("report " + path + " --format pdf"),
                "--format: 'pdf' is none of text, json, markdown, html");
  check_refused(tidemark_with("report " + path + " --at"), "--at needs a value: peak|end|TIME");
  check_refused(tidemark_with("report " + path + " --model 50"),
                "'50' would be a model of 50 B; give its unit, as 50MiB, or name a file as ./50");
  check_refused(tidemark_with("report " + path + " --model 0GiB"), "would be a model of 0 B");
  check_refused(tidemark_with("report " + path + " --bogus=1"),
                "there is no option '--bogus'; see");
  check_refused(
      tidemark_with("report " + path + ' ' + path),
      "report shows one trace, and '" + path + "' is another: tidemark diff BEFORE AFTER");
  check_refused(tidemark_with("plot " + path + ' ' + path + ' ' + path), "is one word too many");
  check_refused(tidemark_with("-x"), "there is no option '-x'; see tidemark --help");
  check_refused(tidemark_with("repotr " + path),
                "there is no verb 'repotr'; did you mean 'report'? See tidemark --help");
  check_refused(tidemark_with(path), "did you mean 'tidemark report " + path + "'? See");
  check_refused(tidemark_with("report " + path + " --format json -o /no/such/r.json"),
                "cannot write /no/such/r.json: there is no folder /no/such/");
  check_refused(tidemark_with("report /no/such/file.tmk"),
                "cannot read /no/such/file.tmk: No such file or directory");
  check_refused(tidemark_with("zzz " + path), "there is no verb 'zzz'; see tidemark --help");
  check_refused(
      tidemark_with("report " + path + " --formta json"),
      "there is no option '--formta'; did you mean '--format'? See tidemark report --help");
  check_refused(tidemark_with("record --depth 0 -- true"),
                "'0' is not a whole number from 1 to 1024");
  check_refused(tidemark_with("record -o -- true"), "--output needs a value: FILE.tmk");
  check_refused(tidemark_with("record --model /no/such -- true"),
                "--model: '/no/such' is neither a size, as 5GiB, nor a file");
  check_refused(tidemark_with("compare --before true --after true --model /no/such"),
                "--model: '/no/such' is neither a size");
  check_refused(tidemark_with("record"), "record needs a program to run");
  check_refused(tidemark_with("record --overflow maybe -- true"), "maybe");
}

TEST_CASE("a trace of a newer format is refused by name", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(8);
  file.put(99);
  file.close();

  check_refused(tidemark_with("report " + path), path);
}

TEST_CASE("a torn trace is reported with its loss", "[cli]") {
  TraceBuilder trace;
  for (int i = 0; i < 1000; ++i) {
    trace.allocate(static_cast<std::uint64_t>(i) * 77, trace.stack({"malloc", "main"}));
    if (i % 100 == 0) {
      trace.flush();
    }
  }
  const auto path = trace.finish();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);

  const auto report = tidemark_with("report " + path);

  CHECK(report.status == 0);
  CHECK_THAT(report.out, Catch::Contains("\nLOST: the end of the recording"));
  CHECK_THAT(report.out, Catch::Contains("no end was recorded"));
}

TEST_CASE("what reads a torn trace says what is lost, once, and exits with 0", "[cli]") {
  TraceBuilder trace;
  const auto path = tests::finish_torn(trace);
  const tests::TemporaryFolder folder;
  const std::string sentence = "tidemark: " + path + ": missing from the trace: ";

  for (const auto& words : {std::string("report "), "diff " + path + ' '}) {
    const auto shown = tidemark_with(words + path);
    CAPTURE(words, shown.out, shown.err);
    CHECK(shown.status == 0);
    CHECK_THAT(shown.out, Catch::Contains("LOST: the end of the recording"));
    CHECK(shown.err.empty());
  }
  for (const std::string& words :
       std::vector<std::string>{"report --format json ", "report --format html ",
                                "report -o " + folder.file("r.txt") + ' ',
                                "plot -o " + folder.file("p.svg") + ' ', "export --to csv "}) {
    const auto written = tidemark_with(words + path);
    CAPTURE(words, written.err);
    CHECK(written.status == 0);
    CHECK_THAT(written.err, Catch::StartsWith(sentence));
    CHECK(std::count(written.err.begin(), written.err.end(), '\n') == 1);
  }
  const auto both = tidemark_with("diff --format json " + path + ' ' + path);
  CHECK(both.status == 0);
  CHECK(std::count(both.err.begin(), both.err.end(), '\n') == 2);
}

TEST_CASE("a time that reads as the end is the end", "[cli]") {
  TraceBuilder trace;
  trace.at_ns(1'160'000'000).allocate(100);
  const auto path = trace.finish();

  CHECK(tidemark_with("report --at 1.2s " + path).status == 0);
  check_refused(tidemark_with("report --at 1.3s " + path), "which took 1.2 s");
}

TEST_CASE("a trace with any byte flipped is reported or refused, never a crash", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);
  const std::string whole = contents_of(path);
  const auto step = std::max<std::size_t>(1, whole.size() / 40);
  for (std::size_t at = 0; at < whole.size(); at += step) {
    CAPTURE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    std::ofstream(path, std::ios::binary) << damaged;

    const auto report = tidemark_with("report " + path);

    CHECK((report.status == 0 || report.status == 2));
  }
}

TEST_CASE("a reader that goes away is no error", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);

  for (const std::string ignored : {"", "trap '' PIPE; "}) {
    const tests::TemporaryFolder folder;
    const std::string command = ignored + TIDEMARK_COMMAND " marks 2> " + folder.file("err") +
                                "| true; (" TIDEMARK_COMMAND " report --format json " + path +
                                " 2>> " + folder.file("err") + ") | head -c 10 > /dev/null";
    CHECK(std::system(("sh -c \"" + command + '"').c_str()) == 0);
    CHECK(contents_of(folder.file("err")).empty());
  }
}

TEST_CASE("output that cannot be written is said", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);
  const std::string command =
      TIDEMARK_COMMAND " report " + path + " > /dev/full 2> " + path + ".err";

  const int status = std::system(command.c_str());

  CHECK(WEXITSTATUS(status) == 2);
  CHECK_THAT(contents_of(path + ".err"), Catch::Contains("cannot write to standard output"));
}

TEST_CASE("no verb writes over what it reads, by whatever name", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);
  const std::string folder = std::filesystem::path(path).parent_path();
  const auto file_of = [&](const std::string& name) {
    std::ofstream(folder + '/' + name) << "kept";
    return folder + '/' + name;
  };
  const std::string model = file_of("model.params");
  const std::string policy = file_of("policy.json");
  const std::string baseline = file_of("baseline.json");
  const std::string picture = folder + "/picture.svg";
  std::filesystem::create_symlink(path, folder + "/link");
  std::filesystem::create_hard_link(path, folder + "/same");
  std::filesystem::create_hard_link(path, picture);
  const std::string before = contents_of(path);

  for (const std::string& name :
       {std::string("link"), std::string("same"), "../" + base_name(folder) + "/link"}) {
    const std::string output = " -o " + folder + '/' + name;
    for (const std::string& words :
         {"report " + path, "report --format html " + path, "diff " + path + ' ' + model,
          "diff " + model + ' ' + path, "export --to csv " + path, "baseline " + path}) {
      CAPTURE(words, output);
      check_refused(tidemark_with(words + output), "is read, so it cannot be written");
    }
  }
  for (const std::string& words :
       {"report " + path + " -o " + path, "report --model " + model + ' ' + path + " -o " + model,
        "plot " + path + " -o " + picture, "plot " + model + ' ' + path + " -o " + picture,
        "view " + path + " --screenshot " + path,
        "check --policy " + policy + ' ' + path + " --json " + policy,
        "check --policy " + policy + ' ' + path + " --junit " + path,
        "check --baseline " + baseline + ' ' + path + " --junit " + baseline,
        "record -o " + model + " -- " + model,
        "record --model " + model + " -o " + model + " true"}) {
    CAPTURE(words);
    check_refused(tidemark_with(words), "read, so it cannot be written");
  }
  CHECK(contents_of(path) == before);
  for (const std::string& kept : {model, policy, baseline}) {
    CHECK(contents_of(kept) == "kept");
  }
  // What is no file has nothing to lose.
  CHECK(tidemark_with("report " + path + " -o /dev/null").status == 0);
}

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

TEST_CASE("what a program never gave back is what it had when it ended", "[cli]") {
  TraceBuilder trace;
  const auto kept = trace.stack({"malloc", "keeps a.cpp:1", "main a.cpp:9"});
  const auto freed = trace.stack({"malloc", "frees a.cpp:2", "main a.cpp:9"});
  trace.at_ms(1);
  trace.allocate(5 << 20, kept);
  const auto block = trace.allocate(20 << 20, freed);
  trace.at_ms(2);
  trace.release(block);
  trace.at_ms(8);
  trace.end_process(trace::ProcessId{0});
  trace.at_ms(9);
  const std::string path = trace.finish();

  const auto json =
      nlohmann::json::parse(tidemark_with("report --format json --at end " + path).out);
  REQUIRE(json.at("at_peak").size() == 1);
  CHECK(json.at("at_peak").at(0).at("bytes") == 5 << 20);
  CHECK(json.at("at_ns") == 7'999'999);
  CHECK_THAT(tidemark_with("report --at end " + path).out,
             Catch::Contains("alive at 8.0 ms: 5.00 MiB from 1 stack"));
  CHECK(tidemark_with("export --to collapsed --at end " + path).out ==
        "heap;main;keeps;malloc 5242880\n");

  // Of one that is still running it is what stands at the end of the recording.
  TraceBuilder running;
  running.allocate(3 << 20, running.stack({"malloc", "keeps a.cpp:1", "main a.cpp:9"}));
  CHECK_THAT(tidemark_with("report --at end " + running.finish()).out,
             Catch::Contains(": 3.00 MiB from 1 stack"));
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

TEST_CASE("no error has a library's own words", "[cli]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  const std::string path = trace.finish();
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("cut.json")) << R"({"checks": )";
  std::filesystem::create_symlink(folder.file("loop"), folder.file("loop"));
  const auto check_words = [](const std::string& words) {
    const auto outcome = tidemark_with(words);
    CAPTURE(words.substr(0, 200), outcome.err);
    CHECK((outcome.status == 0 || outcome.err.starts_with("tidemark: ")));
    for (const char* const foreign :
         {"filesystem error", "parse error", "syntax error", "std::", "basic_", "[json"}) {
      CHECK(outcome.err.find(foreign) == std::string::npos);
    }
  };
  for (const std::string& odd :
       {std::string(5000, 'x'), folder.file("loop"), folder.file("cut.json"), path + "/below",
        std::string("/proc/self/mem"), std::string("/dev/null/x")}) {
    for (const std::string& reading :
         {"report " + odd, "report " + path + " --model " + odd,
          "report " + path + " --by leaked --suppressions " + odd,
          "check " + path + " --policy " + odd, "check " + path + " --baseline " + odd,
          "check " + odd + " --max-peak 1B", "diff " + path + ' ' + odd,
          "record -o " + folder.file("r.tmk") + " -- " + odd}) {
      check_words(reading);
    }
    for (const std::string& writing :
         {"report " + path + " -o ", "check " + path + " --max-peak 1B --no-page --json ",
          "baseline " + path + " -o ", "plot " + path + " -o ", "export " + path + " --to csv -o ",
          std::string("record -o ")}) {
      check_words(writing + odd + "/x.svg" + (writing.starts_with("record") ? " -- true" : ""));
    }
  }
}

TEST_CASE("a file that breaks off while it is read is no short file", "[cli]") {
  TraceBuilder trace;
  trace.allocate(100);
  check_refused(
      tidemark_with("report " + trace.finish() + " --by leaked --suppressions /proc/self/mem"),
      "cannot read /proc/self/mem: ");
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
