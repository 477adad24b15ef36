// Each format is opened by a reader that others wrote.
#include "tests/analyzer/cli/command_run.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace tidemark;
using Json = nlohmann::json;
using tests::run_command;
using tests::TraceBuilder;

namespace {

bool is_installed(const std::string& program) {
  return run_command("command -v " + program).status == 0;
}

/// The naive load, exported.
class Exported {
 public:
  Exported() {
    TraceBuilder trace;
    tests::append_naive_load(trace);
    const auto path = trace.finish();
    for (const std::string format : {"collapsed", "speedscope", "pprof", "perfetto", "massif"}) {
      REQUIRE(tests::tidemark_with("export " + path + " --to " + format + " -o " + file(format))
                  .status == 0);
    }
  }
  [[nodiscard]] std::string file(const std::string& format) const { return folder_.file(format); }

 private:
  tests::TemporaryFolder folder_;
};

constexpr std::uint64_t kPeakBytes = 10'737'494'784;

/// Fills TIDEMARK_NPM_FOLDER the first time; later runs need no network.
bool has_speedscope() {
  constexpr const char* kInstall =
      "cd " TIDEMARK_NPM_FOLDER
      " && { test -e node_modules/speedscope || "
      "timeout 120 npm install --no-audit --no-fund --no-save speedscope@1.25.0 jsdom@22.1.0; } "
      "&& test -e node_modules/jsdom";
  return is_installed("node") && is_installed("npm") &&
         run_command("mkdir -p " TIDEMARK_NPM_FOLDER " && test -e " TIDEMARK_NPM_FOLDER
                     "/package.json || echo '{\"private\":true}' > " TIDEMARK_NPM_FOLDER
                     "/package.json")
                 .status == 0 &&
         run_command(kInstall).status == 0;
}

/// Fills TIDEMARK_PIP_FOLDER the first time; later runs need no network.
bool has_perfetto() {
  constexpr const char* kInstall =
      "cd " TIDEMARK_PIP_FOLDER
      " && { test -e installed || { python3 -m venv . && timeout 120 bin/pip -q install "
      "--disable-pip-version-check perfetto==0.59.1 && touch installed; }; }";
  return run_command("mkdir -p " TIDEMARK_PIP_FOLDER).status == 0 &&
         run_command(kInstall).status == 0;
}

}  // namespace

TEST_CASE("ms_print prints the massif file, with the peak in it", "[viewers]") {
  if (!is_installed("ms_print")) {
    SKIP_TEST("ms_print, of valgrind, is not installed");
    return;
  }
  const Exported exported;

  const auto printed = run_command("ms_print " + exported.file("massif"));

  CHECK(printed.status == 0);
  CHECK(printed.err.empty());
  CHECK_THAT(printed.out, Catch::Contains("100.00% (10,737,494,784B) (heap allocation functions)"));
  CHECK_THAT(printed.out, Catch::Contains("(peak)"));
  CHECK_THAT(printed.out, Catch::Contains("->50.00% (5,368,709,120B) 0x"));
}

TEST_CASE("protoc reads the pprof file", "[viewers]") {
  if (!is_installed("protoc")) {
    SKIP_TEST("protoc is not installed");
    return;
  }
  const Exported exported;

  const auto decoded = run_command("gzip -dc " + exported.file("pprof") +
                                   " | protoc --decode perftools.profiles.Profile -I \"$(dirname " +
                                   TIDEMARK_PROFILE_PROTO ")\" " TIDEMARK_PROFILE_PROTO);

  CHECK(decoded.status == 0);
  CHECK(decoded.err.empty());
  CHECK_THAT(decoded.out, Catch::Contains("string_table: \"inuse_space\""));
  // A field our definition does not know would be shown by its number.
  CHECK_THAT(decoded.out, !Catch::Matches("(.|\n)*\n *[0-9]+:(.|\n)*"));
}

TEST_CASE("Perfetto's own schema knows every field of its trace, with all bytes", "[viewers]") {
  if (!has_perfetto()) {
    SKIP_TEST("Perfetto's schema needs python3-venv and, the first time, the network");
    return;
  }
  const Exported exported;

  const auto read = run_command(TIDEMARK_PIP_FOLDER "/bin/python " TIDEMARK_PERFETTO_SCHEMA " " +
                                exported.file("perfetto"));

  CAPTURE(read.err);
  REQUIRE(read.status == 0);
  const Json understood = Json::parse(read.out);
  CHECK(understood.at("unknown_fields").empty());
  CHECK(understood.at("profiles").at(0).at("bytes") == kPeakBytes);
  CHECK(understood.at("highest").at("footprint") == kPeakBytes);
  CHECK(understood.at("slices") == Json{"deserialize", "read"});
}

TEST_CASE("speedscope opens every format that it reads, with all bytes of the peak", "[viewers]") {
  if (!has_speedscope()) {
    SKIP_TEST("speedscope's importer needs node, npm and, the first time, the network");
    return;
  }
  const Exported exported;

  const auto read = run_command("node " TIDEMARK_SPEEDSCOPE_IMPORT " " TIDEMARK_NPM_FOLDER " " +
                                exported.file("speedscope") + ' ' + exported.file("collapsed") +
                                ' ' + exported.file("pprof"));

  // Node prints the whole script before the message.
  CAPTURE(read.err.substr(read.err.size() - std::min<std::size_t>(read.err.size(), 600)));
  REQUIRE(read.status == 0);
  const Json profiles = Json::parse(read.out);
  for (const char* format : {"speedscope", "collapsed", "pprof"}) {
    CAPTURE(format);
    CHECK(profiles.at(format).at(0).at("weight") == kPeakBytes);
  }
  CHECK(profiles.at("speedscope").at(0).at("unit") == "bytes");
  CHECK(profiles.at("pprof").at(0).at("unit") == "bytes");
}
