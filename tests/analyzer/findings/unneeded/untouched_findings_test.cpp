// Memory that was asked for and never touched, for and against.
#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::Load;

namespace {

/// A load with a buffer of twice the model beside it.
struct Estimated : Load {
  Estimated() {
    streamed_tensors();
    buffer = block("estimate", 2 * kModelBytes);
  }
  /// Its pages, so long after it came.
  void look(std::uint64_t after_ms, std::uint64_t bytes) {
    trace.look(buffer, now_ms() + after_ms, bytes);
  }
  std::vector<analyzer::Finding> found() {
    wait_ms(1000);
    trace.release(buffer);
    return findings_of(report(), FindingKind::kUntouched);
  }
  std::uint64_t buffer = 0;
};

}  // namespace

TEST_CASE("what of a buffer no look found in memory was never touched", "[anatomy]") {
  Estimated load;
  load.look(10, 0);
  load.look(300, kModelBytes / 2);
  load.look(700, kModelBytes / 2);

  const auto found = load.found();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 3 * kModelBytes / 2);
  CHECK(found[0].peak_without_bytes == 3 * kModelBytes / 2);
  CHECK(found[0].remedy == "With what was touched");
  CHECK_THAT(found[0].sentence,
             Catch::Contains("384.0 MiB of the 512.0 MiB in 1 block of estimate (loader.cpp:40) "
                             "were never touched"));
}

TEST_CASE("a buffer that was looked at in its youth only may have been filled since", "[anatomy]") {
  Estimated load;
  load.look(10, 0);
  load.look(200, 0);
  CHECK(load.found().empty());
}

TEST_CASE("of a buffer that was still being filled when it was last seen nothing is said",
          "[anatomy]") {
  Estimated load;
  load.look(10, 0);
  load.look(300, kModelBytes / 4);
  load.look(500, kModelBytes / 2);
  load.look(700, kModelBytes + kModelBytes / 4);
  CHECK(load.found().empty());
}

TEST_CASE("what may have been touched after the last look is taken off", "[anatomy]") {
  Estimated load;
  load.look(10, 0);
  load.look(500, kModelBytes / 2);
  load.look(700, kModelBytes / 2 + 20 * kMiB);
  const auto found = load.found();  // 300 ms later, and the load's last step
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes <= 3 * kModelBytes / 2 - 50 * kMiB);
  CHECK(found[0].bytes >= 3 * kModelBytes / 2 - 60 * kMiB);
}

TEST_CASE("a buffer that was touched and given back in parts was used", "[anatomy]") {
  Estimated load;
  load.look(10, 0);
  load.look(300, 2 * kModelBytes);
  load.look(700, 0);
  CHECK(load.found().empty());
}

TEST_CASE("of a buffer that was not looked at nothing is said", "[anatomy]") {
  Estimated load;
  CHECK(load.found().empty());
}

TEST_CASE("a buffer that stays to the end is full where that much is resident then", "[anatomy]") {
  const bool is_filled = GENERATE(true, false);
  CAPTURE(is_filled);
  Estimated load;
  load.look(10, 0);
  load.look(300, 0);
  load.look(700, 0);
  load.wait_ms(701);
  const std::uint64_t written = is_filled ? 2 * kModelBytes : 0;
  load.trace.at_ms(load.now_ms()).sample(kModelBytes + written);
  const auto found = findings_of(load.report(), FindingKind::kUntouched);
  CHECK(found.empty() == is_filled);
}

TEST_CASE("what nothing explains may be what is resident beside a buffer", "[anatomy]") {
  Load load;
  load.trace.at_ms(load.now_ms()).sample(4 * kModelBytes);  // In no lane, from the beginning on.
  load.streamed_tensors();
  const std::uint64_t buffer = load.block("estimate", 2 * kModelBytes);
  for (const std::uint64_t after_ms : {10U, 300U, 700U}) {
    load.trace.look(buffer, load.now_ms() + after_ms, 0);
  }
  load.wait_ms(701);
  load.trace.at_ms(load.now_ms()).sample(5 * kModelBytes);
  CHECK(findings_of(load.report(), FindingKind::kUntouched).size() == 1);
}

TEST_CASE("a sixteenth that is missing is not worth a word", "[anatomy]") {
  Estimated load;
  load.look(700, 2 * kModelBytes - kModelBytes / 16);
  CHECK(load.found().empty());
}

TEST_CASE("several places with parts that were never touched are also taken together",
          "[anatomy]") {
  Load load;
  load.streamed_tensors();
  const auto keys = load.block("keys", 2 * kModelBytes);
  const auto values = load.block("values", 2 * kModelBytes);
  for (const std::uint64_t buffer : {keys, values}) {
    load.trace.look(buffer, load.now_ms() + 300, kModelBytes);
    load.trace.look(buffer, load.now_ms() + 700, kModelBytes);
  }
  load.wait_ms(1000);
  load.trace.release(keys);
  load.trace.release(values);

  const auto report = load.report();

  const auto found = findings_of(report, FindingKind::kUntouched);
  REQUIRE(found.size() == 2);
  CHECK(found[0].peak_without_bytes == 4 * kModelBytes);
  CHECK(report.anatomy.peak_without_all_bytes == 3 * kModelBytes);
  CHECK(analyzer::together_text(report) ==
        "Without all that these findings name: 768.0 MiB = 3.00 x W.");
}

TEST_CASE("what all of a place's blocks never had in memory reads as all", "[anatomy]") {
  Estimated load;
  load.look(10, 0);
  load.look(700, 0);
  const auto found = load.found();
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].sentence, Catch::StartsWith("The 512.0 MiB in 1 block of estimate "));
}

namespace {

/// A program that loads no model, and asks for a buffer of which `touched_bytes` are ever in
/// memory.
analyzer::Report report_without_model(std::uint64_t asked_bytes, std::uint64_t touched_bytes) {
  tests::TraceBuilder trace;
  trace.at_ms(10);
  const auto buffer = trace.allocate(asked_bytes, trace.stack({"malloc", "reserve a.cpp:9"}));
  trace.look(buffer, 400, touched_bytes);
  trace.look(buffer, 800, touched_bytes);
  trace.at_ms(900).sample(touched_bytes);
  trace.at_ms(1000).release(buffer);
  auto opened = trace.open();
  return analyzer::build_report(opened, {}).value();
}

}  // namespace

TEST_CASE("without a model, much that was never touched is said, and little is not", "[anatomy]") {
  const auto much = report_without_model(100 * kMiB, 40 * kMiB);
  const auto found = findings_of(much, FindingKind::kUntouched);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 60 * kMiB);
  CHECK(found[0].peak_without_bytes == 40 * kMiB);
  CHECK(report_without_model(100 * kMiB, 91 * kMiB).anatomy.findings.empty());
  CHECK(report_without_model(20 * kMiB, 6 * kMiB).anatomy.findings.empty());
}

TEST_CASE("what was never touched of a block is told where a finding names it and leaves it",
          "[anatomy]") {
  using tests::kTensorBytes;
  using tests::kTensors;
  Load load;
  const auto packed = load.block("read_file", kModelBytes);
  load.trace.read_into(load.model, kModelBytes, packed);
  load.release({packed});
  const bool is_copy_larger = GENERATE(false, true);  // Then it is what the finding takes away.
  CAPTURE(is_copy_larger);
  std::vector<std::uint64_t> roomy;
  std::vector<std::uint64_t> copies;
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    roomy.push_back(load.block("decompress", kTensorBytes + kTensorBytes / 2));
    load.trace.alike(roomy.back(), roomy.back());
  }
  for (const std::uint64_t of : roomy) {
    copies.push_back(load.block("astype", (is_copy_larger ? 2 : 1) * kTensorBytes));
    load.trace.alike(copies.back(), of);
    load.trace.look(of, load.now_ms() + 300, kTensorBytes);
    load.trace.look(of, load.now_ms() + 700, kTensorBytes);
  }

  const auto report = load.report_of_all({roomy, copies});

  CHECK(findings_of(report, FindingKind::kTwice).size() == 1);
  const auto found = findings_of(report, FindingKind::kUntouched);
  CHECK(found.size() == (is_copy_larger ? 0 : 1));
  if (!found.empty()) {
    CHECK(found[0].bytes == kModelBytes / 2);
    CHECK_THAT(found[0].sentence, Catch::Contains("16 blocks of decompress"));
  }
}
