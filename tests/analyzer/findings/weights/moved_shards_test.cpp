// Weights of many files, each of which has too little of the peak to be told alone.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::kTensors;
using tests::Load;

namespace {

/// Files of 16 MiB that list no tensors. Each is read into a block, and a loop widens it into
/// another.
struct Shards : Load {
  explicit Shards(bool keeps_what_was_read) {
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      const auto file =
          trace.file("/models/small/part-" + std::to_string(i) + ".params", kTensorBytes);
      const auto read = block("read_file", kTensorBytes);
      trace.read_into(file, kTensorBytes, read);
      trace.origin(read, 0, file, 0, kTensorBytes);
      made.push_back(block("Unpack", 2 * kTensorBytes));
      trace.widened(made.back(), file, 0, "f32", "bf16");
      wait_ms(10);
      if (keeps_what_was_read) {
        made.push_back(read);
      } else {
        trace.release(read);
      }
    }
  }
  analyzer::Report all() { return report_of_all({made}); }
  std::vector<std::uint64_t> made;
};

}  // namespace

TEST_CASE("weights of many files that loops widen are told together", "[anatomy]") {
  const bool keeps_what_was_read = GENERATE(false, true);
  CAPTURE(keeps_what_was_read);

  const auto report = Shards(keeps_what_was_read).all();
  const auto widened = findings_of(report, FindingKind::kWidened);
  const auto twice = findings_of(report, FindingKind::kTwice);

  REQUIRE(widened.size() == 1);
  CHECK(widened[0].sentence ==
        "512.0 MiB in 16 blocks of Unpack (loader.cpp:40) hold bf16 of 16 files as f32, by their "
        "values: 4 bytes an element; the files have 2 bytes an element.");
  // The last file's own bytes are there, too.
  CHECK(widened[0].peak_without_bytes ==
        kModelBytes + (keeps_what_was_read ? kModelBytes : kTensorBytes));
  REQUIRE(twice.size() == (keeps_what_was_read ? 1 : 0));
  if (keeps_what_was_read) {
    CHECK(twice[0].bytes == kModelBytes);
    CHECK(twice[0].peak_without_bytes == 2 * kModelBytes);
    CHECK_THAT(twice[0].sentence,
               Catch::Contains("in 16 blocks of read_file (loader.cpp:40) as in the file, and as "
                               "f32 in 16 blocks of Unpack (loader.cpp:40)"));
  }
}

TEST_CASE("equal parts of two files are not the same weights", "[anatomy]") {
  Load load;
  std::vector<std::uint64_t> made;
  for (const char* const name : {"one", "other"}) {
    const auto file =
        load.trace.file("/models/small/" + std::string(name) + ".params", kModelBytes / 2);
    made.push_back(load.block("read_" + std::string(name), kModelBytes / 2));
    load.trace.read_into(file, kModelBytes / 2, made.back());
    load.trace.as_in_file(made.back(), file, 0);
  }
  CHECK(findings_of(load.report_of_all({made}), FindingKind::kTwice).empty());
}
