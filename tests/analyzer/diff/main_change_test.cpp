// What of two loads makes most of the change.
#include "analyzer/diff/main_change.hpp"

#include "analyzer/diff/diff_json.hpp"
#include "analyzer/diff/diff_markdown.hpp"
#include "analyzer/diff/diff_text.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace tidemark;
using analyzer::Diff;
using tests::kMiB;
using tests::TraceBuilder;

namespace {

/// What places hold at the peak, each in one block: a line of its own for each.
using Held = std::vector<std::pair<std::string, std::uint64_t>>;

void append(TraceBuilder& trace, const Held& held) {
  for (const auto& [function, bytes] : held) {
    trace.allocate(bytes, trace.stack({"malloc", function + " loader.cpp:40", "main"}));
  }
}

Diff diff_of(const Held& before, const Held& after) {
  TraceBuilder one;
  append(one, before);
  TraceBuilder other;
  append(other, after);
  auto opened_one = one.open();
  auto opened_other = other.open();
  auto diff = analyzer::build_diff(opened_one, opened_other, {});
  REQUIRE(diff.ok());
  return std::move(diff.value());
}

std::string change_of(const Held& before, const Held& after) {
  return analyzer::main_change_of(diff_of(before, after));
}

/// A report of that peak, with that finding where `without` is not 0.
analyzer::Report report_of(std::uint64_t peak, std::uint64_t without) {
  analyzer::Report report;
  report.peak.footprint_bytes = peak;
  if (without != 0) {
    analyzer::Finding& finding = report.anatomy.findings.emplace_back();
    finding.kind = analyzer::FindingKind::kTwice;
    finding.title = "two copies of the weights";
    finding.peak_without_bytes = without;
  }
  return report;
}

}  // namespace

TEST_CASE("a diff says which place makes most of the change, in the numbers of its row",
          "[diff][main_change]") {
  const Held both{{"keep", 40 * kMiB}, {"load", 61 * kMiB}};
  const Held one{{"keep", 40 * kMiB}};
  CHECK(change_of(both, one) ==
        "Most of it: load (loader.cpp:40) held 61.0 MiB at the peak and holds nothing there now.");
  CHECK(
      change_of(one, both) ==
      "Most of it: load (loader.cpp:40) holds 61.0 MiB at the peak and held nothing there before.");
  CHECK(change_of(both, {{"keep", 40 * kMiB}, {"load", 11 * kMiB}}) ==
        "Most of it: load (loader.cpp:40) held 61.0 MiB at the peak and holds 11.0 MiB there now.");
}

TEST_CASE("no place is said to make most of a change of which it has less than half",
          "[diff][main_change]") {
  const Held after{{"keep", 40 * kMiB}};
  CHECK_FALSE(
      change_of({{"keep", 40 * kMiB}, {"a", 20 * kMiB}, {"b", 10 * kMiB}, {"c", 10 * kMiB}}, after)
          .empty());
  CHECK(
      change_of({{"keep", 40 * kMiB}, {"a", 19 * kMiB}, {"b", 11 * kMiB}, {"c", 10 * kMiB}}, after)
          .empty());
}

TEST_CASE("what is said of a place is true of all its stacks", "[diff][main_change]") {
  const auto change_by_callers = [](const Held& before, const Held& after) {
    TraceBuilder one;
    TraceBuilder other;
    for (auto [trace, held] : {std::pair(&one, &before), std::pair(&other, &after)}) {
      for (const auto& [caller, bytes] : *held) {
        trace->allocate(bytes, trace->stack({"malloc", "make loader.cpp:40", caller, "main"}));
      }
    }
    auto opened_one = one.open();
    auto opened_other = other.open();
    auto diff = analyzer::build_diff(opened_one, opened_other, {.top = 1, .model = {}});
    REQUIRE(diff.ok());
    return analyzer::main_change_of(diff.value());
  };
  SECTION("as one of them stays") {
    CHECK(change_by_callers({{"a", 50 * kMiB}, {"b", 50 * kMiB}, {"c", 30 * kMiB}},
                            {{"c", 30 * kMiB}}) ==
          "Most of it: make (loader.cpp:40) held 130.0 MiB at the peak and holds 30.0 MiB there "
          "now.");
  }
  SECTION("as another came") {
    CHECK(change_by_callers({{"c", 30 * kMiB}}, {{"a", 50 * kMiB}, {"c", 30 * kMiB}}) ==
          "Most of it: make (loader.cpp:40) held 30.0 MiB at the peak and holds 80.0 MiB there "
          "now.");
  }
}

TEST_CASE("what others hold instead makes no change", "[diff][main_change]") {
  SECTION("more of it than the peak changed") {
    CHECK(change_of({{"read", 64 * kMiB}}, {{"stream", 60 * kMiB}}).empty());
  }
  SECTION("less of it") {
    CHECK(change_of({{"read", 64 * kMiB}}, {{"stream", 32 * kMiB}}) ==
          "Most of it: read (loader.cpp:40) held 64.0 MiB at the peak and holds nothing there "
          "now.");
  }
  SECTION("a larger row the other way is not the one") {
    CHECK(change_of({{"keep", 90 * kMiB}, {"a", 10 * kMiB}, {"b", 21 * kMiB}, {"c", 20 * kMiB}},
                    {{"keep", 90 * kMiB}, {"d", 25 * kMiB}}) ==
          "Most of it: b (loader.cpp:40) held 21.0 MiB at the peak and holds nothing there now.");
  }
}

TEST_CASE("peaks that read the same have no main change", "[diff][main_change]") {
  CHECK(change_of({{"keep", 100 * kMiB}, {"read", 100}}, {{"keep", 100 * kMiB}}).empty());
  CHECK(change_of({{"keep", kMiB}}, {{"keep", kMiB}}).empty());
}

TEST_CASE("a finding of one load alone that foretells the other's peak is the change",
          "[diff][main_change]") {
  Diff diff;
  SECTION("gone") {
    diff.before = report_of(100 * kMiB, 52 * kMiB);
    diff.after = report_of(50 * kMiB, 0);
    CHECK(analyzer::main_change_of(diff) ==
          "`twice` is gone: two copies of the weights, without which the peak before would have "
          "been 52.0 MiB.");
  }
  SECTION("new") {
    diff.before = report_of(50 * kMiB, 0);
    diff.after = report_of(100 * kMiB, 52 * kMiB);
    CHECK(analyzer::main_change_of(diff) ==
          "`twice` is new: two copies of the weights, without which the peak would be 52.0 MiB.");
  }
  SECTION("still there") {
    diff.before = report_of(100 * kMiB, 52 * kMiB);
    diff.after = report_of(50 * kMiB, 40 * kMiB);
    CHECK(analyzer::main_change_of(diff).empty());
  }
  SECTION("of less than half of the change") {
    diff.before = report_of(100 * kMiB, 76 * kMiB);
    diff.after = report_of(50 * kMiB, 0);
    CHECK(analyzer::main_change_of(diff).empty());
  }
}

TEST_CASE("two reports alone say which finding explains a change, and name no place",
          "[diff][main_change]") {
  CHECK(analyzer::explained_change_of(report_of(100 * kMiB, 52 * kMiB), report_of(50 * kMiB, 0)) ==
        "`twice` is gone: two copies of the weights, without which the peak before would have been "
        "52.0 MiB.");
  CHECK(analyzer::explained_change_of(report_of(50 * kMiB, 52 * kMiB), report_of(50 * kMiB, 0))
            .empty());
  const Diff of_a_place = diff_of({{"keep", kMiB}, {"load", 61 * kMiB}}, {{"keep", kMiB}});
  CHECK_FALSE(analyzer::main_change_of(of_a_place).empty());
  CHECK(analyzer::explained_change_of(of_a_place.before, of_a_place.after).empty());
}

TEST_CASE("text, markdown and JSON have the main change right behind the headline",
          "[diff][main_change]") {
  const Diff diff = diff_of({{"keep", kMiB}, {"load", 61 * kMiB}}, {{"keep", kMiB}});
  const std::string said = analyzer::main_change_of(diff);
  REQUIRE_FALSE(said.empty());

  CHECK_THAT(analyzer::diff_text(diff, {.width = 100, .utf8 = true}),
             Catch::StartsWith("peak 62.0 MiB -> 1.00 MiB: -98.4%\n" + said + "\n\n"));
  CHECK_THAT(analyzer::diff_markdown(diff),
             Catch::StartsWith("**peak 62.0 MiB → 1.00 MiB: -98.4%**\n\n" + said + "\n\n"));
  CHECK(nlohmann::json::parse(analyzer::diff_json(diff)).at("main_change") == said);
  const Diff same = diff_of({{"keep", kMiB}}, {{"keep", kMiB}});
  CHECK(nlohmann::json::parse(analyzer::diff_json(same)).at("main_change").is_null());
}
