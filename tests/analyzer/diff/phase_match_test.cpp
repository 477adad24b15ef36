#include "analyzer/diff/phase_match.hpp"

#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::Report;
using tests::kMiB;
using tests::TraceBuilder;

namespace {

Report with_phases(const std::vector<std::string>& names) {
  Report report;
  for (const std::string& name : names) {
    report.phases.push_back({.name = name});
  }
  return report;
}

/// `before after`, with `-` where the phase is missing.
std::vector<std::string> matched(const Report& before, const Report& after) {
  std::vector<std::string> lines;
  for (const auto& pair : analyzer::match_phases(before, after)) {
    lines.push_back((pair.before ? pair.before->name : "-") + ' ' +
                    (pair.after ? pair.after->name : "-"));
  }
  return lines;
}

Report report_of(TraceBuilder& trace) {
  auto loaded = trace.open();
  return analyzer::build_report(loaded, {}).value();
}

}  // namespace

using Lines = std::vector<std::string>;

TEST_CASE("phases of one name are the same phase", "[diff]") {
  CHECK(matched(with_phases({"read", "copy", "check"}), with_phases({"read", "check"})) ==
        Lines{"read read", "copy -", "check check"});
  CHECK(matched(with_phases({"read"}), with_phases({"open", "read"})) ==
        Lines{"- open", "read read"});
}

TEST_CASE("phases that changed places are still matched, and each is listed once", "[diff]") {
  CHECK(matched(with_phases({"a", "b", "c"}), with_phases({"c", "a"})) ==
        Lines{"b -", "c c", "a a"});
}

TEST_CASE("the first phase of a name is matched with the first", "[diff]") {
  Report before = with_phases({"shard", "shard"});
  Report after = with_phases({"shard", "shard", "shard"});
  before.phases[1].peak_bytes = 2;
  after.phases[1].peak_bytes = 20;

  const auto pairs = analyzer::match_phases(before, after);

  REQUIRE(pairs.size() == 3);
  CHECK(pairs[1].before->peak_bytes == 2);
  CHECK(pairs[1].after->peak_bytes == 20);
  CHECK_FALSE(pairs[2].before.has_value());
}

TEST_CASE("renamed phases are matched by the share of the model that they load", "[diff]") {
  TraceBuilder before;
  const auto file = before.file("/m/a.gguf", 10 * kMiB);
  before.at_ms(1).begin_phase("read header");
  before.at_ms(2).read(file, 1 * kMiB);
  before.at_ms(3).end_phase("read header");
  before.at_ms(4).begin_phase("read tensors");
  before.at_ms(5).read(file, 9 * kMiB);
  before.at_ms(6).end_phase("read tensors");
  before.at_ms(7).begin_phase("check");
  before.at_ms(8).end_phase("check");
  TraceBuilder after;
  const auto renamed = after.file("/m/b.gguf", 20 * kMiB);
  after.at_ms(10).begin_phase("stream");
  after.at_ms(20).read(renamed, 2 * kMiB);
  after.at_ms(30).read(renamed, 18 * kMiB);
  after.at_ms(40).end_phase("stream");
  after.at_ms(50).begin_phase("verify");
  after.at_ms(60).end_phase("verify");

  CHECK(matched(report_of(before), report_of(after)) ==
        Lines{"read header -", "read tensors stream", "check verify"});
}

TEST_CASE("without a model, phases of other names are not matched", "[diff]") {
  CHECK(matched(with_phases({"read"}), with_phases({"stream"})) == Lines{"- stream", "read -"});
}

TEST_CASE("the share of a model is exact at the ends, whatever the number of reads", "[diff]") {
  TraceBuilder trace;
  const auto file = trace.file("/m/a.gguf", 4 * kMiB);
  for (std::uint64_t i = 0; i < 4096; ++i) {
    trace.at_ms(i + 1).read(file, 1024);
  }

  const Report report = report_of(trace);

  REQUIRE(report.files.size() == 1);
  CHECK(report.files[0].progress.size() <= 512);
  CHECK(report.files[0].bytes_until(0) == 0);
  CHECK(report.files[0].bytes_until(4096 * 1'000'000ULL) == 4 * kMiB);
  const auto half = static_cast<double>(report.files[0].bytes_until(2048 * 1'000'000ULL));
  CHECK(half == Approx(2.0 * kMiB).margin(4.0 * kMiB / 200));
}
