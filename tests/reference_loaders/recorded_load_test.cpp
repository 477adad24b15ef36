#include "reference_loaders/cli/recorded_load.hpp"

#include <catch2/catch.hpp>

using namespace tidemark::loaders;

namespace {

constexpr const char* kRun =
    R"({"predicted_peak_bytes": 2000, "seconds": 0.5, "checksum": "0123456789abcdef"})";
constexpr const char* kReport =
    R"({"schema": 1, "peak": {"footprint_bytes": 2010, "ratio": 2.01}, "events": {"lost": 3}})";

}  // namespace

TEST_CASE("a recorded load is put together from the loader's and tidemark's words", "[demo]") {
  const RecordedLoad load = parse_recorded_load(kRun, kReport);

  CHECK(load.peak_bytes == 2010);
  CHECK(load.peak_ratio == 2.01);
  CHECK(load.lost_events == 3);
  CHECK(load.predicted_peak_bytes == 2000);
  CHECK(load.seconds == 0.5);
  CHECK(load.checksum == "0123456789abcdef");
}

TEST_CASE("a report without a peak ratio is an error, not a ratio of zero", "[demo]") {
  const char* const report =
      GENERATE("", "no json", "[]", R"({"peak": {"footprint_bytes": 1}, "events": {"lost": 0}})",
               R"({"peak": {"footprint_bytes": 1, "ratio": null}, "events": {"lost": 0}})");
  CAPTURE(report);

  CHECK_THROWS_WITH(parse_recorded_load(kRun, report), Catch::Contains("cannot be understood"));
}
