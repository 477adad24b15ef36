#include "analyzer/report/anatomy/explanation_text.hpp"

#include "analyzer/findings/explanations.hpp"
#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "analyzer/report/anatomy/why_list.hpp"
#include "analyzer/text/nearest_word.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace tidemark;
using analyzer::Explanation;
using analyzer::explanation_text;
using analyzer::explanations;
using analyzer::finding_name;
using analyzer::FindingKind;
using Catch::Contains;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

bool is_sentence(const std::string& text) {
  return !text.empty() && std::isupper(static_cast<unsigned char>(text.front())) != 0 &&
         text.ends_with('.');
}

/// Words that stand in a line of a list, or after a colon.
bool is_phrase(const std::string& text) {
  return !text.empty() && std::islower(static_cast<unsigned char>(text.front())) != 0 &&
         !text.ends_with('.') && text.find('\n') == std::string::npos;
}

}  // namespace

TEST_CASE("every kind of finding is explained within 80 columns, and with what helps",
          "[explain]") {
  const auto kinds = static_cast<std::size_t>(FindingKind::kRefused) + 1;
  REQUIRE(explanations().size() == kinds);
  for (std::size_t i = 0; i < kinds; ++i) {
    const auto kind = static_cast<FindingKind>(i);
    const std::string name = finding_name(kind);
    CAPTURE(name);
    const auto text = explanation_text(name, {});
    REQUIRE(text.ok());
    const auto lines = lines_of(text.value());
    REQUIRE(!lines.empty());
    const Explanation& about = analyzer::explanation_of(kind);
    CHECK(about.kind == kind);
    CHECK(lines.front() == name + ": " + about.summary);
    for (const std::string& line : lines) {
      CAPTURE(line);
      CHECK(line.size() <= 80);
    }
    for (const std::string& heading :
         {std::string("What it means"), std::string("How it is told"),
          std::string("What is not blamed"), std::string("What helps: ") + about.advice}) {
      CAPTURE(heading);
      CHECK(std::ranges::count(lines, heading) == 1);
    }
  }
}

TEST_CASE("what stands in a table and what stands in a text are worded so", "[explain]") {
  for (const Explanation& about : explanations()) {
    CAPTURE(finding_name(about.kind));
    CHECK(is_phrase(about.summary));
    CHECK(is_phrase(about.advice));
    for (const char* const text :
         {about.meaning, about.evidence, about.not_blamed, about.remedies}) {
      CAPTURE(text);
      CHECK((is_sentence(text) || std::string(text).starts_with("std::") ||
             std::string(text).starts_with("malloc_trim")));
    }
    CHECK(lines_of(about.example).size() <= 2);
    // Below a finding, indented by four columns.
    CHECK(std::string("    What helps: ." + std::string(about.advice)).size() <= 80);
  }
}

TEST_CASE("the list has a line for every kind of finding", "[explain]") {
  const std::string list = analyzer::explanation_list({});
  for (const std::string& line : lines_of(list)) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
  for (const Explanation& about : explanations()) {
    CHECK_THAT(list, Contains(std::string("\n  ") + finding_name(about.kind) + ' '));
    CHECK_THAT(list, Contains(std::string("  ") + about.summary + '\n'));
  }
}

TEST_CASE("an unknown name is answered with the nearest one", "[explain]") {
  for (const auto& [typed, meant] : std::vector<std::pair<std::string, std::string>>{
           {"writtentwice", "written_twice"}, {"hold", "held"}, {"python", "python_arenas"}}) {
    const auto text = explanation_text(typed, {});
    REQUIRE(!text.ok());
    CHECK(text.error().code == ErrorCode::kUsage);
    CHECK(text.error().message == "there is no finding '" + typed + "'; the nearest name is '" +
                                      meant + "', and 'tidemark explain' lists all");
  }
  CHECK(!explanation_text(std::string(1U << 20U, 'x'), {}).ok());
}

TEST_CASE("the nearest word takes the fewest changes", "[explain]") {
  const std::vector<std::string> words{"kept", "twice", "mapped"};
  CHECK(analyzer::nearest_word("keep", words) == "kept");
  CHECK(analyzer::nearest_word("twise", words) == "twice");
  CHECK(analyzer::nearest_word("napped", words) == "mapped");
  CHECK(analyzer::nearest_word("", words) == "kept");
  CHECK(analyzer::nearest_word("kept", {}).empty());
  CHECK(analyzer::near_word("twise", words) == "twice");
  CHECK(analyzer::near_word("ke", words) == "kept");
  CHECK(analyzer::near_word("zlib", words).empty());
  CHECK(analyzer::near_word("kept", {}).empty());
  CHECK(analyzer::near_word("", words).empty());
  CHECK(analyzer::near_word("--", words).empty());
}

TEST_CASE("what helps is said once for all findings of a kind", "[explain]") {
  analyzer::Report report;
  report.anatomy.findings = {{.kind = FindingKind::kTwice, .sentence = "One."},
                             {.kind = FindingKind::kHeld, .sentence = "Two."},
                             {.kind = FindingKind::kTwice, .sentence = "Three."}};
  const auto& findings = report.anatomy.findings;
  const std::string advice =
      std::string("What helps: ") + analyzer::explanation_of(FindingKind::kTwice).advice + '.';
  CHECK(analyzer::advice_text(report, findings[0]) == advice);
  CHECK_THAT(analyzer::advice_text(report, findings[1]), Contains("What helps: free each buffer"));
  CHECK(analyzer::advice_text(report, findings[2]).empty());

  const auto lines = lines_of(analyzer::why_list(report, {}));
  CHECK(std::ranges::count(lines, "    " + advice) == 1);
  CHECK(lines.back() == "  > tidemark explain NAME tells more: twice, held.");
}

TEST_CASE("what lifetimes alone allow is said where the findings foretell no less", "[explain]") {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
  analyzer::Report report;
  report.peak.footprint_bytes = 300 * kMiB;
  report.anatomy.floor = {.peak_bytes = 200 * kMiB};
  report.anatomy.findings = {
      {.kind = FindingKind::kWidened, .peak_without_bytes = 200 * kMiB},
      {.kind = FindingKind::kTwice, .peak_without_bytes = 250 * kMiB},
  };
  CHECK(analyzer::floor_text(report) == "If nothing stayed longer than it is needed: 200.0 MiB.");
  SECTION("a finding foretells less") {
    report.anatomy.findings[0].peak_without_bytes = 150 * kMiB;
    CHECK(analyzer::floor_text(report).empty());
  }
  SECTION("with one copy of several") {
    report.anatomy.findings[1].peak_with_one_bytes = 150 * kMiB;
    CHECK(analyzer::floor_text(report).empty());
  }
  SECTION("all of them together do") {
    report.anatomy.peak_without_all_bytes = 150 * kMiB;
    CHECK(analyzer::floor_text(report).empty());
  }
}
