// A document of small objects that went when the model was made of it, for and against.

#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::Load;

namespace {

constexpr std::uint64_t kObjects = 64'000;
constexpr std::uint64_t kObjectBytes = 1000;
constexpr std::uint64_t kMadeBytes = 40 * kMiB;

/// Each of them with a stack of its own place.
std::vector<std::uint64_t> objects(Load& load,
                                   std::uint64_t count = kObjects,
                                   std::uint64_t bytes = kObjectBytes) {
  load.wait_ms(10);
  const trace::StackId stack =
      load.trace.at_ms(load.now_ms()).stack({"malloc", "parse_node json.cpp:7", "main"});
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t i = 0; i < count; ++i) {
    blocks.push_back(load.trace.allocate(bytes, stack));
  }
  return blocks;
}

/// A program that goes on for a while.
void go_on(Load& load) {
  load.wait_ms(1000);
  (void)load.block("use", 1);
}

}  // namespace

TEST_CASE("a document that goes while what was made of it stays is parsed", "[anatomy]") {
  Load load;
  (void)load.blob();
  const auto document = objects(load);
  (void)load.block("build", kMadeBytes);
  load.release(document);
  go_on(load);

  const auto found = findings_of(load.report(), FindingKind::kParsed);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kObjects * kObjectBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes + kMadeBytes + 1);
  CHECK_THAT(found[0].sentence,
             Catch::Contains("61.0 MiB in 64,000 blocks of parse_node (json.cpp:7), 0.2 bytes for "
                             "each byte of the model, came since it was opened and were gone by"));
  CHECK_THAT(found[0].sentence, Catch::Contains("while 40.0 MiB that came since then stayed."));
}

TEST_CASE("small objects that stay, or with which all goes, may be the model", "[anatomy]") {
  Load load;
  const bool is_made = GENERATE(true, false);
  CAPTURE(is_made);
  const auto blob = load.blob();
  const auto document = objects(load);
  if (is_made) {
    (void)load.block("build", kMadeBytes);
  } else {
    (void)load.block("crumbs", kMiB);
    load.release(document);
  }
  load.release({blob});
  go_on(load);

  CHECK(findings_of(load.report(), FindingKind::kParsed).empty());
}

TEST_CASE("objects that stood before the load, or large ones, are no document", "[anatomy]") {
  Load load;
  const bool stood_before = GENERATE(true, false);
  CAPTURE(stood_before);
  std::vector<std::uint64_t> blocks;
  if (stood_before) {
    blocks = objects(load);
  }
  (void)load.blob();
  if (!stood_before) {
    blocks = objects(load, 16'000, 4096);
  }
  (void)load.block("build", kMadeBytes);
  load.release(blocks);
  go_on(load);

  CHECK(findings_of(load.report(), FindingKind::kParsed).empty());
}
