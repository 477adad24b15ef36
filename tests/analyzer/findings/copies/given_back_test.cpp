// Blocks that give their pages back while they live, as the heap of a collector does.
#include "tests/analyzer/findings/loads.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace tidemark;
using analyzer::FindingKind;
using tests::kMiB;
using tests::kModelBytes;
using tests::kTensorBytes;
using tests::Load;

namespace {

/// A collector's heap: mappings of which looks find the pages, and which give them back at once.
/// The file was read into one of them.
struct CollectorsHeap : Load {
  CollectorsHeap() : source(array("read_strict", kModelBytes)) { read_whole(source); }
  std::uint64_t array(const std::string& function, std::uint64_t size) {
    const auto block = this->block(function, 0, trace::Lane::kAnon);
    wait_ms(10);
    trace.grow(block, size);
    return block;
  }

  std::uint64_t source;
};

}  // namespace

TEST_CASE("blocks that give their pages back after the peak were copied all the same",
          "[anatomy]") {
  CollectorsHeap load;
  const auto target = load.array("copy", kModelBytes);
  load.trace.copy(kModelBytes, load.source, target);
  load.wait_ms(10);
  const std::uint64_t left = GENERATE(0U, 4 * kMiB);
  load.trace.release_part(load.source, kModelBytes - left);
  load.trace.release_part(target, kModelBytes);

  const auto report = load.report();

  REQUIRE(report.anatomy.findings.size() == 1);
  const auto& finding = report.anatomy.findings[0];
  CHECK(finding.kind == FindingKind::kTwice);
  CHECK(finding.bytes == kModelBytes);
  CHECK(finding.peak_without_bytes == kModelBytes);
  CHECK_THAT(finding.sentence, Catch::Contains("in 1 block of read_strict (loader.cpp:40) and, "
                                               "copied from it, in 1 block of copy"));
  REQUIRE(report.anatomy.floor);
  CHECK(report.anatomy.floor->peak_bytes == kModelBytes);
  REQUIRE(report.anatomy.chain.nodes.size() == 3);
  CHECK(report.anatomy.chain.nodes[2].name == "copy (loader.cpp:40)");
}

TEST_CASE("of a block that gives its pages back only what was copied on was passed on",
          "[anatomy]") {
  CollectorsHeap load;
  const auto target = load.array("header", kTensorBytes);
  load.trace.copy(kTensorBytes, load.source, target);
  load.wait_ms(10);
  load.trace.release_part(load.source, kModelBytes - kTensorBytes / 2);

  const auto report = load.report();

  REQUIRE(report.anatomy.findings.size() == 1);
  const auto& finding = report.anatomy.findings[0];
  CAPTURE(finding.sentence);
  CHECK(finding.kind == FindingKind::kTwice);
  CHECK(finding.bytes == kTensorBytes);
  CHECK(finding.peak_without_bytes.value_or(kModelBytes) >= kModelBytes);
  const auto& chain = report.anatomy.chain;
  REQUIRE(chain.nodes.size() == 3);
  CHECK(chain.nodes[2].name == "header (loader.cpp:40)");
  REQUIRE(chain.edges.size() == 2);
  CHECK(chain.edges[1].bytes == kTensorBytes);
}

TEST_CASE("what a block has given back is saved no longer", "[anatomy]") {
  CollectorsHeap load;
  load.tensors_from(load.source);
  load.wait_ms(10);
  load.trace.release_part(load.source, kModelBytes - kTensorBytes);
  load.block("later", kModelBytes - kTensorBytes);

  const auto report = load.report();

  // The later block comes to what is left of the load.source, and no more than that can go.
  REQUIRE(report.anatomy.floor);
  CHECK(report.anatomy.floor->peak_bytes == 2 * kModelBytes - kTensorBytes);
}
