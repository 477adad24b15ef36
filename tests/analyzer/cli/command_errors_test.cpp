// What the built `tidemark` says of bad input, torn traces and outputs that fail.
#include "analyzer/cli/memory_advice.hpp"
#include "tests/analyzer/cli/command_run.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <sys/wait.h>

using namespace tidemark;
using tests::check_refused;
using tests::contents_of;
using tests::naive_trace;
using tests::tidemark_with;
using tests::TraceBuilder;

namespace {

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename();
}

}  // namespace

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

TEST_CASE("check writes over no baseline that its policy names", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);
  const std::string folder = std::filesystem::path(path).parent_path();
  const std::string baseline = folder + "/load.baseline.json";
  REQUIRE(tidemark_with("baseline " + path + " -o " + baseline).status == 0);
  const std::string before = contents_of(baseline);
  std::ofstream(folder + "/policy.json")
      << R"({"schema": 1, "checks": [{"name": "peak", "baseline": "load.baseline.json"}]})";
  const std::string words = "check --policy " + folder + "/policy.json " + path;
  REQUIRE(tidemark_with(words).status == 0);
  std::filesystem::create_hard_link(baseline, folder + "/same.json");

  for (const std::string& output : {" --json " + baseline, " --junit " + folder + "/same.json"}) {
    CAPTURE(output);
    check_refused(tidemark_with(words + output), "read, so it cannot be written");
  }

  CHECK(contents_of(baseline) == before);
}

TEST_CASE("no two outputs of check are one file, but for a stream", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);
  const std::string folder = std::filesystem::path(path).parent_path();
  const std::string page = path.substr(0, path.rfind('.')) + ".report.html";
  std::filesystem::create_symlink("verdict", folder + "/link");
  const std::string words = "check --max-peak 1TiB " + path;

  for (const std::string& outputs :
       {" --json " + folder + "/verdict --junit " + folder + "/verdict",
        " --json " + folder + "/link --markdown " + folder + "/./verdict", " --json " + page}) {
    CAPTURE(outputs);
    check_refused(tidemark_with(words + outputs), "would be written twice");
  }

  CHECK_FALSE(std::filesystem::exists(folder + "/verdict"));
  CHECK(tidemark_with(words + " --json /dev/stdout --junit /dev/stdout").status == 0);
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

TEST_CASE("out of memory says of which command, how much it takes, and what helps", "[cli]") {
  const tests::TemporaryFolder folder;
  const std::string path = folder.file("load.tmk");
  std::ofstream(path) << std::string(std::size_t{2} << 20U, 'x');
  const std::vector<std::string> words{"diff", path, path, "--top", "0"};
  const auto command = cli::parse_command_line(words);
  REQUIRE(command.ok());

  const std::string named = "out of memory in 'diff " + path + ' ' + path + " --top 0': ";
  CHECK(cli::out_of_memory_sentence(command.value(), words, std::uint64_t{400} << 20U) ==
        named +
            "its limit is 400.0 MiB (ulimit -v), and 4.00 MiB of traces may take 250 MiB or more; "
            "raise the limit");
  CHECK(cli::out_of_memory_sentence(command.value(), words, std::nullopt) ==
        named +
            "4.00 MiB of traces may take 250 MiB or more; end other programs, or read them on a "
            "machine with more memory");
  const auto pipe = cli::parse_command_line({"report", "/dev/stdin"});
  REQUIRE(pipe.ok());
  CHECK(cli::out_of_memory_sentence(pipe.value(), {"report", "/dev/stdin"}, std::nullopt).empty());
  const auto none = cli::parse_command_line({"explain"});
  REQUIRE(none.ok());
  CHECK(cli::out_of_memory_sentence(none.value(), {"explain"}, std::nullopt).empty());
}

TEST_CASE("a report without memory ends in one sentence that names it", "[cli]") {
  // So little that the trace's tables have no room, and so much that the program starts.
  TraceBuilder trace;
  for (int i = 0; i < 200'000; ++i) {
    trace.allocate(100, trace.stack({"malloc", "load" + std::to_string(i), "main"}));
  }
  const std::string path = trace.finish();
  std::size_t told = 0;
  for (int mib = 40; mib <= 72; mib += 8) {
    const auto report = tests::run_command("ulimit -c 0; ulimit -v " + std::to_string(mib << 10) +
                                           "; " TIDEMARK_COMMAND " report " + path);
    INFO("with " << mib << " MiB: " << report.status << '\n' << report.err);
    const bool is_told =
        report.status == 2 &&
        report.err.starts_with("tidemark: out of memory in 'report " + path + "': its limit is ");
    constexpr int kNotStarted = 127;  // The dynamic loader had no room for the program.
    CHECK((is_told || report.status == 0 || report.status == kNotStarted));
    told += is_told ? 1U : 0U;
  }
  CHECK(told > 0);
}
