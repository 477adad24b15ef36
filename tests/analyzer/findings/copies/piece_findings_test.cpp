// A file that came in many small blocks beside the large one they were joined to: for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kModelBytes;
using tests::Load;

namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{32} << 10U;
constexpr std::uint64_t kPieceHeader = 33;

struct Chunks : Load {
  Chunks()
      : unsampled(trace.stack({trace::kUnsampledStackName})),
        stack(trace.stack({"malloc", "read_chunks load.cpp:8", "main"})) {}
  /// The file is read in pieces, each into a block of its own.
  void read_all(std::uint64_t block_bytes = kPieceBytes + kPieceHeader) {
    for (std::uint64_t at = 0; at < kModelBytes; at += kPieceBytes) {
      trace.at_ns(now_ms() * 1'000'000 + at);
      pieces.push_back(trace.allocate(block_bytes, stack));
      trace.read(model, kPieceBytes);
    }
    wait_ms(1000);
  }
  void join(bool is_seen = true) {
    joined = block("join", kModelBytes + kPieceHeader);
    if (is_seen) {
      trace.as_in_file(*joined, model, 0);
    }
  }
  analyzer::Report all() {
    wait_ms(1000);
    release(pieces);
    if (joined) {
      trace.release(*joined);
    }
    return report();
  }
  trace::StackId unsampled;
  trace::StackId stack;
  std::vector<std::uint64_t> pieces;
  std::optional<std::uint64_t> joined;
};

}  // namespace

TEST_CASE("a list of chunks beside what they were joined to is a second copy", "[anatomy]") {
  Chunks load;
  load.read_all();
  load.join();

  const auto found = findings_of(load.all(), FindingKind::kTwice);

  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "two copies of the weights");
  CHECK(found[0].bytes == kModelBytes + load.pieces.size() * kPieceHeader);
  CHECK(found[0].peak_without_bytes == kModelBytes + kPieceHeader);
  CHECK(found[0].sentence ==
        "256.3 MiB in 8,192 blocks of read_chunks (load.cpp:8), 32.0 KiB each, came one after the "
        "other as the file was read, and the weights are in 1 block of join (loader.cpp:40) as "
        "well.");
}

TEST_CASE("rows beside what a loop of the same line turned them into are a second copy",
          "[anatomy]") {
  Chunks load;
  load.read_all();
  load.joined =
      load.trace.allocate(kModelBytes, load.trace.stack({"malloc", "operator new(unsigned long)",
                                                         "read_chunks load.cpp:8", "main"}));
  const auto how = GENERATE(as<std::string>{}, "the model", "another file", "nothing", "later");
  CAPTURE(how);
  if (how == "another file") {
    load.trace.packed(*load.joined, load.trace.file("/data/images.tar", kModelBytes));
  } else if (how != "nothing") {
    load.trace.packed(*load.joined, load.model, how == "later" ? load.now_ms() + 900 : 0);
  }
  const auto found = findings_of(load.all(), FindingKind::kTwice);
  REQUIRE(found.size() == (how == "the model" ? 1 : 0));
  if (how == "the model") {
    CHECK(found[0].peak_without_bytes == kModelBytes);
    CHECK_THAT(found[0].sentence, Catch::EndsWith("as well, in another order."));
  }
}

TEST_CASE("chunks and the whole, then the whole and what was packed of it, are said together",
          "[anatomy]") {
  constexpr std::uint64_t kParts = 8;
  const bool is_packed = GENERATE(true, false);
  CAPTURE(is_packed);
  Chunks load;
  load.read_all();
  load.join();
  load.wait_ms(1000);
  load.release(std::exchange(load.pieces, {}));
  const trace::StackId pack_stack = load.trace.stack({"malloc", "Pack loader.cpp:50", "main"});
  for (std::uint64_t i = 0; i < kParts; ++i) {
    load.pieces.push_back(load.trace.allocate(kModelBytes / kParts, pack_stack));
    if (is_packed) {
      load.trace.packed(load.pieces.back(), load.model);
    }
  }
  const auto found = findings_of(load.all(), FindingKind::kTwice);

  // Without the chunks alone, the next copy in turn makes a peak as high.
  REQUIRE(found.size() == (is_packed ? 2 : 0));
  if (is_packed) {
    CHECK(found[0].peak_without_bytes == 2 * kModelBytes + kPieceHeader);
    CHECK_THAT(found[0].sentence, Catch::StartsWith("256.3 MiB in 8,192 blocks of read_chunks"));
    CHECK(found[1].peak_without_bytes == kModelBytes);
    CHECK(found[1].remedy == "Had the original gone once packed, too");
    CHECK_THAT(found[1].sentence,
               Catch::StartsWith("Then the peak is at ") &&
                   Catch::Contains(", 512.0 MiB: 256.0 MiB in 8 blocks of Pack (loader.cpp:50)"));
  }
}

TEST_CASE("of which place a sampled recording's chunks are is not guessed", "[anatomy]") {
  const bool are_all_sampled = GENERATE(true, false);
  CAPTURE(are_all_sampled);
  Chunks load;
  load.trace.session.sample_bytes = std::uint64_t{512} << 10U;
  if (!are_all_sampled) {
    load.stack = load.unsampled;
  }
  load.read_all();
  load.join();

  CHECK(findings_of(load.all(), FindingKind::kTwice).empty());
}

TEST_CASE("chunks that went before they were joined, or that stand alone, are no copy",
          "[anatomy]") {
  const std::string how = GENERATE("gone", "alone", "beside a block of which nothing is known");
  CAPTURE(how);
  Chunks load;
  load.read_all();
  if (how == "gone") {
    load.release(std::exchange(load.pieces, {}));
  }
  if (how != "alone") {
    load.join(how == "gone");
  }
  CHECK(findings_of(load.all(), FindingKind::kTwice).empty());
}

TEST_CASE("small blocks that are as large as the file by chance are no copy of it", "[anatomy]") {
  const bool is_as_large = GENERATE(true, false);
  CAPTURE(is_as_large);
  Chunks load;
  if (is_as_large) {  // But made once all is read.
    load.trace.read(load.model, kModelBytes / 2);
    load.wait_ms(10);
    load.trace.read(load.model, kModelBytes / 2);
    load.join();
    for (std::uint64_t at = 0; at < kModelBytes; at += kPieceBytes) {
      load.pieces.push_back(load.trace.allocate(kPieceBytes, load.stack));
    }
  } else {
    load.read_all(2 * kPieceBytes - 1);
    load.join();
  }
  CHECK(findings_of(load.all(), FindingKind::kTwice).empty());
}
