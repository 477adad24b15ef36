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
constexpr std::uint64_t kListBytes = 64 * kMiB;

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

namespace {

/// The list of all objects: asked for by the line that asks for them, called from elsewhere.
std::uint64_t list_of_all(Load& load, const std::string& asker) {
  load.wait_ms(10);
  return load.trace.allocate(kListBytes, load.trace.stack({"malloc", asker, "parse_root", "main"}));
}

}  // namespace

TEST_CASE("what a document's own line took for its lists is part of it", "[anatomy]") {
  Load load;
  const auto [asker, is_read_into, stays, listed] = GENERATE(table<std::string, bool, bool, bool>({
      {"parse_node json.cpp:7", false, false, true},
      {"parse_node json.cpp:7", true, false, false},
      {"parse_node json.cpp:7", false, true, false},
      {"parse_root json.cpp:90", false, false, false},
  }));
  CAPTURE(asker, is_read_into, stays);
  (void)load.blob();
  const auto document = objects(load);
  const auto list = list_of_all(load, asker);
  if (is_read_into) {
    load.trace.read_into(load.model, kListBytes, list);
  }
  (void)load.block("build", kMadeBytes);
  load.release(document);
  load.wait_ms(1);
  if (!stays) {
    load.trace.release(list);
  }
  go_on(load);

  const auto found = findings_of(load.report(), FindingKind::kParsed);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kObjects * kObjectBytes + (listed ? kListBytes : 0));
}

TEST_CASE("a document of many small objects is none for one large block more", "[anatomy]") {
  Load load;
  (void)load.blob();
  const auto document = objects(load, 900);
  const auto list = list_of_all(load, "parse_node json.cpp:7");
  (void)load.block("build", kMadeBytes);
  load.release(document);
  load.trace.release(list);
  go_on(load);

  CHECK(findings_of(load.report(), FindingKind::kParsed).empty());
}

TEST_CASE("the peak without all that findings name is without all documents", "[anatomy]") {
  Load load;
  (void)load.blob();
  const auto document = objects(load);
  const trace::StackId stack = load.trace.stack({"malloc", "copy_node json.cpp:30", "main"});
  std::vector<std::uint64_t> copy;
  for (std::uint64_t i = 0; i < kObjects; ++i) {
    copy.push_back(load.trace.allocate(kObjectBytes, stack));
  }
  (void)load.block("build", kMadeBytes);
  const auto more = load.block("scratch", kModelBytes / 2);
  load.release(document);
  load.release(copy);
  go_on(load);
  load.trace.release(more);

  const auto report = load.report();

  CHECK(findings_of(report, FindingKind::kParsed).size() == 2);
  CHECK(report.anatomy.peak_without_all_bytes == kModelBytes + kMadeBytes + kModelBytes / 2 + 1);
}
