// Findings about copies, and the floor, for and against: a false one is worse than none.

#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <utility>

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

TEST_CASE("two halves that are copied to one place are there twice, not three times", "[anatomy]") {
  Load load;
  std::vector<std::uint64_t> halves;
  for (const std::string function : {"read_embedding", "read_layers"}) {
    halves.push_back(load.block(function, kModelBytes / 2));
    load.trace.read_into(load.model, kModelBytes / 2, halves.back());
  }
  for (const std::uint64_t half : halves) {
    load.trace.copy(kModelBytes / 2, half, load.block("Empty", kModelBytes / 2));
  }
  load.wait_ms(10);
  load.release(halves);
  const auto report = load.report();
  REQUIRE_FALSE(report.anatomy.findings.empty());
  for (const auto& finding : report.anatomy.findings) {
    CHECK_FALSE(finding.peak_with_one_bytes);
  }
}

TEST_CASE("more than the weights cannot be there twice", "[anatomy]") {
  // A stream: each buffer also takes what the one before had read.
  constexpr std::uint64_t kQuarter = kModelBytes / 4;
  Load load;
  std::vector<std::uint64_t> buffers;
  std::vector<std::uint64_t> tensors;
  for (int i = 0; i < 4; ++i) {
    buffers.push_back(load.block("read_more", 2 * kQuarter));
    load.trace.read_into(load.model, kQuarter, buffers.back());
    load.wait_ms(10);
    if (i != 0) {
      load.trace.copy(kQuarter, buffers[buffers.size() - 2], buffers.back());
    }
    tensors.push_back(load.block("Empty", kQuarter));
    load.wait_ms(10);
    load.trace.copy(kQuarter, buffers.back(), tensors.back());
  }

  const auto found = findings_of(load.report_of_all({buffers, tensors}), FindingKind::kTwice);

  REQUIRE_FALSE(found.empty());
  CHECK(found[0].bytes > kModelBytes);
  CHECK_THAT(found[0].sentence,
             Catch::StartsWith("Some of the weights are in memory more than twice at the peak: "
                               "384.0 MiB in 3 blocks of read_more (loader.cpp:40)"));
}

TEST_CASE("what is left without the copies is said where it is more than without the original",
          "[anatomy]") {
  const bool was_copied_before = GENERATE(true, false);
  CAPTURE(was_copied_before);
  Load load;
  const auto blob = load.blob();
  auto original = blob;
  if (was_copied_before) {
    original = load.block("clone", kModelBytes);
    load.wait_ms(10);
    load.trace.copy(kModelBytes, blob, original);
    load.trace.release(blob);
  }
  load.block("tokenizer", 2 * kMiB);
  load.tensors_from(original);

  const auto twice = findings_of(load.report(), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK(twice[0].peak_without_bytes == kModelBytes + 2 * kMiB);
  CHECK(twice[0].remedy == (was_copied_before ? "Without the original" : "Without"));
  CHECK((twice[0].sentence.find(
             "Without the copies instead, an earlier peak of 512.0 MiB is left, of 256.0 MiB in 1 "
             "block of read_file (loader.cpp:40) and, copied from it, in 1 block of clone "
             "(loader.cpp:40).") != std::string::npos) == was_copied_before);
}

TEST_CASE("of a peak without the copies, what they are copied from is no pair with them",
          "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  const auto copy_half = [&] {
    const auto half = load.block("Empty", kModelBytes / 2);
    load.trace.copy(kModelBytes / 2, blob, half);
    load.wait_ms(10);
  };
  copy_half();
  load.release({load.block("scratch", 400 * kMiB)});
  copy_half();
  load.block("activations", 300 * kMiB);

  const auto twice = findings_of(load.report(), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK_THAT(twice[0].sentence,
             Catch::EndsWith("Without the copies instead, an earlier peak of 656.0 MiB is left."));
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

  CHECK(findings_of(load.report(kModelBytes / 2), FindingKind::kTwice).empty());
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

TEST_CASE("what goes with a copy beyond what is there twice is said", "[anatomy]") {
  constexpr std::uint64_t kShard = kModelBytes / 4;
  Load load;
  std::vector<std::uint64_t> shards;
  for (int i = 0; i < 4; ++i) {
    shards.push_back(load.block("read_shard", kShard));
    load.trace.read_into(load.model, kShard, shards.back());
  }
  const auto scratch = load.block("plan_memory", kShard / 2);
  for (const std::uint64_t shard : shards) {
    load.trace.copy(kShard, shard, load.block("Empty", kShard));
    load.wait_ms(10);
    load.release({shard});
    if (shard == shards.front()) {
      load.trace.release(scratch);
    }
  }

  const auto twice = findings_of(load.report(), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK(twice[0].bytes == kModelBytes);
  CHECK(twice[0].peak_without_bytes == kModelBytes);
  CHECK(twice[0].remedy == "Without, a later peak is left");
  CHECK(twice[0].sentence ==
        "64.0 MiB of the weights are in memory twice at the peak: among the 256.0 MiB in 4 blocks "
        "of read_shard (loader.cpp:40) and, copied from them, in blocks of Empty (loader.cpp:40).");
}

TEST_CASE("that another peak is left is said where it is notably higher than what goes",
          "[anatomy]") {
  const std::uint64_t later = GENERATE(8U, 2U) * tests::kMiB;  // A hundredth is 2.6 MiB.
  CAPTURE(later);
  Load load;
  const auto blob = load.blob();
  (void)load.tensors_from(blob);
  load.release({blob});
  (void)load.block("first_step", later);
  const auto twice = findings_of(load.report(), FindingKind::kTwice);
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].peak_without_bytes == kModelBytes + later);
  CHECK(twice[0].remedy == (later > 4 * tests::kMiB ? "Without, a later peak is left" : "Without"));
}

namespace {

/// When a vector gives its old block back.
enum class Freed { kAtOnce, kAfterReading, kAfterCopying, kNever };

/// Pieces are read into a buffer and appended to a vector, which grows once.
analyzer::Report appended(Freed freed, bool is_of_one_stack = true) {
  constexpr std::uint64_t kPiece = kModelBytes / 2;
  Load load;
  const auto stack = [&load] {
    return load.trace.stack({"malloc", "insert loader.cpp:40", "main"});
  };
  const auto insert = stack();
  const auto buffer = load.block("buffer", kPiece);
  load.trace.read_into(load.model, kPiece, buffer);
  const auto old = load.trace.allocate(kPiece, insert);
  load.trace.copy(kPiece, buffer, old);
  load.trace.read_into(load.model, kPiece, buffer);
  load.wait_ms(10);
  const auto larger = load.trace.allocate(2 * kPiece, is_of_one_stack ? insert : stack());
  load.trace.copy(kPiece, old, larger);
  load.trace.copy(kPiece, buffer, larger);
  if (freed == Freed::kAfterReading) {
    load.trace.read_into(load.model, kPiece, larger);
  }
  if (freed == Freed::kAfterCopying) {
    load.trace.copy(kPiece / 4, larger, load.block("parse", kPiece / 4));
  }
  load.wait_ms(1);
  if (freed != Freed::kNever) {
    load.trace.release(old);
  }
  load.wait_ms(100);
  return load.report();
}

}  // namespace

TEST_CASE("the old block of a vector that grew once is told as that", "[anatomy]") {
  const auto found = findings_of(appended(Freed::kAtOnce), FindingKind::kGrown);
  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "the old block of a buffer that grows");
  CHECK(found[0].sentence ==
        "128.0 MiB in 1 block of insert (loader.cpp:40) is the old block of a buffer that grows, "
        "beside the new one of 256.0 MiB, into which it is copied.");
  CHECK(found[0].bytes == kModelBytes / 2);
  CHECK(found[0].peak_without_bytes == kModelBytes + kModelBytes / 2);
}

TEST_CASE("a block that stays while its larger copy is used is no vector's old one", "[anatomy]") {
  const auto [freed, is_of_one_stack] = GENERATE(table<Freed, bool>({
      {Freed::kAfterReading, true},
      {Freed::kAfterCopying, true},
      {Freed::kNever, true},
      {Freed::kAtOnce, false},
  }));
  CAPTURE(freed, is_of_one_stack);
  const auto report = appended(freed, is_of_one_stack);
  CHECK(findings_of(report, FindingKind::kGrown).empty());
  CHECK_FALSE(findings_of(report, FindingKind::kTwice).empty());
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

  const auto report = load.report(0);

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
  CHECK(held[0].remedy == "Freed then, an earlier peak is left");
  CHECK_THAT(held[0].sentence,
             Catch::StartsWith("The same 256.0 MiB in 1 block of read_file (loader.cpp:40)") &&
                 Catch::Contains("still alive at the peak, 510 ms later"));
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

TEST_CASE("each of three copies in a row is a finding, and says what all but the last cost",
          "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  const auto code = load.block("code", kModelBytes);
  load.trace.copy(kModelBytes, blob, code);
  load.tensors_from(code);

  const auto report = load.report();

  REQUIRE(findings_of(report, FindingKind::kHeld).size() == 1);  // The blob, while tensors come.
  REQUIRE(findings_of(report, FindingKind::kTwice).size() == 1);
  CHECK(findings_of(report, FindingKind::kTwice)[0].title == "three copies of the weights");
  for (std::size_t i : {0U, 1U}) {
    CHECK(report.anatomy.findings[i].peak_without_bytes == 2 * kModelBytes);
    CHECK(report.anatomy.findings[i].copies == 3);
    CHECK(report.anatomy.findings[i].peak_with_one_bytes == kModelBytes);
  }
}

TEST_CASE("of two copies in turn, each as high as the other, all is told", "[anatomy]") {
  const bool is_copied_on = GENERATE(true, false);
  Load load;
  const auto blob = load.blob();
  const auto code = load.block("code", kModelBytes);
  load.trace.copy(kModelBytes, blob, code);
  load.wait_ms(10);
  load.trace.release(blob);
  if (is_copied_on) {
    load.tensors_from(code);
  } else {
    load.block("optimizer", kModelBytes);
  }
  load.wait_ms(10);
  load.trace.release(code);

  const auto twice = findings_of(load.report(), FindingKind::kTwice);

  REQUIRE(twice.size() == (is_copied_on ? 1 : 0));
  if (is_copied_on) {
    CHECK(twice[0].peak_without_bytes == kModelBytes);
    CHECK(twice[0].remedy == "Without these and what was copied on after them");
    CHECK(twice[0].sentence ==
          "256.0 MiB of the weights are in memory twice at the peak: in 1 block of read_file "
          "(loader.cpp:40) and, copied from it, in 1 block of code (loader.cpp:40). The next copy "
          "in turn makes a peak as high.");
  }
}

TEST_CASE("the floor gives back each byte when it was copied on", "[anatomy]") {
  Load load;
  // Half of it is copied on: it was there for a reason, and could have been given back in part.
  const auto blob = load.blob();
  const auto half = load.block("Empty", kModelBytes / 2);
  load.trace.copy(kModelBytes / 2, blob, half);
  load.block("something_else", kModelBytes / 2);
  load.release({blob});

  const auto report = load.report();

  CHECK(report.peak.footprint_bytes == kModelBytes * 2);
  REQUIRE(report.anatomy.floor);
  CHECK(report.anatomy.floor->peak_bytes == kModelBytes * 3 / 2);
  CHECK(report.anatomy.floor->ratio == Approx(1.5));
}

TEST_CASE("a part that was copied on is in memory twice, and the copy could be spared",
          "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  const auto half = load.block("slice", kModelBytes / 2);
  load.trace.copy(kModelBytes / 2, blob, half);
  load.wait_ms(10);
  load.release({blob, half});

  const auto report = load.report();

  REQUIRE(report.anatomy.findings.size() == 1);
  const analyzer::Finding& finding = report.anatomy.findings.front();
  CHECK(finding.kind == analyzer::FindingKind::kTwice);
  CHECK(finding.bytes == kModelBytes / 2);
  CHECK(finding.peak_without_bytes == kModelBytes);
  CHECK(finding.remedy == "Without the copies");
  CHECK_THAT(finding.sentence, Catch::Contains(": as a part of ") &&
                                   Catch::Contains("and copied from it in 1 block of slice"));
}

TEST_CASE("what holds more than it got of a block, or is gone, is no copy of a part", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  const auto half = load.block("slice", kModelBytes / 2);
  load.trace.copy(kModelBytes / 2, blob, half);
  const std::string what =
      GENERATE("a buffer for much else", "a temporary", "too little", "after the peak");
  CAPTURE(what);
  if (what == "a buffer for much else") {
    const auto buffer = load.block("buffer", kModelBytes * 2);
    load.trace.copy(kModelBytes / 4, blob, buffer);
  } else if (what == "a temporary") {
    const auto temporary = load.block("temporary", kModelBytes / 4);
    load.trace.copy(kModelBytes / 4, blob, temporary);
    load.release({temporary});
    load.block("something_else", kModelBytes);
  } else if (what == "too little") {
    const auto little = load.block("slice", kModelBytes / 50);
    load.trace.copy(kModelBytes / 50, blob, little);
  } else {
    const auto later = load.block("later", kModelBytes / 4);
    load.wait_ms(200);
    load.block("the_peak", kModelBytes);
    load.wait_ms(200);
    load.trace.copy(kModelBytes / 4, blob, later);
  }
  load.wait_ms(10);
  load.release({blob, half});

  const auto report = load.report();

  const auto part =
      std::ranges::find(report.anatomy.findings, "Without the copies", &analyzer::Finding::remedy);
  REQUIRE(part != report.anatomy.findings.end());
  CHECK(part->bytes == kModelBytes / 2 + (what == "too little" ? kModelBytes / 50 : 0));
  CHECK_THAT(part->advice, Catch::Contains("a view"));
}

TEST_CASE("bytes that were copied into a block twice are there once", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  const auto half = load.block("slice", kModelBytes / 2);
  const bool is_same = GENERATE(false, true);
  CAPTURE(is_same);
  load.trace.copy(kModelBytes / 4, blob, half);
  load.trace.copy(kModelBytes / 4, blob, half);
  load.trace.origin(half, 0, load.model, 0, is_same ? kModelBytes / 4 : kModelBytes / 2);
  load.wait_ms(10);
  load.release({blob, half});

  const auto report = load.report();

  CHECK(std::ranges::any_of(report.anatomy.findings, [](const analyzer::Finding& finding) {
          return finding.remedy == "Without the copies";
        }) != is_same);
}

TEST_CASE("what was copied out of a buffer that was read over is nowhere else", "[anatomy]") {
  Load load;
  const bool is_read_over = GENERATE(false, true);
  CAPTURE(is_read_over);
  const auto staging = load.block("staging", kModelBytes / (is_read_over ? 2 : 1));
  const auto one = load.block("kept", kModelBytes / 4);
  load.trace.read_into(load.model, kModelBytes / 2, staging);
  load.trace.copy(kModelBytes / 4, staging, one);
  const auto other = load.block("kept", kModelBytes / 8);
  load.trace.read_into(load.model, kModelBytes / 2, staging);
  load.trace.copy(kModelBytes / 8, staging, other);
  load.wait_ms(10);
  load.release({staging, one, other});

  const auto report = load.report();

  CHECK(std::ranges::any_of(report.anatomy.findings, [](const analyzer::Finding& finding) {
          return finding.remedy == "Without the copies";
        }) != is_read_over);
}

TEST_CASE("the floor is no higher than the peak without a finding", "[anatomy]") {
  Load load;
  const auto blob = load.blob();
  load.tensors_from(blob);

  const auto report = load.report();

  // Giving the blob back piece by piece would leave a tensor more than never having it.
  REQUIRE(report.anatomy.floor);
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
