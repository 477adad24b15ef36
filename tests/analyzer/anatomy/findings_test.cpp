// Each finding, for and against: a false one is worse than none.

#include "tests/analyzer/anatomy/loads.hpp"

#include <catch2/catch.hpp>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kMiB;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::Load;

TEST_CASE("a file read whole and copied out is there twice", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  load.tensors_from(blob);
  load.trace.release(blob);

  const auto report = load.report();

  REQUIRE(report.anatomy.findings.size() == 1);
  const auto& finding = report.anatomy.findings[0];
  CHECK(finding.kind == FindingKind::kTwice);
  CHECK(finding.title == "two copies of the weights");
  CHECK(finding.bytes == kModelBytes);
  CHECK(finding.peak_without_bytes == kModelBytes);
  CHECK_THAT(finding.sentence,
             Catch::Contains("in 1 block of read_file (loader.cpp:40) and, copied from it, in "
                             "blocks of Empty (loader.cpp:40)."));
}

TEST_CASE("copies in several places are counted", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  load.trace.copy(3 * kTensorBytes, blob, load.block("embed", 3 * kTensorBytes));
  load.trace.copy(kModelBytes - 3 * kTensorBytes, blob,
                  load.block("layers", kModelBytes - 3 * kTensorBytes));

  const auto twice = findings_of(load.report(), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK(twice[0].bytes == kModelBytes);
  CHECK_THAT(twice[0].sentence,
             Catch::Contains("in 1 block of layers (loader.cpp:40) and 1 other place."));
}

TEST_CASE("a copy in one go makes its peak before it ends", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  const auto copy = load.block("clone", kModelBytes);
  load.wait_ms(100);
  load.trace.copy(kModelBytes, blob, copy);
  load.trace.release(blob);

  const auto twice = findings_of(load.report(), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK(twice[0].bytes == kModelBytes);
}

TEST_CASE("a copy that came when its source was gone doubles nothing", "[anatomy]") {
  Load load;
  const auto staging = load.block("staging", kModelBytes / 2);
  const auto target = load.block("Empty", kModelBytes / 2);
  load.trace.read_into(load.model, kModelBytes / 2, staging);
  load.trace.copy(kModelBytes / 2, staging, target);
  load.trace.release(staging);
  load.block("activations", kModelBytes);

  CHECK(findings_of(load.report(), FindingKind::kTwice).empty());
}

TEST_CASE("a copy through temporaries that are gone is a second copy", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    const auto temporary = load.block("unpack", kTensorBytes);
    load.trace.copy(kTensorBytes, blob, temporary);
    load.trace.copy(kTensorBytes, temporary, load.block("Empty", kTensorBytes));
    load.trace.release(temporary);
  }

  const auto report = load.report();
  const auto twice = findings_of(report, FindingKind::kTwice);

  CHECK(report.peak.footprint_bytes == 2 * kModelBytes + kTensorBytes);
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].title == "two copies of the weights");
  CHECK(twice[0].bytes == kModelBytes);
  CHECK(twice[0].peak_without_bytes == kModelBytes + kTensorBytes);
  CHECK_THAT(twice[0].sentence,
             Catch::Contains("in 1 block of read_file (loader.cpp:40) and, copied from it by way "
                             "of others, in blocks of Empty (loader.cpp:40)."));
}

TEST_CASE("a buffer that every copy goes through holds none of them", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  const auto staging = load.block("stage", kTensorBytes);
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    load.trace.copy(kTensorBytes, blob, staging);
    load.trace.copy(kTensorBytes, staging, load.block("Empty", kTensorBytes));
  }

  const auto twice = findings_of(load.report(), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK(twice[0].bytes == kModelBytes);
  CHECK_THAT(twice[0].sentence,
             Catch::Contains("by way of others, in blocks of Empty (loader.cpp:40)."));
}

TEST_CASE("what went through temporaries into blocks that are gone is there once", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    const auto temporary = load.block("unpack", kTensorBytes);
    const auto tensor = load.block("Empty", kTensorBytes);
    load.trace.copy(kTensorBytes, blob, temporary);
    load.trace.copy(kTensorBytes, temporary, tensor);
    load.release({temporary, tensor});
  }
  load.block("activations", kModelBytes);

  CHECK(findings_of(load.report(), FindingKind::kTwice).empty());
}

TEST_CASE("bytes that come back through a temporary are no second copy", "[anatomy]") {
  Load load;
  const auto weights = load.streamed_tensors();
  load.block("activations", kModelBytes);  // A temporary alone is not worth a sentence then.
  for (const std::uint64_t tensor : weights) {
    const auto temporary = load.block("transpose", kTensorBytes);
    load.trace.copy(kTensorBytes, tensor, temporary);
    load.trace.copy(kTensorBytes, temporary, tensor);
    load.trace.release(temporary);
  }

  CHECK(findings_of(load.report(), FindingKind::kTwice).empty());
}

TEST_CASE("a streamed load gives nothing to say", "[anatomy]") {
  Load load;
  load.streamed_tensors();

  const auto report = load.report();

  CHECK(report.anatomy.findings.empty());
  CHECK_FALSE(report.anatomy.floor);
}

TEST_CASE("a program that loads no model has no anatomy", "[anatomy]") {
  Load load;
  const auto from = load.block("make", 64 * kMiB);
  const auto to = load.block("keep", 64 * kMiB);
  load.trace.copy(64 * kMiB, from, to);

  const auto report = load.report();

  CHECK(report.anatomy.findings.empty());
  CHECK(report.anatomy.chain.empty());
}

TEST_CASE("a block that outlives its last copy was held for nothing", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  load.tensors_from(blob);
  load.wait_ms(500);
  load.block("activations", kModelBytes / 2);

  const auto report = load.report();
  const auto held = findings_of(report, FindingKind::kHeld);

  REQUIRE(held.size() == 1);
  CHECK(held[0].bytes == kModelBytes);
  CHECK(held[0].peak_without_bytes == 2 * kModelBytes);
  CHECK_THAT(held[0].sentence, Catch::Contains("still alive at the peak, 510 ms later"));
  const auto twice = findings_of(report, FindingKind::kTwice);
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].peak_without_bytes == kModelBytes + kModelBytes / 2);
}

TEST_CASE("weights that are read in place are not held for nothing", "[anatomy]") {
  Load load;
  const auto weights = load.blob();
  load.wait_ms(500);
  load.block("activations", kModelBytes / 2);
  load.trace.release(weights);

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("copies into scratch memory do not make weights useless", "[anatomy]") {
  Load load;
  const auto weights = load.blob();
  const auto scratch = load.block("checksum", kTensorBytes);
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    load.trace.copy(kTensorBytes, weights, scratch);
  }
  load.wait_ms(500);
  load.block("activations", kModelBytes / 2);

  const auto report = load.report();

  CHECK(findings_of(report, FindingKind::kHeld).empty());
  CHECK(findings_of(report, FindingKind::kTwice).empty());
  CHECK_FALSE(report.anatomy.floor);
}

TEST_CASE("each of three copies in a row is a finding of its own", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  const auto code = load.block("code", kModelBytes);
  load.trace.copy(kModelBytes, blob, code);
  load.tensors_from(code);

  const auto report = load.report();

  REQUIRE(findings_of(report, FindingKind::kHeld).size() == 1);  // The blob, while tensors come.
  REQUIRE(findings_of(report, FindingKind::kTwice).size() == 1);
  CHECK(report.anatomy.findings[0].peak_without_bytes == 2 * kModelBytes);
  CHECK(report.anatomy.findings[1].peak_without_bytes == 2 * kModelBytes);
}

TEST_CASE("the floor gives back each byte when it was copied on", "[anatomy]") {
  Load load;
  // Half of it is copied on: it was there for a reason, and no finding names it.
  const auto blob = load.blob();
  const auto half = load.block("Empty", kModelBytes / 2);
  load.trace.copy(kModelBytes / 2, blob, half);
  load.block("something_else", kModelBytes / 2);
  load.release({blob});

  const auto report = load.report();

  CHECK(report.peak.footprint_bytes == kModelBytes * 2);
  CHECK(report.anatomy.findings.empty());
  REQUIRE(report.anatomy.floor);
  CHECK(report.anatomy.floor->peak_bytes == kModelBytes * 3 / 2);
  CHECK(report.anatomy.floor->ratio == Approx(1.5));
}

TEST_CASE("the floor is no higher than the peak without a finding", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  load.tensors_from(blob);

  const auto report = load.report();

  // Giving the blob back piece by piece would leave a tensor more than never having it.
  REQUIRE(report.anatomy.floor);
  CHECK(report.anatomy.floor->is_of_finding);
  CHECK(report.anatomy.floor->peak_bytes == kModelBytes);
  CHECK(report.anatomy.findings.front().peak_without_bytes == kModelBytes);
}

TEST_CASE("of a buffer used again and again only what it can hold is given back", "[anatomy]") {
  Load load;
  const auto staging = load.block("staging", kTensorBytes / 2);  // Too small for a finding.
  for (std::uint64_t i = 0; i < tests::kTensors; ++i) {
    const auto tensor = load.block("Empty", kTensorBytes);
    for (int half = 0; half < 2; ++half) {
      load.wait_ms(10);
      load.trace.read_into(load.model, kTensorBytes / 2, staging);
      load.trace.copy(kTensorBytes / 2, staging, tensor);
    }
  }

  const auto report = load.report();

  REQUIRE(report.anatomy.floor);
  CHECK(report.anatomy.floor->peak_bytes == report.peak.footprint_bytes);
}

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

namespace {

/// The model is there, then half of it is freed; samples say what stayed.
analyzer::Report load_with_samples(std::uint64_t resident_after) {
  Load load;
  const auto tensors = load.streamed_tensors();
  load.trace.sample(kModelBytes);
  load.wait_ms(10);
  for (std::size_t i = 0; i < tensors.size() / 2; ++i) {
    load.trace.release(tensors[i]);
  }
  for (int i = 0; i < 100; ++i) {
    load.wait_ms(10);
    load.trace.sample(resident_after);
  }
  return load.report();
}

}  // namespace

TEST_CASE("memory that was freed and stays resident is kept by the allocator", "[anatomy]") {
  const auto found = findings_of(load_with_samples(kModelBytes), FindingKind::kKept);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes / 2);
  CHECK_FALSE(found[0].peak_without_bytes);
}

TEST_CASE("memory that goes back to the system is not kept", "[anatomy]") {
  CHECK(load_with_samples(kModelBytes / 2).anatomy.findings.empty());
}

TEST_CASE("memory that tidemark never saw is not called kept", "[anatomy]") {
  Load load;
  const auto tensors = load.streamed_tensors();
  load.trace.sample(2 * kModelBytes);
  load.release(tensors);
  for (int i = 0; i < 100; ++i) {
    load.wait_ms(10);
    load.trace.sample(kModelBytes);
  }

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("resident pages of a mapped model are named as what they are", "[anatomy]") {
  Load load;
  load.trace.sample(kMiB, 5 * kMiB);
  load.wait_ms(10);
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes);

  const auto report = load.report();
  const auto found = findings_of(report, FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
}

TEST_CASE("a file mapped later does not hide what was the model's before", "[anatomy]") {
  Load load;
  load.trace.sample(kMiB, 5 * kMiB);
  load.wait_ms(10);
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes - kMiB);
  load.wait_ms(10);
  load.trace.map(load.trace.file("/lib/libcublas.so", kModelBytes), kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes + kMiB);

  const auto report = load.report();
  const auto found = findings_of(report, FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes - kMiB);
}

TEST_CASE("a mapped model of which no page came is not blamed for the libraries", "[anatomy]") {
  Load load;
  load.trace.sample(kMiB, 2 * kModelBytes);
  load.wait_ms(10);
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 2 * kModelBytes);

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("a model mapped before the first sample is named by the pages that came", "[anatomy]") {
  Load load;
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes / 8);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes);

  const auto found = findings_of(load.report(), FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes - kModelBytes / 8);
  CHECK(found[0].at_ns == 30'000'000);
  CHECK_THAT(found[0].sentence, Catch::StartsWith("At least 224.0 MiB of the model's"));
}

TEST_CASE("a model mapped before the first sample is named by the pages that went", "[anatomy]") {
  Load load;
  const auto mapping = load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes);
  load.wait_ms(10);
  load.trace.release(mapping);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB);

  const auto found = findings_of(load.report(), FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes);
  CHECK(found[0].at_ns == 20'000'000);
  CHECK_THAT(found[0].sentence, Catch::StartsWith("256.0 MiB of the model's"));
}

TEST_CASE("pages that came while the model was being mapped may be missing", "[anatomy]") {
  Load load;
  load.trace.open_file(load.model);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes / 4);
  load.wait_ms(10);
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes);

  const auto found = findings_of(load.report(), FindingKind::kMapped);

  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == kModelBytes - kModelBytes / 4);
  CHECK_THAT(found[0].sentence, Catch::StartsWith("At least"));
}

TEST_CASE("a mapped model is not blamed for libraries that are there at once", "[anatomy]") {
  Load load;
  load.trace.map(load.model, kModelBytes);
  for (int i = 0; i < 2; ++i) {
    load.wait_ms(10);
    load.trace.sample(kMiB, 2 * kModelBytes);
  }

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("a mapped model is not blamed for pages that went with the process", "[anatomy]") {
  Load load;
  const auto mapping = load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 2 * kModelBytes);
  load.wait_ms(10);
  load.trace.release(mapping);
  load.wait_ms(10);
  load.trace.sample(0, 0);

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("a mapped model is not blamed for what the kernel took back of all", "[anatomy]") {
  Load load;
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 2 * kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, kMiB);

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("a mapped model is not blamed for a file that was mapped meanwhile", "[anatomy]") {
  Load load;
  load.trace.map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB);
  load.wait_ms(10);
  load.trace.map(load.trace.file("/data/images.tar", 2 * kModelBytes), kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, 5 * kMiB + kModelBytes);

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("another process's pages are not the mapped model's", "[anatomy]") {
  Load load;
  load.trace.sample(kMiB, 5 * kMiB);
  load.wait_ms(10);
  const auto child = load.trace.process(200, "loader");
  load.trace.on(load.trace.thread(child)).map(load.model, kModelBytes);
  load.wait_ms(10);
  load.trace.sample(kMiB, kModelBytes, child);  // Its libraries.
  load.wait_ms(10);
  load.trace.sample(kMiB, kModelBytes, child);

  CHECK(load.report().anatomy.findings.empty());
}

TEST_CASE("a refused request before a bad end is a finding, model or not", "[anatomy]") {
  Load load;
  load.trace.fail(900 * kMiB, load.trace.stack({"malloc", "resize", "main"}));
  load.trace.session.exit_status = 134;

  const auto report = load.report();

  REQUIRE(report.anatomy.findings.size() == 1);
  CHECK(report.anatomy.findings[0].kind == FindingKind::kRefused);
  CHECK(report.anatomy.findings[0].bytes == 900 * kMiB);
}

TEST_CASE("a refused request that the program got over is none", "[anatomy]") {
  Load load;
  load.trace.fail(900 * kMiB, load.trace.stack({"malloc", "resize", "main"}));

  CHECK(load.report().anatomy.findings.empty());
}
