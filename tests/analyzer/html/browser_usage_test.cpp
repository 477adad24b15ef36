// The page's lists of what the whole run asked for, in a real browser.
#include "analyzer/html/page.hpp"
#include "analyzer/report/facts/report.hpp"
#include "tests/analyzer/html/browser_page.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <string>

using namespace tidemark;
using nlohmann::json;
using tests::BrowsedPage;
using tests::centre_of;
using tests::check_quiet;
using tests::text_of;
using tests::TraceBuilder;

namespace {

/// Two stacks of one place, and a function with a name that has no room in a line of a phone.
void append_alike_stacks(TraceBuilder& trace) {
  const auto first = trace.stack({"malloc", "parse loader.cpp:10", "header loader.cpp:80", "main"});
  const auto second = trace.stack({"malloc", "parse loader.cpp:10", "body loader.cpp:90", "main"});
  const auto keep = trace.stack(
      {"malloc",
       "acme::runtime::inference::weights::ParallelWeightLoader::keep_everything_there_is",
       "main"});
  for (int i = 0; i < 3; ++i) {
    trace.release(trace.allocate(100, first));
    trace.allocate(200, second);
  }
  trace.allocate(64, keep);
}

void open_page(BrowsedPage& page) {
  TraceBuilder builder;
  append_alike_stacks(builder);
  auto trace = builder.open();
  const auto report = analyzer::build_report(trace, {});
  REQUIRE(report.ok());
  page.open(html::report_page(trace, report.value()));
}

/// Of the table that is shown, cell by cell; of a stack its line.
const json kRows{{"evaluate",
                  "[...document.querySelectorAll('#usage-list tbody tr')].map(row => [...row.cells]"
                  ".map(c => (c.querySelector('summary') ?? c).textContent))"}};

/// The switch that reads so.
std::string switch_of(const std::string& text) {
  return "(() => { const e = [...document.querySelectorAll('#usage button')]"
         ".find(b => b.textContent === '" +
         text +
         "'); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
         " return [r.left + r.width / 2, r.top + r.height / 2]; })()";
}

}  // namespace

TEST_CASE("a browser shows who allocated most often, temporarily, or for good", "[page][browser]") {
  BrowsedPage page;
  open_page(page);

  const auto said = page.browse(
      {{{"evaluate", "document.querySelector('#usage-list')"}},
       {{"click", centre_of("#usage summary")}},
       kRows,
       {{"click", switch_of("most often")}},
       text_of("#usage-list p"),
       kRows,
       {{"click", switch_of("functions")}},
       kRows,
       {{"click", centre_of("#usage-list tbody tr:first-child summary")}},
       {{"evaluate",
         "[...document.querySelectorAll('#usage-list tbody tr:first-child .frame-line .function')]"
         ".map(e => e.textContent)"}},
       // Sizes are no functions; leaks are shown by them again.
       {{"click", switch_of("by size")}},
       {{"evaluate",
         "[...document.querySelectorAll('#usage button')].filter(e => e.checkVisibility())"
         ".map(e => [e.textContent, e.ariaPressed])"}},
       {{"click", switch_of("alive at the end")}},
       text_of("#usage-list p"),
       kRows});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  CHECK(values.at(0).is_null());  // Folded, and not made before it is opened.
  CHECK(values.at(1) == json{{"3", "3", "100.0%", "parse loader.cpp:10"}});
  CHECK(values.at(2) == "who allocated most often: 7 allocations, 964 B in all");
  CHECK(values.at(3).at(0) ==
        json{"3", "42.9%", "300 B", "parse loader.cpp:10 from header loader.cpp:80"});
  CHECK(values.at(3).at(1) ==
        json{"3", "42.9%", "600 B", "parse loader.cpp:10 from body loader.cpp:90"});
  CHECK(values.at(4).at(0) == json{"6", "85.7%", "900 B", "parse loader.cpp:10, 2 stacks"});
  CHECK(values.at(5) == json{"malloc", "parse", "header", "main"});
  CHECK(values.at(6) == json::array({{"temporary", "false"},
                                     {"alive at the end", "false"},
                                     {"most often", "false"},
                                     {"by size", "true"},
                                     {"by thread", "false"}}));
  CHECK(values.at(7) == "never freed: 664 B in 4 heap blocks");
  CHECK(values.at(8).at(0) == json{"600 B", "90.4%", "3", "parse loader.cpp:10"});
}

TEST_CASE("the lists of allocations are opened and switched by keys, and fit a phone",
          "[page][browser]") {
  BrowsedPage page;
  open_page(page);
  const json focused{
      {"evaluate",
       "(({textContent, ariaPressed}) => [textContent, ariaPressed])(document.activeElement)"}};
  const json fits{{"evaluate",
                   "[document.documentElement.scrollWidth <= 390,"
                   " [...document.querySelectorAll('#usage td, #usage .table-box, #usage button')]"
                   ".filter(e => e.scrollWidth > e.clientWidth + 1 ||"
                   " e.getBoundingClientRect().right > 390).map(e => e.textContent)]"}};
  const auto key = [](const std::string& name) { return json{{"key", name}}; };

  const auto said =
      page.browse({{{"width", 390}},
                   {{"evaluate", "document.querySelector('#usage summary').focus() ?? null"}},
                   key("Enter"),
                   key("Tab"),
                   key("Tab"),
                   key("Enter"),
                   // The keyboard is still with the switch.
                   focused,
                   fits,
                   {{"click", switch_of("functions")}},
                   fits,
                   {{"click", switch_of("by thread")}},
                   fits});
  if (!said) {
    return;
  }

  check_quiet(*said);
  const json& values = said->at("values");
  CHECK(values.at(1) == json{"alive at the end", "true"});
  for (const std::size_t all : {2U, 3U, 4U}) {
    CHECK(values.at(all) == json{true, json::array()});
  }
}
