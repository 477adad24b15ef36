#include "analyzer/html/contents/page_usage.hpp"

#include "analyzer/html/page.hpp"
#include "tests/analyzer/html/page_data.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark;
using analyzer::UsageGrouping;
using nlohmann::json;
using tests::append_two_callers;
using tests::TraceBuilder;

namespace {

analyzer::Report report_of(analyzer::LoadedTrace& trace) {
  auto report = analyzer::build_report(trace, {});
  REQUIRE(report.ok());
  return std::move(report.value());
}

/// Of the page's load.
json list_of(const json& load, const std::string& by, bool of_functions) {
  const json& lists = load.at("usage");
  const auto found = std::ranges::find_if(lists, [&](const json& list) {
    return list.at("by") == by && list.at("of_functions") == of_functions;
  });
  return found == lists.end() ? json() : *found;
}

}  // namespace

TEST_CASE("a page has each list of allocations with the cells of the report", "[page][usage]") {
  const auto by =
      GENERATE(UsageGrouping::kTemporary, UsageGrouping::kLeaked, UsageGrouping::kAllocations,
               UsageGrouping::kSize, UsageGrouping::kThread);
  TraceBuilder builder;
  tests::append_random_load(builder, 3, 300);
  auto trace = builder.open();
  const auto report = report_of(trace);

  const json data = tests::page_data(html::report_page(trace, report));

  const auto lines = analyzer::usage_lines(analyzer::report_usage(trace, report.peak.at, by, 20));
  const json list =
      list_of(data.at("loads").at(0), std::string(analyzer::grouping_word(by)), false);
  CHECK(list.at("title") == lines.title);
  CHECK(list.at("headings") == lines.headings);
  REQUIRE(list.at("rows").size() == lines.cells.size());
  REQUIRE_FALSE(lines.cells.empty());
  for (std::size_t i = 0; i < lines.cells.size(); ++i) {
    const json& row = list.at("rows").at(i);
    CHECK(row.at("cells") == lines.cells[i]);
    CHECK(row.value("name", "") == lines.names[i]);
    CHECK(row.contains("node") == lines.names[i].empty());
  }
}

TEST_CASE("a page sums the stacks that one function asked in", "[page][usage]") {
  TraceBuilder builder;
  append_two_callers(builder);
  auto trace = builder.open();

  const json load = tests::page_data(html::report_page(trace, report_of(trace))).at("loads").at(0);

  const json functions = list_of(load, "allocations", true);
  CHECK(functions.at("headings").back() == "function");
  REQUIRE(functions.at("rows").size() == 2);
  CHECK(functions.at("rows").at(0).at("cells") == json{"6", "60.0%", "900 B"});
  CHECK(functions.at("rows").at(0).at("stacks") == 2);
  CHECK(functions.at("rows").at(0).at("has_one_line") == false);
  CHECK(functions.at("rows").at(1).at("cells").at(0) == "4");
  CHECK(functions.at("rows").at(1).at("has_one_line") == true);
  CHECK(list_of(load, "size", true).is_null());
}

TEST_CASE("of many stacks a page lists the largest, and sums those that it leaves out",
          "[page][usage]") {
  TraceBuilder builder;
  for (int i = 0; i < 30; ++i) {
    const auto stack = builder.stack({"malloc", "f" + std::to_string(i), "main"});
    for (int block = 0; block <= i; ++block) {
      builder.allocate(100, stack);
    }
  }
  auto trace = builder.open();

  const json load = tests::page_data(html::report_page(trace, report_of(trace))).at("loads").at(0);

  for (const bool of_functions : {false, true}) {
    const json rows = list_of(load, "allocations", of_functions).at("rows");
    REQUIRE(rows.size() == 21);
    CHECK(rows.at(0).at("cells").at(0) == "30");
    CHECK(rows.at(20).at("is_rest") == true);
    CHECK(rows.at(20).at("cells").at(0) == "55");  // 1 + 2 + ... + 10
    CHECK(rows.at(20).at("name") == (of_functions ? "10 more functions" : "10 more stacks"));
  }
}

TEST_CASE("a page of a trace without allocations has no list of them", "[page][usage]") {
  TraceBuilder builder;
  auto trace = builder.open();

  CHECK_FALSE(tests::page_data(html::report_page(trace, report_of(trace)))
                  .at("loads")
                  .at(0)
                  .contains("usage"));
}
