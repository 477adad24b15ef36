// Memory that was asked for long before it was used, for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::Load;

namespace {

/// Activations of half the model that are there before the weights, and a staging buffer that makes
/// the peak and goes before the activations are used.
struct Staged : Load {
  explicit Staged(trace::Lane lane = trace::Lane::kHeap) {
    activations = block("plan_memory", kActivations, lane);
    trace.look(activations, now_ms() + 5, 0);
    streamed_tensors();
    staging = block("staging", 4 * kTensorBytes);
    peak_ms = now_ms();
    wait_ms(100);
    trace.release(staging);
  }
  std::vector<analyzer::Finding> found() {
    wait_ms(1000);
    trace.release(activations);
    return findings_of(report(), FindingKind::kEarly);
  }
  static constexpr std::uint64_t kActivations = kModelBytes / 2;
  std::uint64_t activations = 0;
  std::uint64_t staging = 0;
  std::uint64_t peak_ms = 0;
};

}  // namespace

TEST_CASE("a block that was not used before the peak had passed came too early", "[anatomy]") {
  Staged load;
  load.trace.look(load.activations, load.peak_ms + 200, 4096);
  load.trace.look(load.activations, load.peak_ms + 300, Staged::kActivations);

  const auto found = load.found();

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == Staged::kActivations);
  // The weights and the activations, once the staging buffer is gone.
  CHECK(found[0].peak_without_bytes.value_or(0) == kModelBytes + Staged::kActivations);
  CHECK(found[0].remedy == "Asked for when they are used, a later peak is left");
  CHECK_THAT(found[0].sentence,
             Catch::Contains("128.0 MiB in 1 block of plan_memory (loader.cpp:40)"));
}

TEST_CASE("device memory can come too early, too, whether or not it is used in the end",
          "[anatomy]") {
  Staged load(trace::Lane::kDevice);
  load.trace.look(load.activations, load.peak_ms + 200, 0);
  const auto found = load.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].peak_without_bytes == kModelBytes + Staged::kActivations);
}

TEST_CASE("a block that was in use at the peak, or may have been, came in time", "[anatomy]") {
  Staged load;
  SECTION("a look before the peak found it in use") {
    load.trace.look(load.activations, load.peak_ms - 20, Staged::kActivations);
    load.trace.look(load.activations, load.peak_ms + 300, Staged::kActivations);
    CHECK(load.found().empty());
  }
  SECTION("nobody looked between the peak and its use") {
    load.trace.look(load.activations, load.peak_ms - 20, 0);
    load.trace.look(load.activations, load.peak_ms + 300, Staged::kActivations);
    CHECK(load.found().empty());
  }
  SECTION("it was used, given back and used again") {
    load.trace.look(load.activations, load.peak_ms - 50, Staged::kActivations);
    load.trace.look(load.activations, load.peak_ms + 200, 0);
    load.trace.look(load.activations, load.peak_ms + 300, Staged::kActivations);
    CHECK(load.found().empty());
  }
  SECTION("a sixteenth of it was used") {
    load.trace.look(load.activations, load.peak_ms + 200, Staged::kActivations / 8);
    load.trace.look(load.activations, load.peak_ms + 300, Staged::kActivations);
    CHECK(load.found().empty());
  }
}

TEST_CASE("a block that is never used is another finding's", "[anatomy]") {
  Staged load;
  load.trace.look(load.activations, load.peak_ms + 900, 0);
  CHECK(load.found().empty());
}
