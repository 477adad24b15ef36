// Blocks beside their copies, where nobody knows what they hold, for and against.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::kTensors;
using tests::Load;

namespace {

/// A load whose file comes in by pieces that no large block takes, as through an ifstream.
struct PiecewiseLoad : Load {
  PiecewiseLoad() {
    trace.session.copies_recorded = true;
    trace.open_file(model);
    for (std::uint64_t at = 0; at < kModelBytes; at += kMiB / 32) {
      trace.read(model, kMiB / 32);
    }
  }
  void copy(std::uint64_t bytes, std::uint64_t from, std::uint64_t to) {
    wait_ms(10);
    trace.copy(bytes, from, to, trace.stack({"memcpy", "copy loader.cpp:50", "main"}));
  }
  /// The buffer of a stringstream: it has moved once, and is half full.
  std::uint64_t stream() {
    const auto first = block("slurp", kModelBytes / 2);
    const auto grown = block("slurp", 2 * kModelBytes);
    copy(kModelBytes / 2, first, grown);
    trace.release(first);
    return grown;
  }
  std::vector<analyzer::Finding> found() { return findings_of(report(), FindingKind::kTwice); }
};

}  // namespace

TEST_CASE("a stream's buffer beside the string that was copied out of it is told of", "[anatomy]") {
  PiecewiseLoad load;
  const auto stream = load.stream();
  load.copy(kModelBytes, stream, load.block("str", kModelBytes));

  const auto report = load.report();

  CHECK_FALSE(report.anatomy.is_unexplained);
  const auto found = findings_of(report, FindingKind::kTwice);
  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "two copies as large as the model");
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].peak_without_bytes == kModelBytes);
  CHECK(found[0].sentence ==
        "256.0 MiB of the 512.0 MiB block of slurp (loader.cpp:40) were copied into 1 block "
        "of str (loader.cpp:40), and both are alive at the peak.");
}

TEST_CASE("a copy of as many bytes as the model has is told of, whatever room its source has",
          "[anatomy]") {
  PiecewiseLoad load;
  const auto pool = load.block("pool", 2 * kModelBytes);
  load.copy(kModelBytes, pool, load.block("str", kModelBytes));
  CHECK(load.found().size() == 1);
}

TEST_CASE("a copy of all that was in use of a block is told of", "[anatomy]") {
  const bool in_use = GENERATE(true, false);
  PiecewiseLoad load;
  const auto pool = load.block("pool", kModelBytes);
  load.copy(kModelBytes / 4, pool, load.block("part", kModelBytes / 4));
  load.trace.look(pool, load.now_ms() - 15, kModelBytes / 4);  // While it was being filled.
  load.trace.look(pool, load.now_ms() + 5, in_use ? kModelBytes / 4 : kModelBytes / 2);
  CHECK(load.found().size() == (in_use ? 1 : 0));
}

TEST_CASE("copies by way of blocks that are gone are copies of where they came from", "[anatomy]") {
  PiecewiseLoad load;
  const auto all = load.block("all", kModelBytes);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    const auto temporary = load.block("assign", kTensorBytes);
    load.copy(kTensorBytes, all, temporary);
    load.copy(kTensorBytes, temporary, load.block("push_back", kTensorBytes));
    load.trace.release(temporary);
  }
  // At the peak the last bytes are in a block of assign, too, and have yet to go on.
  const auto found = load.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].peak_without_bytes == kModelBytes + kTensorBytes);
  CHECK_THAT(
      found[0].sentence,
      Catch::Contains("All of the 256.0 MiB block of all (loader.cpp:40) was copied "
                      "into 15 blocks of push_back (loader.cpp:40) and 1 other place, and all"));
}

TEST_CASE("each block of a row of copies is told of", "[anatomy]") {
  PiecewiseLoad load;
  const auto stream = load.stream();
  const auto text = load.block("str", kModelBytes);
  load.copy(kModelBytes, stream, text);
  load.copy(kModelBytes, text, load.block("bytes", kModelBytes));

  const auto found = load.found();

  REQUIRE(found.size() == 2);
  CHECK(found[0].peak_without_bytes == 2 * kModelBytes);
  CHECK(found[1].peak_without_bytes == 3 * kModelBytes);
}

TEST_CASE("of two copies in turn the later one is told of, too", "[anatomy]") {
  const bool are_copied = GENERATE(true, false);
  PiecewiseLoad load;
  const auto stream = load.stream();
  const auto text = load.block("str", kModelBytes);
  load.copy(kModelBytes, stream, text);
  load.trace.release(stream);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    const auto tensor = load.block("assign", kTensorBytes);
    if (are_copied) {
      load.copy(kTensorBytes, text, tensor);
    }
  }
  load.wait_ms(10);
  load.trace.release(text);

  const auto report = load.report();

  const auto found = findings_of(report, FindingKind::kTwice);
  REQUIRE(found.size() == (are_copied ? 2 : 1));
  CHECK(found[0].peak_without_bytes == 2 * kModelBytes);
  if (are_copied) {
    CHECK(found[1].peak_without_bytes == kModelBytes);
    CHECK(found[1].remedy == "Without these too");
    CHECK(found[1].sentence ==
          "Then the peak is at 370 ms, 512.0 MiB: All of the 256.0 MiB block of str "
          "(loader.cpp:40) was copied into 16 blocks of assign (loader.cpp:40), and all are alive "
          "then.");
  }
}

TEST_CASE("a second copy that is no higher than the weights is not told of", "[anatomy]") {
  PiecewiseLoad load;
  const auto stream = load.stream();
  const auto text = load.block("str", kModelBytes);
  load.copy(kModelBytes, stream, text);
  load.trace.release(stream);
  load.copy(kTensorBytes, text, load.block("assign", kTensorBytes));
  CHECK(load.found().size() == 1);
}

TEST_CASE("beside a copy whose source is known, one of which only that is known is told of",
          "[anatomy]") {
  Load load;
  const auto text = load.blob();
  load.trace.copy(kModelBytes, text, load.block("bytes", kModelBytes));
  const auto floats = load.block("floats", kModelBytes);  // A loop fills it.
  load.tensors_from(floats);

  const auto report = load.report();

  REQUIRE(report.anatomy.findings.size() >= 2);
  CHECK_THAT(
      report.anatomy.findings[0].sentence + report.anatomy.findings[1].sentence,
      Catch::Contains("block of floats (loader.cpp:40) was copied into 16 blocks of Empty") &&
          Catch::Contains("of read_file (loader.cpp:40) was copied on"));
}

TEST_CASE("a source that is gone by the peak is no copy too many", "[anatomy]") {
  PiecewiseLoad load;
  const auto stream = load.stream();
  load.copy(kModelBytes, stream, load.block("str", kModelBytes));
  load.trace.release(stream);
  load.block("activations", 3 * kModelBytes);
  CHECK(load.found().empty());
}

TEST_CASE("a buffer that moves as it grows is no second copy of itself", "[anatomy]") {
  PiecewiseLoad load;
  const auto first = load.block("grow", kModelBytes);
  const auto second = load.block("grow", 2 * kModelBytes);
  load.copy(kModelBytes, first, second);
  load.trace.release(first);
  CHECK(load.found().empty());
}

TEST_CASE("a copy of a small part of a block is none of the block", "[anatomy]") {
  PiecewiseLoad load;
  const auto pool = load.block("pool", kModelBytes);
  load.copy(kModelBytes / 4, pool, load.block("part", kModelBytes / 4));
  CHECK(load.found().empty());
}

TEST_CASE("a buffer that pieces go through holds none of them", "[anatomy]") {
  PiecewiseLoad load;
  const auto stream = load.block("pool", kModelBytes);
  const auto scratch = load.block("scratch", kTensorBytes);
  for (std::uint64_t i = 0; i < kTensors; ++i) {
    load.copy(kTensorBytes, stream, scratch);
  }
  CHECK(load.found().empty());
}

TEST_CASE("what was copied before the model was read is not of it", "[anatomy]") {
  Load load;
  load.trace.session.copies_recorded = true;
  load.trace.copy(kModelBytes, load.block("table", kModelBytes), load.block("copy", kModelBytes));
  load.streamed_tensors();
  CHECK(findings_of(load.report(), FindingKind::kTwice).empty());
}

TEST_CASE("a copy to another block of the same place is told as such", "[anatomy]") {
  PiecewiseLoad load;
  const auto read = load.block("allocate", kModelBytes);
  load.copy(kModelBytes, read, load.block("allocate", kModelBytes));
  const auto found = load.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].sentence ==
        "All of the 256.0 MiB block of allocate (loader.cpp:40) was copied into another "
        "block of the same place, and both are alive at the peak.");
}

TEST_CASE("a copy of a block that gives its pages back later is whole by what it had",
          "[anatomy]") {
  PiecewiseLoad load;
  const auto array = load.block("array", 0, trace::Lane::kAnon);
  load.trace.grow(array, 2 * kModelBytes);
  const auto part = load.block("part", kModelBytes / 2);
  load.copy(kModelBytes / 2, array, part);
  load.wait_ms(10);
  load.trace.release_part(array, 2 * kModelBytes);
  CHECK(load.found().empty());
}

TEST_CASE("copies of blocks that the chain does not have say so where it has others of their place",
          "[anatomy]") {
  const bool has_others = GENERATE(true, false);
  CAPTURE(has_others);
  PiecewiseLoad load;
  const auto known = load.block(has_others ? "slurp" : "other", kTensorBytes);
  load.trace.read_into(load.model, kTensorBytes, known);
  const auto slurped = load.block("slurp", kModelBytes);
  load.copy(kModelBytes, slurped, load.block("str", kModelBytes));

  const auto found = load.found();

  REQUIRE(found.size() == 1);
  const std::string beside =
      "How they came from the file was not seen: \"where the weights went\" has only others of "
      "that place.";
  if (has_others) {
    CHECK_THAT(found[0].sentence, Catch::EndsWith(beside));
  } else {
    CHECK_THAT(found[0].sentence, !Catch::Contains(beside));
  }
}

TEST_CASE("a copy beside its source is told of where no file is a model", "[anatomy]") {
  // Unpacked by another process, or of a format that may be data.
  const auto [bytes, read_bytes, is_told] = GENERATE(table<std::uint64_t, std::uint64_t, bool>(
      {{16 * kMiB, 4 * kMiB, true}, {16 * kMiB, 3 * kMiB, false}, {15 * kMiB, 15 * kMiB, false}}));
  CAPTURE(bytes, read_bytes);
  Load load;
  load.trace.session.copies_recorded = true;
  const auto data = load.trace.file("/data/table.gz", read_bytes);
  load.trace.open_file(data);
  load.trace.read(data, read_bytes);
  const auto piped = load.block("read_pipe", bytes);
  const auto array = load.block("frombuffer", bytes);
  load.wait_ms(10);
  load.trace.copy(bytes, piped, array);
  load.wait_ms(10);
  const auto found = load.report(0).anatomy.findings;
  REQUIRE(found.size() == (is_told ? 1 : 0));
  if (is_told) {
    CHECK(found[0].kind == FindingKind::kTwice);
    CHECK(found[0].peak_without_bytes == bytes);
    CHECK(found[0].sentence ==
          "All of the 16.0 MiB block of read_pipe (loader.cpp:40) was copied into 1 block of "
          "frombuffer (loader.cpp:40), and both are alive at the peak.");
  }
}

TEST_CASE("of a program without a model a copy that has gone by the peak is not told of",
          "[anatomy]") {
  Load load;
  load.trace.session.copies_recorded = true;
  const auto data = load.trace.file("/data/table.gz", kModelBytes);
  load.trace.read(data, kModelBytes);
  const auto piped = load.block("read_pipe", kModelBytes);
  const auto array = load.block("frombuffer", kModelBytes);
  load.wait_ms(10);
  load.trace.copy(kModelBytes, piped, array);
  load.trace.release(piped);
  load.block("train", 2 * kModelBytes);
  load.wait_ms(10);
  CHECK(load.report(0).anatomy.findings.empty());
}
