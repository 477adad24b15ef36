#include "reference_loaders/cli/recorded_load.hpp"

#include "tests/support/catch.hpp"

using namespace tidemark::loaders;

namespace {

constexpr const char* kRun = R"({"predicted_peak_bytes": 2000, "predicted_mapped_bytes": 500,
  "predicted_numbers": "2 x 1000 B", "seconds": 0.5, "gigabytes_per_second": 1.5,
  "checksum": "0123456789abcdef", "notes": {"code kept": "1000 B"}})";
constexpr const char* kReport = R"({"schema": 1, "events": {"lost": 3},
  "peak": {"footprint_bytes": 2010, "ratio": 2.01},
  "lane_peaks": {"file_bytes": 495}})";

std::string report_with(const std::string& from, const std::string& to) {
  std::string report = kReport;
  return report.replace(report.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("a recorded load is put together from the loader's and tidemark's words", "[demo]") {
  const RecordedLoad load = parse_recorded_load(kRun, kReport);

  CHECK(load.peak_bytes == 2010);
  CHECK(load.peak_ratio == 2.01);
  CHECK(load.lost_events == 3);
  CHECK(load.highest_mapped == 495);
  CHECK(load.measured_bytes() == 2505);
  CHECK(load.predicted_bytes() == 2500);
  CHECK(load.predicted.numbers == "2 x 1000 B");
  CHECK(load.seconds == 0.5);
  CHECK(load.gigabytes_per_second == 1.5);
  CHECK(load.notes.at(0).name == "code kept");
  CHECK(load.checksum == "0123456789abcdef");
}

TEST_CASE("data of programs and libraries is no part of a load", "[demo]") {
  const RecordedLoad load = parse_recorded_load(kRun, report_with(R"("events")", R"json("at_peak": [
      {"bytes": 10, "stack": [{"function": "(written data of libLLVM.so)"}]},
      {"bytes": 1000, "stack": [{"function": "load"}, {"function": "(written data of x)"}]},
      {"bytes": 1000, "stack": []}], "events")json"));

  CHECK(load.peak_bytes == 2010);
  CHECK(load.program_data_bytes == 10);
  CHECK(load.measured_bytes() == 2495);
}

TEST_CASE("the first finding is the first one that lowers the peak", "[demo]") {
  CHECK_FALSE(parse_recorded_load(kRun, kReport).finding.has_value());
  const std::string some = R"json("findings": [
      {"kind": "written_twice", "peak_without_bytes": null},
      {"kind": "twice", "peak_without_bytes": 1010}, {"kind": "held", "peak_without_bytes": 1500}],
      "events")json";
  const RecordedLoad load = parse_recorded_load(kRun, report_with(R"("events")", some));
  REQUIRE(load.finding.has_value());
  CHECK(load.finding->kind == "twice");
  CHECK(load.finding->peak_without_bytes == 1010);
}

TEST_CASE("a peak ratio of null is no ratio, not a ratio of zero", "[demo]") {
  CHECK_FALSE(parse_recorded_load(kRun, report_with("2.01", "null")).peak_ratio.has_value());
}

TEST_CASE("a report without what is looked for is an error", "[demo]") {
  const std::string report =
      GENERATE(as<std::string>(), "", "no json", "[]", report_with("ratio", "other"),
               report_with("lane_peaks", "lanes"), report_with("lost", "found"),
               report_with("2010", "\"2010\""));
  CAPTURE(report);

  CHECK_THROWS_WITH(parse_recorded_load(kRun, report), Catch::Contains("cannot be understood"));
}
