// A page in a real browser: what it shows, and what it does when somebody uses it.
#pragma once

#include "analyzer/diff/diff.hpp"
#include "analyzer/report/facts/report.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace tidemark::tests {

/// The text of an element.
nlohmann::json text_of(const std::string& selector);

/// Scrolls an element to the middle of the window and gives its centre.
std::string centre_of(const std::string& selector);

/// A place on the timeline: a share of its axis from the left.
std::string axis_at(double share);

/// The rows of the live set's table, cell by cell; the last cell is cut at its first line.
nlohmann::json live_rows();

class BrowsedPage {
 public:
  void open(const std::string& html);
  /// The page of a trace. @return what it was made of.
  analyzer::Report open(TraceBuilder& trace);

  /// What the browser says of the steps; none where there is no browser.
  std::optional<nlohmann::json> browse(const nlohmann::json& steps);

 private:
  TemporaryFolder folder_;
};

void check_quiet(const nlohmann::json& said);

/// The naive load and the streamed one: a page of the first, and one of both.
class SamplePages {
 public:
  SamplePages();

  [[nodiscard]] const analyzer::Report& report() const { return *report_; }
  [[nodiscard]] const analyzer::Diff& diff() const { return *diff_; }
  std::string report_page();
  std::string diff_page();

 private:
  analyzer::LoadedTrace before_;
  analyzer::LoadedTrace after_;
  std::optional<analyzer::Report> report_;
  std::optional<analyzer::Diff> diff_;
};

}  // namespace tidemark::tests
