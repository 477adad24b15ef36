// Findings of recordings in which only some of the small blocks have stacks: they hold for whatever
// sample it was.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace tidemark;
using analyzer::FindingKind;
using tests::findings_of;
using tests::kTensorBytes;
using tests::kTensors;
using tests::Load;

namespace {

/// A load whose tensors are below the size that stacks are sampled by, while the file's buffer is
/// above it.
class SampledLoad : public Load {
 public:
  SampledLoad() : unsampled_(trace.stack({trace::kUnsampledStackName})) {
    trace.session.sample_bytes = 2 * kTensorBytes;
  }

  std::uint64_t block_of(const std::string& function, std::uint64_t size, bool is_sampled) {
    if (is_sampled) {
      return block(function, size);
    }
    wait_ms(10);
    return trace.allocate(size, unsampled_);
  }
  /// Read whole, then copied into blocks of which every `sampled`th has its stack.
  void read_and_copy(std::uint64_t sampled) {
    const auto from = blob();
    for (std::uint64_t i = 0; i < kTensors; ++i) {
      const auto tensor = block_of("Empty", kTensorBytes, i % sampled == 0);
      wait_ms(10);
      trace.copy(kTensorBytes, from, tensor, trace.stack({"memcpy", "copy_tensor", "main"}));
    }
  }

 private:
  trace::StackId unsampled_;
};

std::vector<std::string> sentences(const analyzer::Report& report) {
  std::vector<std::string> all;
  for (const analyzer::Finding& finding : report.anatomy.findings) {
    all.push_back(finding.sentence);
  }
  return all;
}

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a finding names the function of large blocks, and of small ones none",
          "[findings][sampling]") {
  SampledLoad load;
  load.read_and_copy(1);  // By chance, every one has.

  const auto twice = findings_of(load.report(), FindingKind::kTwice);

  REQUIRE(twice.size() == 1);
  CHECK(has(twice[0].sentence, "read_file (loader.cpp:40)"));
  CHECK(has(twice[0].sentence, "places of which only a sample is known"));
  CHECK_FALSE(has(twice[0].sentence, "Empty"));
}

TEST_CASE("findings do not depend on which blocks were sampled", "[findings][sampling]") {
  SampledLoad one;
  one.read_and_copy(1);
  SampledLoad other;
  other.read_and_copy(5);

  CHECK(sentences(one.report()) == sentences(other.report()));
}

TEST_CASE("a copy into another small block is no buffer that moved", "[findings][sampling]") {
  // Each is copied into a larger one: at one place that is a vector that grows, and of small blocks
  // the places are not known.
  const auto grown_of = [](std::uint64_t sample_bytes, bool is_sampled) {
    SampledLoad load;
    load.trace.session.sample_bytes = sample_bytes;
    std::uint64_t last = 0;
    for (std::uint64_t size = kTensorBytes / 16; size <= kTensorBytes; size *= 2) {
      const auto block = load.block_of("push_back", size, is_sampled);
      if (size > kTensorBytes / 16) {
        load.trace.copy(size / 2, last, block, load.trace.stack({"memcpy", "grow", "main"}));
      }
      last = block;
    }
    load.streamed_tensors();
    return findings_of(load.report(), FindingKind::kGrown);
  };
  CHECK(grown_of(0, true).size() == 1);
  CHECK(grown_of(2 * kTensorBytes, true).empty());
  CHECK(grown_of(2 * kTensorBytes, false).empty());
}
