#include "analyzer/report/anatomy_text.hpp"
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::Report;
using analyzer::unexplained_text;

namespace {

using tests::kMiB;

/// A model of 100 MiB, boxed by one place.
Report boxed_load() {
  Report report;
  report.model.bytes = 100 * kMiB;
  report.peak.footprint_bytes = report.live_bytes = 2500 * kMiB;
  report.largest_place = {.name = "grow (vec.hpp:9)", .bytes = 2400 * kMiB, .blocks = 100};
  return report;
}

}  // namespace

TEST_CASE("a peak that no finding explains is told with who holds most of it", "[anatomy]") {
  CHECK(unexplained_text(boxed_load()) ==
        "No finding explains this peak. 2.34 GiB of it, 24.00 x the model, in 100 blocks of grow "
        "(vec.hpp:9).");
}

TEST_CASE("nobody is named who holds no more than the model", "[anatomy]") {
  Report report = boxed_load();
  report.largest_place.bytes = 100 * kMiB;
  CHECK(unexplained_text(report) == "No finding explains this peak.");
}

TEST_CASE("a peak that is explained, or hardly higher than the model, needs no such words",
          "[anatomy]") {
  Report explained = boxed_load();
  explained.anatomy.findings.push_back({.peak_without_bytes = 100 * kMiB});
  CHECK(unexplained_text(explained).empty());

  Report low = boxed_load();
  low.peak.footprint_bytes = 110 * kMiB;
  CHECK(unexplained_text(low).empty());

  Report without_model = boxed_load();
  without_model.model.bytes = 0;
  CHECK(unexplained_text(without_model).empty());

  Report elsewhere = boxed_load();
  elsewhere.at_peak = false;
  CHECK(unexplained_text(elsewhere).empty());
}

TEST_CASE("how many stacks are listed changes nothing of why", "[anatomy]") {
  tests::Load load;
  for (int caller = 0; caller < 20; ++caller) {
    const auto stack = load.trace.stack(
        {"malloc", "grow vec.hpp:9", "read_" + std::to_string(caller) + " load.cpp:7", "main"});
    for (int box = 0; box < 10; ++box) {
      load.trace.allocate(4 * kMiB, stack);
    }
  }
  load.trace.open_file(load.model);
  load.trace.read(load.model, tests::kModelBytes);
  auto trace = load.trace.open();

  for (const std::size_t top : {1U, 5U, 10U, 0U}) {
    CAPTURE(top);
    analyzer::ReportOptions options;
    options.top = top;
    const auto report = analyzer::build_report(trace, options);
    REQUIRE(report.ok());
    CHECK(unexplained_text(report.value()) ==
          "No finding explains this peak. 800.0 MiB of it, 3.12 x the model, in 200 blocks of grow "
          "(vec.hpp:9).");
  }
}

TEST_CASE("a model that came through small buffers is told of", "[anatomy]") {
  tests::Load load;
  load.trace.session.copies_recorded = true;
  load.trace.open_file(load.model);
  for (std::uint64_t at = 0; at < tests::kModelBytes; at += kMiB / 32) {
    load.trace.read(load.model, kMiB / 32);
  }
  load.block("convert", tests::kModelBytes);

  CHECK(analyzer::left_out_text(load.report()) ==
        "256.0 MiB of the model came through buffers smaller than 64.0 KiB, as of an ifstream: "
        "where these bytes went from there is not followed.");
}
