// Findings about what happened in the lives of blocks, for and against.

#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <optional>
#include <string>
#include <vector>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::Load;

TEST_CASE("a block set whole before the file comes is written twice", "[anatomy]") {
  Load load;
  const auto blob = load.block("read_file", kModelBytes);
  load.trace.fill(kModelBytes, blob);
  load.read_whole(blob);

  const auto found = findings_of(load.report(), FindingKind::kWrittenTwice);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK_FALSE(found[0].peak_without_bytes);
}

TEST_CASE("a fill of a part, or after the file came, is no double writing", "[anatomy]") {
  Load load;
  const auto blob = load.block("read_file", kModelBytes);
  load.trace.fill(kModelBytes / 2, blob);
  load.read_whole(blob);
  load.trace.fill(kModelBytes, blob);

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("a block that gives pages back was filled by what it had when the file came",
          "[anatomy]") {
  Load load;
  const auto block = load.block("array", 0, trace::Lane::kAnon);
  load.trace.grow(block, kModelBytes);
  const bool is_whole = GENERATE(true, false);
  load.trace.fill(is_whole ? kModelBytes : kModelBytes / 2, block);
  load.read_whole(block);
  load.trace.release_part(block, is_whole ? kModelBytes : kModelBytes / 2);
  const auto found = findings_of(load.report(), FindingKind::kWrittenTwice);
  REQUIRE(found.size() == (is_whole ? 1 : 0));
  if (is_whole) {
    CHECK(found[0].bytes == kModelBytes);
  }
}

TEST_CASE("pages that were there before the file say that they were written", "[anatomy]") {
  const auto lane = GENERATE(trace::Lane::kHeap, trace::Lane::kAnon);
  Load load;
  load.read_whole(load.block("init_weights", kModelBytes, lane), 1.0);

  const auto found = findings_of(load.report(), FindingKind::kWrittenTwice);

  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].sentence,
             Catch::Contains("in memory already when the file was read into it"));
}

TEST_CASE("half of the pages there is what huge pages do", "[anatomy]") {
  Load load;
  load.read_whole(load.block("Empty", kModelBytes), 0.5);

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("memory of the heap that was used before may be there", "[anatomy]") {
  Load load;
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    load.trace.read_into(load.model, kTensorBytes, load.block("Empty", kTensorBytes), 1.0);
  }

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("a buffer that the file goes through again and again is there", "[anatomy]") {
  Load load;
  const auto staging = load.block("staging", 64 * kMiB, trace::Lane::kAnon);
  load.read_whole(staging, 1.0);

  CHECK(findings_of(load.report(), FindingKind::kWrittenTwice).empty());
}

namespace {

/// Grows as std::vector does, from `first` bytes to `last`; every step is read full.
std::uint64_t grown_by_moves(Load& load, std::uint64_t first, std::uint64_t last) {
  auto buffer = load.block("slurp", first);
  load.trace.read_into(load.model, first, buffer);
  for (std::uint64_t size = first; size < last; size *= 2) {
    const auto larger = load.block("slurp", 2 * size);
    load.trace.copy(size, buffer, larger);
    load.trace.release(buffer);
    buffer = larger;
    load.trace.read_into(load.model, std::min(size, kModelBytes - size), buffer);
  }
  return buffer;
}

}  // namespace

TEST_CASE("a buffer that grew by moving costs its old copy at the peak", "[anatomy]") {
  Load load;
  grown_by_moves(load, kModelBytes / 16, kModelBytes);

  const auto report = load.report();
  const auto grown = findings_of(report, FindingKind::kGrown);

  CHECK(report.peak.footprint_bytes == kModelBytes + kModelBytes / 2);
  REQUIRE(grown.size() == 1);
  CHECK(grown[0].bytes == kModelBytes / 2);
  CHECK(grown[0].peak_without_bytes == kModelBytes);
  CHECK_THAT(grown[0].sentence, Catch::Contains("grew in 4 steps"));
}

TEST_CASE("two steps are growth where each old block goes", "[anatomy]") {
  Load load;
  grown_by_moves(load, kModelBytes / 4, kModelBytes);

  const auto grown = findings_of(load.report(), FindingKind::kGrown);

  REQUIRE(grown.size() == 1);
  CHECK_THAT(grown[0].sentence, Catch::Contains("grew in 2 steps"));
  CHECK(grown[0].peak_without_bytes == kModelBytes);
}

TEST_CASE("the old block of a buffer that grows was neither held nor copied on", "[anatomy]") {
  Load load;
  auto buffer = load.block("slurp", kModelBytes / 8);
  load.trace.read_into(load.model, kModelBytes / 8, buffer);
  for (std::uint64_t size = kModelBytes / 8; size < kModelBytes; size *= 2) {
    const auto larger = load.block("slurp", 2 * size);
    load.trace.copy(size, buffer, larger);
    const auto beside = load.block("another_thread", 16 * kMiB);
    load.trace.release(buffer);
    load.trace.release(beside);
    buffer = larger;
    load.trace.read_into(load.model, size, buffer);
  }
  const auto report = load.report();
  CHECK(findings_of(report, FindingKind::kGrown).size() == 1);
  CHECK(findings_of(report, FindingKind::kHeld).empty());
  CHECK(findings_of(report, FindingKind::kTwice).empty());
}

TEST_CASE("two steps of which the first block stays are copies", "[anatomy]") {
  Load load;
  const auto first = load.block("slurp", kModelBytes / 4);
  load.trace.read_into(load.model, kModelBytes / 4, first);
  const auto second = load.block("slurp", kModelBytes / 2);
  load.trace.copy(kModelBytes / 4, first, second);
  const auto third = load.block("slurp", kModelBytes);
  load.trace.copy(kModelBytes / 2, second, third);
  load.trace.read_into(load.model, kModelBytes / 4 * 3, third);
  if (GENERATE(true, false)) {
    load.trace.release(first);
    load.trace.release(second);
  }

  CHECK(findings_of(load.report(), FindingKind::kGrown).empty());
}

TEST_CASE("a buffer that grew by realloc costs the room that it has left", "[anatomy]") {
  Load load;
  auto buffer = load.block("slurp", kModelBytes / 8);
  for (std::uint64_t size = kModelBytes / 4; size <= 2 * kModelBytes; size *= 2) {
    load.wait_ms(10);
    buffer = load.trace.reallocate(buffer, size, load.trace.stack({"realloc", "slurp", "main"}));
  }
  load.read_whole(buffer);

  const auto grown = findings_of(load.report(), FindingKind::kGrown);

  REQUIRE(grown.size() == 1);
  CHECK(grown[0].bytes == kModelBytes);
  CHECK(grown[0].peak_without_bytes == kModelBytes);
}

TEST_CASE("a buffer that grew without cost at the peak is not worth a word", "[anatomy]") {
  Load load;
  const auto buffer = grown_by_moves(load, kModelBytes / 16, kModelBytes);
  load.block("activations", kModelBytes);
  load.trace.release(buffer);

  CHECK(findings_of(load.report(), FindingKind::kGrown).empty());
}

namespace {

/// Sixteen vectors, filled by small reads that nobody follows, each with twice the room it needs;
/// two looks see `touched` of each, within a second.
analyzer::Report vectors_with_room(std::uint64_t touched, std::uint64_t stays_ms = 1000) {
  Load load;
  load.trace.read(load.model, kModelBytes);
  std::vector<std::uint64_t> vectors;
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    auto buffer = load.block("push_back", tests::kTensorBytes / 4);
    for (std::uint64_t size = tests::kTensorBytes / 4; size < 2 * tests::kTensorBytes; size *= 2) {
      const auto larger = load.block("push_back", 2 * size);
      load.trace.copy(size, buffer, larger);
      load.trace.release(buffer);
      buffer = larger;
    }
    vectors.push_back(buffer);
  }
  for (const std::uint64_t vector : vectors) {
    load.trace.look(vector, load.now_ms() + 450, touched);
    load.trace.look(vector, load.now_ms() + 900, touched);
  }
  load.wait_ms(stays_ms);
  load.release(vectors);
  return load.report();
}

}  // namespace

TEST_CASE("vectors that grew are judged together, by what they hold in the end", "[anatomy]") {
  const auto report = vectors_with_room(tests::kTensorBytes);

  const auto grown = findings_of(report, FindingKind::kGrown);

  REQUIRE(grown.size() == 1);
  CHECK(grown[0].title == "buffers that grew");
  CHECK(grown[0].bytes == kModelBytes + tests::kTensorBytes);  // the last one's old copy
  CHECK(grown[0].peak_without_bytes == kModelBytes);
  CHECK_THAT(grown[0].sentence, Catch::Contains("16 buffers of push_back (loader.cpp:40) grew in 3 "
                                                "steps at most to 512.0 MiB"));
  CHECK(findings_of(report, FindingKind::kUntouched).empty());
}

TEST_CASE("vectors that grew and are full, or of whose ends nothing is known, are not blamed",
          "[anatomy]") {
  CHECK(findings_of(vectors_with_room(2 * tests::kTensorBytes), FindingKind::kGrown).empty());
  CHECK(findings_of(vectors_with_room(tests::kTensorBytes, 10'000), FindingKind::kGrown).empty());
}

TEST_CASE("blocks that are there for a moment make the peak", "[anatomy]") {
  Load load;
  const auto tensors = load.streamed_tensors();
  const auto unpacked = load.block("convert", kModelBytes / 2);
  load.wait_ms(5);
  load.trace.release(unpacked);
  load.wait_ms(500);
  load.release(tensors);

  const auto found = findings_of(load.report(), FindingKind::kShortLived);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes / 2);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK_THAT(found[0].sentence, Catch::Contains("there for 5.0 ms only"));
}

TEST_CASE("the last tensors of a load that ends at once are no short-lived blocks", "[anatomy]") {
  Load load;
  load.release(load.streamed_tensors());

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("weights that a program drops as soon as it has them are no short-lived blocks",
          "[anatomy]") {
  Load load;
  load.trace.read_into(load.model, 4096, load.block("header", 4096));
  load.wait_ms(5000);  // Imports: what is read now is there for a tenth of the load or less.
  std::vector<std::uint64_t> tensors;
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    tensors.push_back(load.block("read_array", kTensorBytes));
    load.trace.read_into(load.model, kTensorBytes, tensors.back());
  }
  const bool is_unpacked = GENERATE(false, true);
  CAPTURE(is_unpacked);
  // Scratch memory it is where something of the load that is made of it stays.
  const auto unpacked = load.block("unpack", is_unpacked ? kModelBytes / 4 : kMiB);
  load.release(tensors);
  load.wait_ms(600);
  load.trace.release(unpacked);

  CHECK(findings_of(load.report(), FindingKind::kShortLived).size() == (is_unpacked ? 1 : 0));
}

namespace {

/// A file that is read in small pieces, as a parser does: sixteen blocks of what it makes of them.
std::vector<std::uint64_t> parsed_slowly(Load& load) {
  std::vector<std::uint64_t> tree;
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    load.trace.read(load.model, kTensorBytes);
    tree.push_back(load.block("parse", kTensorBytes));
    load.wait_ms(100);
  }
  return tree;
}

/// Four blocks, all there for a tenth of the load at most.
std::vector<std::uint64_t> made_of_it(Load& load) {
  std::vector<std::uint64_t> made;
  for (std::uint64_t i = 0; i < 4; ++i) {
    made.push_back(load.block("get", kTensorBytes));
  }
  return made;
}

}  // namespace

TEST_CASE("what goes last of a load is no scratch memory, however late it was made", "[anatomy]") {
  Load load;
  const auto tree = parsed_slowly(load);
  const auto made = made_of_it(load);
  const auto order = GENERATE(as<std::string>{}, "tree, made", "together", "made, tree in steps");
  CAPTURE(order);
  if (order == "tree, made") {
    load.release(tree);
    load.wait_ms(80);
  }
  load.release(made);
  if (order == "together") {
    load.release(tree);
  } else if (order == "made, tree in steps") {  // Longer than `made` was there, without a pause.
    for (const std::uint64_t block : tree) {
      load.wait_ms(20);
      load.trace.release(block);
    }
  }
  load.wait_ms(2000);  // The program goes on with something else.

  CHECK(findings_of(load.report(), FindingKind::kShortLived).empty());
}

TEST_CASE("what goes before the rest of a load is used, or grows, is scratch memory", "[anatomy]") {
  Load load;
  const auto tree = parsed_slowly(load);
  const auto made = made_of_it(load);
  load.release(made);
  if (GENERATE(true, false)) {
    load.wait_ms(200);
    load.release(tree);
  } else {
    load.release(tree);
    (void)load.block("activations", kModelBytes);
    load.wait_ms(200);
  }

  CHECK(findings_of(load.report(), FindingKind::kShortLived).size() == 1);
}

TEST_CASE("what a place asks for again and again is scratch memory the last time, too",
          "[anatomy]") {
  Load load;
  const bool comes_again = GENERATE(true, false);
  CAPTURE(comes_again);
  for (std::uint64_t i = 0; comes_again && i < 4; ++i) {
    load.release(made_of_it(load));
  }
  const auto tree = parsed_slowly(load);
  load.release(made_of_it(load));
  load.release(tree);
  load.wait_ms(200);

  CHECK(findings_of(load.report(), FindingKind::kShortLived).size() == (comes_again ? 1 : 0));
}

TEST_CASE("what goes while the mapped file stays is scratch memory", "[anatomy]") {
  Load load;
  const auto mapping = load.trace.map(load.model, kModelBytes);
  load.wait_ms(1500);
  load.release(made_of_it(load));
  const bool stays = GENERATE(true, false);
  CAPTURE(stays);
  if (!stays) {
    load.trace.release(mapping);
  }
  load.wait_ms(200);

  CHECK(findings_of(load.report(), FindingKind::kShortLived).size() == (stays ? 1 : 0));
}

TEST_CASE("what goes with the end of the program goes last, mapped files or not", "[anatomy]") {
  Load load;
  const bool is_mapped = GENERATE(true, false);
  CAPTURE(is_mapped);
  if (is_mapped) {
    (void)load.trace.map(load.model, kModelBytes);
  }
  (void)parsed_slowly(load);
  load.release(made_of_it(load));

  CHECK(findings_of(load.report(), FindingKind::kShortLived).empty());
}

namespace {

/// A program that loads its whole model again and again, for a moment each time.
struct Rounds : Load {
  Rounds() {
    trace.read_into(model, 4096, block("header", 4096));
    wait_ms(3000);
  }
  void come(std::uint64_t count = tests::kTensors) {
    for (std::uint64_t i = 0; i < count; ++i) {
      tensors.push_back(block("read_tensor", kTensorBytes));
      trace.read_into(model, kTensorBytes, tensors.back());
    }
  }
  void go() {
    release(tensors);
    tensors.clear();
    wait_ms(100);
  }
  /// A vector grows to `size` by moving.
  void append(std::uint64_t size) {
    const auto larger = block("push_back", size);
    if (results) {
      trace.copy(size / 2, *results, larger);
      trace.release(*results);
    }
    results = larger;
  }
  /// Weights that a loop makes of the tensors take the place of those made before.
  void convert() {
    if (made) {
      trace.release(*made);
    }
    made = block("convert", kModelBytes / 4);
  }
  std::vector<analyzer::Finding> found() {
    wait_ms(3000);
    return findings_of(report(), FindingKind::kShortLived);
  }
  std::vector<std::uint64_t> tensors;
  std::optional<std::uint64_t> results;
  std::optional<std::uint64_t> made;
};

}  // namespace

TEST_CASE("a model that is loaded for each round is no scratch memory as results grow",
          "[anatomy]") {
  Rounds load;
  for (const unsigned size : {8U, 16U, 32U, 64U, 128U}) {
    load.come();
    load.append(size * kMiB);
    load.go();
  }
  CHECK(load.found().empty());
}

TEST_CASE("what is loaded for each round is scratch memory where the model is not in it alone",
          "[anatomy]") {
  Rounds load;
  // The peak in no round, and not only in the last, as the one before is nearly as high.
  const auto [made, peak_mib] =
      GENERATE(table<std::string, std::uint64_t>({{"each time", 160},
                                                  {"first", 160},
                                                  {"last", 128},
                                                  {"never, as it is mapped", 96},
                                                  {"never, but parts alone came before", 96}}));
  CAPTURE(made);
  if (made == "never, as it is mapped") {
    (void)load.trace.map(load.model, kModelBytes);
  }
  for (const unsigned size : {4U, 8U, 16U, 32U, 64U}) {
    const bool is_last = size == 64;
    const bool is_part = made == "never, but parts alone came before" && !is_last;
    load.come(is_part ? tests::kTensors / 4 : tests::kTensors);
    load.append(size * kMiB);
    if (made == "each time" || (made == "first" && size == 4) || (made == "last" && is_last)) {
      load.convert();
    }
    load.go();
  }
  const auto found = load.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes.value_or(0) == peak_mib * kMiB + 4096);
}

TEST_CASE("weights made at random and thrown away for the real ones are named", "[anatomy]") {
  Load load;
  const auto random = load.block("init_weights", kModelBytes);
  const auto tensors = load.streamed_tensors();
  load.wait_ms(1);
  load.trace.release(random);
  load.wait_ms(500);
  load.release(tensors);

  const auto found = findings_of(load.report(), FindingKind::kShortLived);

  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "freed right after the peak");
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
}

TEST_CASE(
    "weights made by a loop are no scratch memory because a little made the peak at their end",
    "[anatomy]") {
  Load load;
  const auto staging = load.block("staging", kModelBytes);
  load.read_whole(staging);
  const auto weights = load.block("widen", 2 * kModelBytes);
  load.wait_ms(500);  // The loop, and the use of the weights.
  const auto buffer = load.block("puts", 64 * 1024);
  load.wait_ms(1);
  load.trace.release(weights);
  load.wait_ms(1);
  load.trace.release(staging);
  load.trace.release(buffer);

  CHECK(findings_of(load.report(), FindingKind::kShortLived).empty());
}

TEST_CASE("tensors that go before the buffer they were made from are no scratch memory",
          "[anatomy]") {
  Load load;
  const auto file = load.block("read_file", kModelBytes);
  load.read_whole(file);
  const auto first = load.block("collect", kModelBytes / 2);
  const auto second = load.block("collect", kModelBytes / 2);
  load.wait_ms(5);
  load.trace.release(first);
  load.wait_ms(20);
  load.trace.release(second);
  load.wait_ms(5);
  load.trace.release(file);
  load.wait_ms(200);  // The program goes on with something else.

  CHECK(findings_of(load.report(), FindingKind::kShortLived).empty());
}

TEST_CASE("weights put together by a loop are not taken for scratch memory", "[anatomy]") {
  Load load;
  const auto staging = load.block("staging", kTensorBytes);
  const auto weights = load.block("weights", kModelBytes);
  load.read_whole(staging);
  load.trace.release(staging);
  load.wait_ms(1);
  load.trace.release(weights);

  CHECK(load.report().anatomy.findings.empty());
}
