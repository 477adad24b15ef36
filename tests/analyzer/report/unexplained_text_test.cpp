#include "analyzer/report/anatomy_text.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::Report;
using analyzer::unexplained_text;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

analyzer::ReportStack stack(std::uint64_t bytes, const char* caller) {
  return {.bytes = bytes,
          .blocks = 50,
          .frames = {{.function = "grow", .file = "vec.hpp", .line = 9, .module = "/bin/load"},
                     {.function = caller, .file = "load.cpp", .line = 7, .module = "/bin/load"}}};
}

/// A model of 100 MiB, boxed by one place that two functions call.
Report boxed_load() {
  Report report;
  report.model.bytes = 100 * kMiB;
  report.peak.footprint_bytes = report.live_bytes = 2500 * kMiB;
  report.live_stacks = {stack(1800 * kMiB, "read_layers"), stack(600 * kMiB, "read_heads")};
  return report;
}

}  // namespace

TEST_CASE("a peak that no finding explains is told with who holds most of it", "[anatomy]") {
  CHECK(unexplained_text(boxed_load()) ==
        "No finding explains this peak. 2.3 GiB of it, 24.00 x the model, in 100 blocks of grow "
        "(vec.hpp:9).");
}

TEST_CASE("nobody is named who holds no more than the model", "[anatomy]") {
  Report report = boxed_load();
  report.live_stacks = {stack(100 * kMiB, "read_layers")};
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
