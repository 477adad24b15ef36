// A model that is many small blocks, for and against.

#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::Load;

namespace {

constexpr std::uint64_t kFileBytes = 16 * kMiB;
constexpr std::uint64_t kEntries = 260'000;
constexpr std::uint64_t kEntryBytes = 100;

/// So many blocks of a line, after a while.
void ask(Load& load, const std::string& line, std::uint64_t bytes, std::uint64_t count = 1) {
  load.wait_ms(10);
  const trace::StackId stack = load.trace.stack({"malloc", line, "main"});
  for (std::uint64_t i = 0; i < count; ++i) {
    (void)load.trace.allocate(bytes, stack);
  }
}

/// The vocabulary's file, read through a small buffer.
void read_file(Load& load) {
  load.model = load.trace.file("/models/words.model", kFileBytes);
  load.wait_ms(10);
  load.trace.read(load.model, kFileBytes);
}

std::vector<analyzer::Finding> found_in(Load& load) {
  load.wait_ms(1000);
  (void)load.block("use", 1);
  return findings_of(load.report(kFileBytes), FindingKind::kSmallBlocks);
}

}  // namespace

TEST_CASE("a model of small blocks is said, with the file's bytes in their place", "[anatomy]") {
  Load load;
  ask(load, "start main.cpp:3", 8 * kMiB);
  read_file(load);
  ask(load, "insert vocabulary.cpp:7", kEntryBytes, kEntries);

  const auto found = found_in(load);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kEntries * kEntryBytes);
  CHECK(found[0].peak_without_bytes == 8 * kMiB + kFileBytes + 1);
  CHECK(found[0].remedy == "With the 16.0 MiB of the file instead");
  CHECK(found[0].sentence ==
        "24.8 MiB in 260,000 blocks of insert (vocabulary.cpp:7), 1.5 bytes for each byte of the "
        "model, came since it was first read: 100 B on the average, and libc's malloc adds 8 bytes "
        "or more to each.");
}

TEST_CASE("that another peak is left without small blocks is said, and when it is", "[anatomy]") {
  const bool is_later = GENERATE(true, false);
  CAPTURE(is_later);
  Load load;
  ask(load, "start main.cpp:3", 8 * kMiB);
  if (!is_later) {
    load.release({load.block("scratch", 60 * kMiB)});
  }
  read_file(load);
  load.wait_ms(10);
  std::vector<std::uint64_t> words;
  const trace::StackId stack = load.trace.stack({"malloc", "insert vocabulary.cpp:7", "main"});
  for (std::uint64_t i = 0; i < 4 * kEntries; ++i) {
    words.push_back(load.trace.allocate(kEntryBytes, stack));
  }
  load.wait_ms(1000);
  if (is_later) {
    load.release(words);
    (void)load.block("results", 60 * kMiB);
  }

  const auto found = found_in(load);

  REQUIRE(found.size() == 1);
  CHECK(found[0].peak_without_bytes == 68 * kMiB + (is_later ? kFileBytes + 1 : 0));
  CHECK(found[0].remedy == std::string("With the 16.0 MiB of the file instead, ") +
                               (is_later ? "a later" : "an earlier") + " peak is left");
}

TEST_CASE("the tables of small blocks count where the same line asked for them", "[anatomy]") {
  Load load;
  const auto [asker, counts] = GENERATE(table<std::string, bool>(
      {{"insert vocabulary.cpp:7", true}, {"reserve vocabulary.cpp:30", false}}));
  CAPTURE(asker);
  read_file(load);
  ask(load, "insert vocabulary.cpp:7", kEntryBytes, 2 * kEntries);
  ask(load, asker, 32 * kMiB);

  const auto found = found_in(load);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 2 * kEntries * kEntryBytes + (counts ? 32 * kMiB : 0));
  const bool has_tables =
      found[0].sentence.find("and 32.0 MiB in 1 larger one.") != std::string::npos;
  CHECK(has_tables == counts);
}

TEST_CASE("of a line that asks for large blocks mostly, these are no tables", "[anatomy]") {
  Load load;
  const bool is_most_large = GENERATE(true, false);
  CAPTURE(is_most_large);
  const std::uint64_t large = (is_most_large ? 56 : 48) * kMiB;
  read_file(load);
  ask(load, "insert vocabulary.cpp:7", kEntryBytes, kEntries);
  ask(load, "insert vocabulary.cpp:7", large);

  const auto found = found_in(load);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kEntries * kEntryBytes + (is_most_large ? 0 : large));
  CHECK(found[0].peak_without_bytes == kFileBytes + (is_most_large ? large : 0) + 1);
}

TEST_CASE("small blocks of several places are said together", "[anatomy]") {
  Load load;
  read_file(load);
  ask(load, "insert vocabulary.cpp:7", kEntryBytes, kEntries);
  ask(load, "add_score vocabulary.cpp:40", 32, kEntries);
  ask(load, "note vocabulary.cpp:50", 32, 999);

  const auto found = found_in(load);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kEntries * (kEntryBytes + 32));
  CHECK_THAT(found[0].sentence,
             Catch::Contains("blocks of insert (vocabulary.cpp:7) and 1 other place, "));
}

TEST_CASE("small blocks that need not be the model are not said to be", "[anatomy]") {
  Load load;
  SECTION("they stood before it was opened") {
    ask(load, "insert vocabulary.cpp:7", kEntryBytes, kEntries);
    read_file(load);
    ask(load, "grow main.cpp:9", 1);
    CHECK(found_in(load).empty());
  }
  SECTION("they take little more than it has") {
    read_file(load);
    constexpr std::uint64_t kTooFew = kFileBytes / 2 * 3 / kEntryBytes - 1;
    ask(load, "insert vocabulary.cpp:7", kEntryBytes, kTooFew);
    CHECK(found_in(load).empty());
  }
  SECTION("they are of a kibibyte and more") {
    read_file(load);
    ask(load, "insert vocabulary.cpp:7", 2000, 20'000);
    CHECK(found_in(load).empty());
  }
  SECTION("another file was read before they came") {
    const auto other = load.trace.file("/data/text.txt", 64 * kMiB);
    read_file(load);
    load.wait_ms(10);
    load.trace.read(other, kFileBytes / 4);
    ask(load, "insert vocabulary.cpp:7", kEntryBytes, kEntries);
    CHECK(found_in(load).empty());
  }
}

TEST_CASE("what little else is read beside a model does not hide its small blocks", "[anatomy]") {
  Load load;
  const auto other = load.trace.file("/data/settings.txt", kMiB);
  const auto library = load.trace.file("/usr/lib/libwords.so", 64 * kMiB, true);
  read_file(load);
  load.wait_ms(10);
  load.trace.read(other, kMiB);
  load.trace.read(library, 64 * kMiB);
  ask(load, "insert vocabulary.cpp:7", kEntryBytes, kEntries);

  CHECK(found_in(load).size() == 1);
}

TEST_CASE("of which places small blocks are, a sample of stacks does not say", "[anatomy]") {
  Load load;
  const bool is_sampled = GENERATE(true, false);
  CAPTURE(is_sampled);
  if (is_sampled) {
    load.trace.session.sample_bytes = 512 << 10;
  }
  read_file(load);
  ask(load, "insert vocabulary.cpp:7", kEntryBytes, kEntries);

  CHECK(found_in(load).size() == (is_sampled ? 0 : 1));
}

TEST_CASE("a document that goes is not a model of small blocks as well", "[anatomy]") {
  Load load;
  read_file(load);
  load.wait_ms(10);
  std::vector<std::uint64_t> nodes;
  const trace::StackId stack = load.trace.stack({"malloc", "parse_node json.cpp:7", "main"});
  for (std::uint64_t i = 0; i < kEntries; ++i) {
    nodes.push_back(load.trace.allocate(kEntryBytes, stack));
  }
  (void)load.block("build", 8 * kMiB);
  load.release(nodes);
  load.wait_ms(1000);
  (void)load.block("use", 1);

  const auto report = load.report(kFileBytes);

  CHECK(findings_of(report, FindingKind::kParsed).size() == 1);
  CHECK(findings_of(report, FindingKind::kSmallBlocks).empty());
}
