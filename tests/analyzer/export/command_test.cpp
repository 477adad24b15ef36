// `tidemark export` as a person runs it.
#include "tests/analyzer/cli/command_run.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <fstream>

using namespace tidemark;
using tests::check_refused;
using tests::contents_of;
using tests::naive_trace;
using tests::tidemark_with;
using tests::TraceBuilder;

namespace {

constexpr std::array kFormats{"collapsed", "flamegraph", "speedscope", "pprof",
                              "perfetto",  "massif",     "csv"};

}  // namespace

TEST_CASE("export writes each format to standard output and, the same, to a file", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);
  const tests::TemporaryFolder folder;
  for (const std::string format : kFormats) {
    for (const std::string what : {"", " --range ..peak"}) {
      CAPTURE(format, what);
      const std::string words = "export " + path + " --to " + format + what;

      const auto shown = tidemark_with(words);
      const auto written = tidemark_with(words + " -o " + folder.file(format));

      CHECK(shown.status == 0);
      CHECK(shown.err.empty());
      CHECK_FALSE(shown.out.empty());
      CHECK(written.status == 0);
      CHECK(written.out.empty());
      CHECK(contents_of(folder.file(format)) == shown.out);
    }
  }
}

TEST_CASE("export takes the instant and the range that are asked for", "[cli]") {
  TraceBuilder trace;
  const auto load = trace.stack({"load", "main"});
  const auto early = trace.at_ms(1000).allocate(100, load);
  trace.at_ms(2000).allocate(30, load);
  trace.at_ms(3000).release(early);
  trace.at_ms(4000).allocate(7, load);
  const std::string words = "export " + trace.finish() + " --to collapsed";

  CHECK(tidemark_with(words).out == "heap;main;load 130\n");
  CHECK(tidemark_with(words + " --at peak").out == "heap;main;load 130\n");
  CHECK(tidemark_with(words + " --at 1.5s").out == "heap;main;load 100\n");
  CHECK(tidemark_with(words + " --at 4s").out == "heap;main;load 37\n");
  CHECK(tidemark_with(words + " --range 1.5s..peak").out == "heap;main;load 30\n");
  CHECK(tidemark_with(words + " --range peak..").out == "heap;main;load 7\n");
  CHECK(tidemark_with(words + " --range ..3500ms").out == "heap;main;load 30\n");
  CHECK(tidemark_with(words + " --range ..").out == "heap;main;load 37\n");
}

TEST_CASE("bad input to export gets one sentence and exit status 2", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);
  const tests::TemporaryFolder folder;
  std::ofstream(folder.file("text.tmk")) << "this is no trace, this is a text of some length";
  std::ofstream(folder.file("empty.tmk")) << "";
  const std::string collapsed = " --to collapsed";

  check_refused(tidemark_with("export"), "FILE is required; see tidemark export --help");
  check_refused(tidemark_with("export " + path), "--to is required");
  check_refused(tidemark_with("export " + path + " --to svg"), "'svg' is none of");
  check_refused(tidemark_with("export /no/such/file.tmk" + collapsed), "/no/such/file.tmk");
  check_refused(tidemark_with("export " + folder.file("text.tmk") + collapsed), "text.tmk");
  check_refused(tidemark_with("export " + folder.file("empty.tmk") + collapsed), "empty.tmk");
  check_refused(tidemark_with("export /tmp" + collapsed), "/tmp");
  check_refused(tidemark_with("export " + path + collapsed + " --at soon"),
                "--at 'soon' is not a time");
  check_refused(tidemark_with("export " + path + collapsed + " --range 1s"), "is no range");
  check_refused(tidemark_with("export " + path + collapsed + " --range 1s..soon"),
                "--range 'soon' is not a time");
  check_refused(tidemark_with("export " + path + collapsed + " --range 2s..1s"),
                "ends before it begins");
  check_refused(tidemark_with("export " + path + collapsed + " --range 1s..1s"), "is empty");
  for (const std::string what : {" --at 1h", " --range 1h..2h", " --range 1s..2h"}) {
    for (const std::string format : kFormats) {
      if (format != "perfetto" || what != " --at 1h") {
        CAPTURE(format, what);
        check_refused(tidemark_with("export " + path + " --to " + format + what),
                      "is behind the end of the run, which took");
      }
    }
  }
  check_refused(tidemark_with("export " + path + collapsed + " --min-share some"),
                "--min-share: 'some' is no percentage");
  check_refused(tidemark_with("export " + path + " --to csv --min-share 1"),
                "--min-share is for collapsed, flamegraph and speedscope");
  check_refused(tidemark_with("export " + path + collapsed + " --range 1s..2s --at 1s"),
                "give only one of them");
  check_refused(tidemark_with("export " + path + " --to perfetto --at 1s"), "take --range A..B");
  check_refused(tidemark_with("export " + path + collapsed + " -o /no/such/folder/out"),
                "/no/such/folder/out");
}

TEST_CASE("export does not write binary formats to a terminal", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);

  for (const std::string format : {"pprof", "perfetto"}) {
    // `script` runs it on a terminal of its own; what it prints arrives on our standard output.
    const auto shown = tests::run_command("script -qec '" TIDEMARK_COMMAND " export " + path +
                                          " --to " + format + "' /dev/null < /dev/null");

    CHECK(shown.status == 2);
    CHECK_THAT(shown.out, Catch::StartsWith("tidemark: " + format + "'s format is binary"));
  }
}

TEST_CASE("export of a torn trace says on standard error what is lost", "[cli]") {
  TraceBuilder trace;
  const auto path = tests::finish_torn(trace);

  for (const std::string format : kFormats) {
    CAPTURE(format);
    const auto torn = tidemark_with("export " + path + " --to " + format);
    CHECK(torn.status == 0);
    CHECK_FALSE(torn.out.empty());
    CHECK_THAT(torn.err, Catch::StartsWith("tidemark: " + path + ": missing from the trace: "));
  }
}

TEST_CASE("export of a trace of nothing is no error", "[cli]") {
  TraceBuilder trace;
  const auto path = trace.finish();
  for (const std::string format : kFormats) {
    for (const std::string what : {"", " --range .."}) {
      CAPTURE(format, what);
      const auto nothing = tidemark_with("export " + path + " --to " + format + what);
      CHECK(nothing.status == 0);
      CHECK(nothing.err.empty());
    }
  }
}

TEST_CASE("a trace with any byte flipped is exported or refused, never a crash", "[cli]") {
  TraceBuilder trace;
  const auto path = naive_trace(trace);
  const std::string whole = contents_of(path);
  const auto step = std::max<std::size_t>(1, whole.size() / 30);
  for (std::size_t at = 0; at < whole.size(); at += step) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    std::ofstream(path, std::ios::binary) << damaged;
    for (const std::string format : kFormats) {
      CAPTURE(at, format);
      const auto status = tidemark_with("export " + path + " --to " + format).status;
      CHECK((status == 0 || status == 2));
    }
  }
}
