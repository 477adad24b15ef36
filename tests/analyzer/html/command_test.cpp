// Runs the built commands as a person would: pages end up where they were asked for.
#include "tests/analyzer/html/page_data.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>

using namespace tidemark;
using nlohmann::json;
using tests::TraceBuilder;
using tests::unpacked;

namespace {

std::string contents_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

bool run(const std::string& command) {
  INFO(command);
  return std::system(command.c_str()) == 0;
}

}  // namespace

TEST_CASE("a page goes to standard output, or to the file that -o names", "[page][command]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  const std::string file = trace.finish();
  const tests::TemporaryFolder folder;
  const std::string report = std::string(TIDEMARK_COMMAND) + " report " + file + " --format html";

  REQUIRE(run(report + " > " + folder.file("stdout.html")));
  REQUIRE(run(report + " -o " + folder.file("file.html")));
  REQUIRE(run(std::string(TIDEMARK_COMMAND) + " diff " + file + ' ' + file + " --format html -o " +
              folder.file("diff.html")));

  CHECK(tests::page_data(contents_of(folder.file("file.html"))).at("kind") == "report");
  CHECK(contents_of(folder.file("file.html")) == contents_of(folder.file("stdout.html")));
  CHECK(tests::page_data(contents_of(folder.file("diff.html"))).at("kind") == "diff");
}

TEST_CASE("a long trace gives a small page that adds up", "[page][command]") {
  const tests::TemporaryFolder folder;
  REQUIRE(run(std::string(TIDEMARK_GENERATE_TRACE) + ' ' + folder.file("long.tmk") +
              " --events 500000 --big-blocks 40"));
  REQUIRE(run(std::string(TIDEMARK_GENERATE_TRACE) + ' ' + folder.file("longer.tmk") +
              " --events 700000 --big-blocks 300 --threads 8"));
  REQUIRE(run(std::string(TIDEMARK_COMMAND) + " diff " + folder.file("long.tmk") + ' ' +
              folder.file("longer.tmk") + " --format html -o " + folder.file("diff.html")));
  CHECK(contents_of(folder.file("diff.html")).size() < 300'000);
  REQUIRE(run(std::string(TIDEMARK_COMMAND) + " report " + folder.file("long.tmk") +
              " --format html -o " + folder.file("long.html")));

  const std::string html = contents_of(folder.file("long.html"));

  CHECK(html.size() < 300'000);
  const json load = tests::page_data(html).at("loads").at(0);
  CHECK_FALSE(load.at("timeline").at("complete").get<bool>());
  // The made-up samples have less resident than the made-up events hold.
  REQUIRE(load.at("warnings").size() == 1);
  CHECK_THAT(load.at("warnings").at(0).get<std::string>(),
             Catch::Contains("was requested and never resident"));
  CHECK(load.at("phases").size() == 4);
  for (const json& instant : load.at("instants")) {
    const auto held = unpacked(instant.at("held"));
    CHECK(instant.at("unattributed") == 0);
    CHECK(std::accumulate(held.begin(), held.end(), std::int64_t{0}) == instant.at("bytes"));
  }
}
