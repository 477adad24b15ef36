// Memory that was asked for and never touched, for and against.
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

TEST_CASE("a sixteenth that is missing is not worth a word", "[anatomy]") {
  Estimated load;
  load.look(700, 2 * kModelBytes - kModelBytes / 16);
  CHECK(load.found().empty());
}
