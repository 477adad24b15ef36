// Programs as they are: the reference loaders, of which is known what they do, and others, of which
// nothing may be said that is not true.

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

using tidemark::tests::TemporaryFolder;

namespace {

void run(const std::string& command) {
  CAPTURE(command);
  REQUIRE(std::system(command.c_str()) == 0);
}

nlohmann::json report_of(const TemporaryFolder& folder, const std::string& command) {
  run(TIDEMARK_COMMAND " record -o " + folder.file("t.tmk") + " -- " + command + " >/dev/null 2>" +
      folder.file("log"));
  run(TIDEMARK_COMMAND " report --format json " + folder.file("t.tmk") + " >" +
      folder.file("t.json"));
  return nlohmann::json::parse(std::ifstream(folder.file("t.json")));
}

nlohmann::json report_of_load(const std::string& system, const std::string& variant) {
  const TemporaryFolder folder;
  const std::string model = folder.file("model");
  run(TIDEMARK_LOADERS " make " + system + ' ' + model + " --size 96MiB >/dev/null");
  return report_of(folder, TIDEMARK_LOADERS " run " + system + ' ' + variant + ' ' + model);
}

std::multiset<std::string> kinds(const nlohmann::json& report) {
  std::multiset<std::string> kinds;
  for (const auto& finding : report.at("findings")) {
    kinds.insert(finding.at("kind").get<std::string>());
  }
  return kinds;
}

}  // namespace

TEST_CASE("TVM's blob is zeroed, and there twice", "[anatomy]") {
  const auto report = report_of_load("tvm", "blob");

  CHECK(kinds(report) == std::multiset<std::string>{"twice", "written_twice"});
  CHECK(report.at("findings").at(0).at("peak_without_bytes").get<double>() ==
        Approx(96.0 * (1U << 20U)).epsilon(0.02));
  CHECK(report.at("floor").at("ratio").get<double>() < 1.1);
  CHECK(report.at("chain").at("edges").size() == 2);
}

TEST_CASE("TVM's stream gives nothing to say", "[anatomy]") {
  const auto report = report_of_load("tvm", "stream");

  CHECK(kinds(report).empty());
  CHECK(report.at("floor").is_null());
  CHECK(report.at("chain").at("edges").size() == 1);
}

TEST_CASE("nothing is said of programs that load no model", "[anatomy]") {
  const std::string command = GENERATE(
      std::string("python3 -c pass"), std::string("git --version"),
      std::string("sh -c 'echo int x\\; | cc -O2 -c -x c -o /dev/null -'"), std::string("ls /"));
  CAPTURE(command);
  const TemporaryFolder folder;

  const auto report = report_of(folder, command);

  CHECK(report.at("findings").empty());
  CHECK(report.at("floor").is_null());
}
