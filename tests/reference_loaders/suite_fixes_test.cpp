#include "reference_loaders/cli/suite_fixes.hpp"

#include "reference_loaders/cli/registry.hpp"
#include "tests/reference_loaders/suite_fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <sstream>

using namespace tidemark::loaders;
using test::a_load;
using test::a_model;

namespace {

/// The naive load takes 2000 bytes, and its finding says that 1010 would do.
RowResult a_naive_load(const std::string& variant) {
  RowResult row = a_load(variant, 2000);
  row.run.load->finding = {.kind = "twice", .peak_without_bytes = 1010};
  return row;
}

}  // namespace

TEST_CASE("every fix names a system and variants that both have a row", "[suite]") {
  for (const Fix& fix : fixes()) {
    CAPTURE(fix.system, fix.before, fix.after);
    const auto found = std::ranges::find(systems(), fix.system, &System::name);
    if (found == systems().end()) {
      CHECK(std::string(fix.system) == "executorch");  // Not in every build.
      continue;
    }
    for (const char* const variant : {fix.before, fix.after}) {
      CHECK(std::ranges::count(found->suite(SuiteSize::kQuick), variant, &SuiteRow::variant) > 0);
    }
  }
}

TEST_CASE("a naive load is paired with its fix over the same model and options", "[suite]") {
  RowResult other_work = a_naive_load("blob");
  other_work.row.options = {{"threads", "4"}};
  RowResult cold = a_naive_load("blob");
  cold.row.cold = true;
  const std::vector<ModelResult> models = {
      a_model({a_naive_load("blob"), other_work, cold, a_load("stream")}),
      a_model({a_naive_load("blob"), test::a_failure("stream", "no")})};

  const auto results = fix_results("tvm", models);
  REQUIRE(results.size() == 1);
  CHECK(results[0].before == "blob");
  CHECK(results[0].after == "stream");
  CHECK(results[0].foretold_bytes() == 1010U);
  CHECK(fix_results("ggml", models).empty());
}

TEST_CASE("what stood before the load is taken off on both sides", "[suite]") {
  RowResult naive = a_naive_load("blob");
  naive.run.load->program_data_bytes = 10;
  const auto results = fix_results("tvm", {a_model({naive, a_load("stream")})});
  REQUIRE(results.size() == 1);
  CHECK(results[0].foretold_bytes() == 1000U);
}

TEST_CASE("the table of fixes tells how far off a finding was, or that there was none", "[suite]") {
  const auto with = fix_results("tvm", {a_model({a_naive_load("blob"), a_load("stream")})});
  const auto without = fix_results("tvm", {a_model({a_load("exec-blob"), a_load("exec-stream")})});
  const std::string told = fix_table({with.front(), without.front()});
  CHECK_THAT(told, Catch::Contains("twice") && Catch::Contains("+1.0%"));
  CHECK_THAT(told, Catch::Contains("none"));
  std::istringstream lines(told);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 100);
  }
  CHECK(fix_table({}).empty());
}
