// How the anatomy looks in each format.

#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "analyzer/report/anatomy/why_list.hpp"
#include "analyzer/report/report_json.hpp"
#include "analyzer/report/report_markdown.hpp"
#include "analyzer/report/report_text.hpp"
#include "tests/analyzer/findings/loads.hpp"
#include "tests/analyzer/golden.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <sstream>

using namespace tidemark;
using analyzer::TextStyle;
using tests::kModelBytes;
using tests::Load;

namespace {

/// Three copies, one of them held too long, all of it zeroed first.
analyzer::Report wasteful_load() {
  Load load;
  const auto blob = load.block("read_whole_file", kModelBytes);
  load.trace.fill(kModelBytes, blob);
  load.read_whole(blob);
  const auto code = load.block("tvm::runtime::vm::Executable::LoadSection", kModelBytes);
  load.trace.copy(kModelBytes, blob, code);
  load.wait_ms(400);
  load.tensors_from(code, "tvm::runtime::NDArray::Empty");
  return load.report();
}

std::string shown(const analyzer::Report& report, const TextStyle& style) {
  return analyzer::why_list(report, style) + analyzer::chain_picture(report, style);
}

}  // namespace

TEST_CASE("the anatomy reads as agreed", "[anatomy]") {
  const auto report = wasteful_load();

  tests::check_golden("anatomy.txt", shown(report, {.width = 80, .colour = false, .utf8 = true}));
  tests::check_golden("anatomy-ascii.txt",
                      shown(report, {.width = 80, .colour = false, .utf8 = false}));
}

TEST_CASE("the anatomy fits terminals of any width", "[anatomy]") {
  const auto width = GENERATE(std::size_t{60}, std::size_t{80}, std::size_t{120});
  CAPTURE(width);
  const auto report = wasteful_load();

  std::istringstream lines(shown(report, {.width = width, .colour = false, .utf8 = true}));

  for (std::string line; std::getline(lines, line);) {
    CHECK(analyzer::width_of(line) <= width);
  }
}

TEST_CASE("the JSON has findings, floor and chain", "[anatomy]") {
  const auto json = nlohmann::json::parse(analyzer::report_json(wasteful_load()));

  CHECK(json.at("schema") == 1);
  REQUIRE(json.at("findings").size() == 3);
  const auto& finding = json.at("findings").at(0);
  for (const char* const key :
       {"kind", "title", "sentence", "bytes", "at_ns", "peak_without_bytes", "stack", "nodes"}) {
    CHECK(finding.contains(key));
  }
  CHECK(json.at("findings").at(2).at("kind") == "written_twice");
  CHECK(json.at("findings").at(2).at("peak_without_bytes").is_null());
  CHECK(finding.at("copies") == 3);
  CHECK(finding.at("peak_with_one_bytes") == kModelBytes);
  CHECK_FALSE(json.at("findings").at(2).contains("peak_with_one_bytes"));
  CHECK(json.at("floor").at("peak_bytes") == kModelBytes);
  CHECK(json.at("chain").at("nodes").size() == 4);
  CHECK(json.at("chain").at("edges").at(2).at("kind") == "copy");
}

TEST_CASE("the JSON of a program without a model has them empty", "[anatomy]") {
  Load load;
  const auto json = nlohmann::json::parse(analyzer::report_json(load.report(0)));

  CHECK(json.at("findings").empty());
  CHECK(json.at("floor").is_null());
  CHECK(json.at("chain").at("nodes").empty());
}

TEST_CASE("the markdown has the findings as a list and the chain as it is", "[anatomy]") {
  const auto text = analyzer::report_markdown(wasteful_load());

  CHECK_THAT(text, Catch::Contains("\n- 256.0 MiB"));
  CHECK_THAT(text, Catch::Contains("```text\nwhere the weights went\n"));
}
