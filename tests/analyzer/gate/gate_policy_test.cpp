#include "analyzer/gate/gate_policy.hpp"

#include "analyzer/gate/gate_bounds.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>
#include <fstream>

using namespace tidemark;
using analyzer::Budget;
using analyzer::Gauge;
using analyzer::Reference;

namespace {

analyzer::Policy policy(const std::string& text, const std::string& folder = {}) {
  auto parsed = analyzer::parse_policy(text, "policy.json", folder);
  INFO((parsed.ok() ? std::string() : parsed.error().message));
  REQUIRE(parsed.ok());
  return std::move(parsed.value());
}

std::string policy_refusal(const std::string& text) {
  const auto parsed = analyzer::parse_policy(text, "policy.json", "");
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.error().message.find('\n') == std::string::npos);
  CHECK_THAT(parsed.error().message, Catch::StartsWith("policy.json"));
  return parsed.error().message;
}

std::string refusal_of_check(const std::string& keys) {
  return policy_refusal(R"({"checks": [{"name": "a check", )" + keys + "}]}");
}

void store_baseline(const std::string& path) {
  tests::TraceBuilder trace;
  trace.allocate(4096);
  auto loaded = trace.open();
  const auto report = analyzer::build_report(loaded, analyzer::comparison_options({}));
  REQUIRE(report.ok());
  std::ofstream(path) << analyzer::baseline_json(analyzer::make_baseline(report.value()));
}

}  // namespace

TEST_CASE("a policy lists checks, with comments between them", "[gate][policy]") {
  const auto parsed = policy(R"({
    "schema": 1,
    "model": "5GiB",  // as the CI's file has it
    "checks": [
      {"name": "no second copy", "max_ratio": 1.1},
      /* the arena is not ours to grow */
      {"name": "heap", "lane": "heap", "max": "600MiB", "allow_loss": true},
      {"name": "deserialize", "phase": "deserialize", "max": 1048576}
    ]
  })");

  CHECK(parsed.model == "5GiB");
  REQUIRE(parsed.checks.size() == 3);
  CHECK(parsed.checks[0].name == "no second copy");
  CHECK(std::get<Budget>(parsed.checks[0].bound).size == "1.1xW");
  CHECK(parsed.checks[1].subject.gauge == Gauge::kHeap);
  CHECK(parsed.checks[1].allow_loss);
  CHECK(std::get<Budget>(parsed.checks[1].bound).size == "600MiB");
  CHECK(parsed.checks[2].subject.phase == "deserialize");
  CHECK(std::get<Budget>(parsed.checks[2].bound).size == "1048576");
}

TEST_CASE("a policy's baselines are looked for beside it", "[gate][policy]") {
  const tests::TemporaryFolder folder;
  store_baseline(folder.file("B.json"));
  std::ofstream(folder.file("policy.json")) << R"({"checks": [
    {"name": "default", "baseline": "B.json"},
    {"name": "own", "baseline": "B.json", "lane": "rss_anon", "tolerance": "10%", "slack": "1MiB"}]})";

  const auto parsed = analyzer::read_policy(folder.file("policy.json"));

  REQUIRE(parsed.ok());
  const auto& standard = std::get<Reference>(parsed.value().checks.at(0).bound);
  CHECK(standard.baseline->footprint_bytes == 4096);
  CHECK(standard.tolerance_percent == 2);
  CHECK(standard.slack_bytes == 65536);
  const auto& own = std::get<Reference>(parsed.value().checks.at(1).bound);
  CHECK(own.tolerance_percent == 10);
  CHECK(own.slack_bytes == 1048576);
}

TEST_CASE("an unknown key is refused by its name", "[gate][policy]") {
  CHECK_THAT(refusal_of_check(R"("max_peek": "1GiB")"),
             Catch::Contains("check 'a check': there is no key 'max_peek'; there are: name, lane"));
  CHECK_THAT(policy_refusal(R"({"cheks": []})"), Catch::Contains("there is no key 'cheks'"));
}

TEST_CASE("a check's keys may be the options of the command line", "[gate][policy]") {
  const auto parsed = policy(R"({"checks": [
    {"name": "a", "max-peak": "2GiB", "allow-loss": true},
    {"name": "b", "max-ratio": 1.1},
    {"name": "c", "max-lane": "anon=64MiB"},
    {"name": "d", "max_phase": "a=b=1.1xW"}
  ]})");

  const auto budget = [&](std::size_t check) {
    return std::get<Budget>(parsed.checks.at(check).bound).size;
  };
  CHECK(budget(0) == "2GiB");
  CHECK(parsed.checks[0].allow_loss);
  CHECK(budget(1) == "1.1xW");
  CHECK(budget(2) == "64MiB");
  CHECK(parsed.checks[2].subject.gauge == analyzer::parse_lane("anon").value());
  CHECK(budget(3) == "1.1xW");
  CHECK(parsed.checks[3].subject.phase == "a=b");

  CHECK_THAT(refusal_of_check(R"("max-ratio": 1, "max_ratio": 2)"),
             Catch::Contains("check 'a check': max_ratio: it is given more than once"));
  CHECK_THAT(refusal_of_check(R"("max-peak": "1B", "lane": "heap")"),
             Catch::Contains("max_peak: it is the footprint's"));
  CHECK_THAT(refusal_of_check(R"("max-peak": "1B", "max": 2)"),
             Catch::Contains("max: it is given more than once"));
  CHECK_THAT(refusal_of_check(R"("max-lane": "64MiB")"),
             Catch::Contains("max_lane: '64MiB' must have a name and a size"));
  CHECK_THAT(refusal_of_check(R"("max-size": 1)"), Catch::Contains("there is no key 'max-size'"));
}

TEST_CASE("a policy of another schema is refused", "[gate][policy]") {
  CHECK_THAT(policy_refusal(R"({"schema": 2, "checks": []})"), Catch::Contains("schema 2"));
}

TEST_CASE("what is no policy is refused in one sentence", "[gate][policy]") {
  for (const char* text :
       {"", "[]", "3", "{}", R"({"checks": []})", R"({"checks": {}})", R"({"checks": [3]})",
        R"({"checks": [{"max": "1GiB"}]})", R"({"checks": [{"name": "", "max": "1GiB"}]})",
        R"({"checks": [{"name": 3, "max": "1GiB"}]})", R"({"checks": [)",
        R"({"model": 5, "checks": [{"name": "x", "max": "1B"}]})"}) {
    CAPTURE(text);
    CHECK_FALSE(policy_refusal(text).empty());
  }
}

TEST_CASE("a check needs one bound and one subject", "[gate][policy]") {
  CHECK_THAT(refusal_of_check(R"("lane": "heap")"), Catch::Contains("one of max, max_ratio"));
  CHECK_THAT(refusal_of_check(R"("max": "1B", "max_ratio": 1)"), Catch::Contains("one of max"));
  CHECK_THAT(refusal_of_check(R"("max": "1B", "lane": "heap", "phase": "x")"),
             Catch::Contains("one check measures one thing"));
  CHECK_THAT(refusal_of_check(R"("max": "1B", "tolerance": 2)"),
             Catch::Contains("only a check with a baseline"));
}

TEST_CASE("a check's numbers are refused with their key", "[gate][policy]") {
  CHECK_THAT(refusal_of_check(R"("max": -1)"), Catch::Contains("max: '-1' is not a size"));
  CHECK_THAT(refusal_of_check(R"("max": "NaN")"), Catch::Contains("max: 'NaN'"));
  CHECK_THAT(refusal_of_check(R"("max": true)"), Catch::Contains("max: it must be a number"));
  CHECK_THAT(refusal_of_check(R"("max_ratio": "wide")"), Catch::Contains("max_ratio: 'wide'"));
  CHECK_THAT(refusal_of_check(R"("max_ratio": 1e300)"), Catch::Contains("max_ratio: "));
  CHECK_THAT(refusal_of_check(R"("lane": "hepa", "max": "1B")"),
             Catch::Contains("lane: there is no lane 'hepa'"));
  CHECK_THAT(refusal_of_check(R"("max": "1B", "allow_loss": "yes")"),
             Catch::Contains("allow_loss: it must be true or false"));
  CHECK_THAT(refusal_of_check(R"("baseline": "/no/such.json")"), Catch::Contains("/no/such.json"));
}

TEST_CASE("a limit that has forgotten its unit is refused", "[gate][policy]") {
  CHECK_THAT(refusal_of_check(R"("max": 150)"),
             Catch::Contains("max: '150' would be 150 B; give its unit, as 150MiB or 150B"));
  CHECK_THAT(refusal_of_check(R"("max-peak": "1.5")"), Catch::Contains("as 1.5MiB or 1.5B"));
  CHECK_THAT(refusal_of_check(R"("max-lane": "anon=64")"), Catch::Contains("'64' would be 64 B"));
  for (const char* text : {"0", "150B", "1.5kB", "1048576", "1.1xW"}) {
    CAPTURE(text);
    CHECK(analyzer::size_budget(text).ok());
  }
}

TEST_CASE("two checks of one name are refused", "[gate][policy]") {
  CHECK_THAT(
      policy_refusal(R"({"checks": [{"name": "a", "max": "1B"}, {"name": "a", "max": "2B"}]})"),
      Catch::Contains("check 'a': another one has the same name"));
}
