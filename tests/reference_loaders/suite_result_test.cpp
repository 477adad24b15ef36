#include "reference_loaders/cli/suite_result.hpp"

#include "tests/reference_loaders/suite_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark::loaders;
using test::a_failure;
using test::a_load;
using test::a_model;

namespace {

/// Of the last row of a model.
std::vector<std::string> objections_to_last(std::vector<RowResult> rows) {
  const ModelResult model = a_model(std::move(rows));
  return objections(model, model.rows.back());
}

}  // namespace

TEST_CASE("a row holds when its peak is within two percent of the predicted one", "[suite]") {
  for (const std::uint64_t measured : {980U, 1000U, 1020U}) {
    CAPTURE(measured);
    CHECK(objections_to_last({a_load("blob", measured)}).empty());
  }
}

TEST_CASE("a row does not hold when its peak is further off than two percent", "[suite]") {
  for (const std::uint64_t measured : {0U, 979U, 1021U, 4000U}) {
    CAPTURE(measured);
    const auto found = objections_to_last({a_load("blob", measured)});
    REQUIRE(found.size() == 1);
    CHECK_THAT(found[0], Catch::Contains("the measured peak of") && Catch::Contains("1000 B"));
  }
}

TEST_CASE("a prediction of nothing never holds", "[suite]") {
  RowResult row = a_load("blob");
  row.run.load->predicted.footprint_bytes = 0;
  CHECK(objections_to_last({row}).size() == 1);

  row.run.load->peak_bytes = 0;
  CHECK(objections_to_last({row}).size() == 1);
}

TEST_CASE("what is mapped counts, beside the footprint or on its own", "[suite]") {
  RowResult row = a_load("mmap-copy", 600);
  row.run.load->predicted = {.footprint_bytes = 600, .mapped_bytes = 400, .numbers = ""};
  row.run.load->highest_mapped = 400;
  CHECK(objections_to_last({row}).empty());

  row.run.load->highest_mapped = 300;
  CHECK(objections_to_last({row}).size() == 1);

  row.run.load->predicted = {.footprint_bytes = 0, .mapped_bytes = 1000, .numbers = ""};
  row.run.load->peak_bytes = 3;
  row.run.load->highest_mapped = 1000;
  CHECK(objections_to_last({row}).empty());
}

TEST_CASE("a row does not hold when events were lost", "[suite]") {
  RowResult row = a_load("blob");
  row.run.load->lost_events = 7;

  const auto found = objections_to_last({row});

  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Catch::Contains("7 events were lost"));
}

TEST_CASE("rows of one model must have the checksum of its first load", "[suite]") {
  RowResult other = a_load("stream");
  other.run.load->checksum = "decaf";

  const auto found = objections_to_last({a_failure("broken", "no"), a_load("blob"), other});

  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Catch::Contains("decaf") && Catch::Contains("c0ffee of blob"));
}

TEST_CASE("a row that fails says how", "[suite]") {
  CHECK(objections_to_last({a_failure("blob", "model: not a params file")}) ==
        std::vector<std::string>{"it failed, exit status 2: model: not a params file"});
}

TEST_CASE("a row that must fail holds when it says what it must", "[suite]") {
  RowResult row = a_failure("hardcoded", "model: needs 12 bytes more than estimated");
  row.row.fails_with = "more than estimated";

  CHECK(objections_to_last({row}).empty());
}

TEST_CASE("a row that must fail does not hold when it says something else", "[suite]") {
  RowResult row = a_failure("hardcoded", "no such file");
  row.row.fails_with = "more than estimated";

  const auto found = objections_to_last({row});

  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Catch::Contains("failed otherwise, exit status 2: no such file"));
}

TEST_CASE("a row that must fail does not hold when it loads the model", "[suite]") {
  RowResult row = a_load("hardcoded");
  row.row.fails_with = "more than estimated";

  const auto found = objections_to_last({row});

  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], Catch::Contains("but loads the model"));
}

TEST_CASE("the ending of a process is its last sentence, and never empty", "[suite]") {
  CHECK(ending({.exit_status = 1, .signal = 0, .out = {}, .err = "one\ntwo\n\n"}) ==
        "exit status 1: two");
  CHECK(ending({.exit_status = 1, .signal = 0, .out = {}, .err = ""}) ==
        "exit status 1 without a word");
  CHECK(ending({.exit_status = -1, .signal = 9, .out = {}, .err = "\n"}) ==
        "ended by signal 9 without a word");
  CHECK(ending({.exit_status = 139, .signal = 0, .out = {}, .err = ""}) ==
        "ended by signal 11 without a word");
}

TEST_CASE("a row's name tells what sets it apart", "[suite]") {
  CHECK(row_name({.model = {}, .variant = "lazy"}) == "lazy");
  CHECK(row_name({.model = {},
                  .variant = "lazy",
                  .options = {{"reopen", "1"}, {"tokens", "32"}},
                  .cold = true}) == "lazy --reopen --tokens 32, cold");
}
