#include "tests/analyzer/html/browser_page.hpp"

#include "analyzer/html/page.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tidemark::tests {

using nlohmann::json;

namespace {

template <typename Append>
analyzer::LoadedTrace sample_load(Append append) {
  TraceBuilder trace;
  append(trace);
  return trace.open();
}

}  // namespace

json text_of(const std::string& selector) {
  return {{"evaluate", "document.querySelector('" + selector + "').textContent"}};
}

std::string centre_of(const std::string& selector) {
  return "(() => { const e = document.querySelector(`" + selector +
         "`); e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
         " return [r.left + r.width / 2, r.top + r.height / 2]; })()";
}

std::string axis_at(double share) {
  return "(() => { const c = document.querySelector('.timeline-canvas');"
         " c.scrollIntoView({block: 'center'}); const r = c.getBoundingClientRect();"
         " return [r.left + TRACK.left + (r.width - TRACK.left - TRACK.right) * " +
         std::to_string(share) + ", r.top + 100]; })()";
}

nlohmann::json live_rows() {
  return {{"evaluate",
           "[...document.querySelectorAll('#live-table tbody tr')].map(row => "
           "[...row.cells].map(c => (c.querySelector('summary') ?? c).textContent))"}};
}

analyzer::Report BrowsedPage::open(TraceBuilder& trace) {
  auto loaded = trace.open();
  auto report = analyzer::build_report(loaded, {});
  REQUIRE(report.ok());
  open(html::report_page(loaded, report.value()));
  return std::move(report.value());
}

void BrowsedPage::open(const std::string& html) {
  std::ofstream(folder_.file("page.html")) << html;
}

std::optional<json> BrowsedPage::browse(const json& steps) {
  if (std::system("command -v chromium > /dev/null && command -v python3 > /dev/null") != 0) {
    SKIP_TEST("no chromium and python3 here, so nobody looks at the page");
    return std::nullopt;
  }
  std::ofstream(folder_.file("steps.json")) << steps;
  const std::string command = "python3 " TIDEMARK_BROWSER " chromium " + folder_.file("page.html") +
                              ' ' + folder_.file("steps.json") + " > " + folder_.file("said.json");
  INFO(command);
  REQUIRE(std::system(command.c_str()) == 0);
  std::ostringstream said;
  said << std::ifstream(folder_.file("said.json")).rdbuf();
  return json::parse(said.str());
}

void check_quiet(const json& said) {
  CHECK(said.at("errors") == json::array());
  CHECK(said.at("requests") == json::array());
}

SamplePages::SamplePages()
    : before_(sample_load([](TraceBuilder& trace) { append_naive_load(trace); })),
      after_(sample_load([](TraceBuilder& trace) { append_streamed_load(trace); })) {
  auto report = analyzer::build_report(before_, {});
  REQUIRE(report.ok());
  report_ = std::move(report.value());
  auto diff = analyzer::build_diff(before_, after_, {});
  REQUIRE(diff.ok());
  diff_ = std::move(diff.value());
}

std::string SamplePages::report_page() {
  return html::report_page(before_, *report_);
}

std::string SamplePages::diff_page() {
  return html::diff_page(before_, after_, *diff_);
}

}  // namespace tidemark::tests
