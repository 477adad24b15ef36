// Extension functions that ask inside one line of Python.
#include "analyzer/layers/line_natives.hpp"

#include "analyzer/layers/footprint_layers.hpp"
#include "analyzer/report/facts/report.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace tidemark;
using analyzer::FootprintLayers;
using analyzer::LayerGrouping;
using tests::kMiB;
using tests::TraceBuilder;

namespace {

/// What a line asks for, by extension function, in one block each.
using Asked = std::vector<std::pair<std::string, std::uint64_t>>;

/// A load by one line of Python, opened.
class LineLoad {
 public:
  explicit LineLoad(const Asked& asked, int line = 12) {
    for (const auto& [function, bytes] : asked) {
      builder_.allocate(bytes, builder_.stack({"malloc", function, "_PyEval_EvalFrameDefault",
                                               "load load.py:" + std::to_string(line)}));
    }
    trace_.push_back(builder_.open());
    auto report = analyzer::build_report(trace_.front(), {});
    REQUIRE(report.ok());
    peak_ = report.value().peak.at;
    peak_bytes_ = report.value().peak.footprint_bytes;
    natives_ =
        analyzer::large_natives(report.value().live, trace_.front().definitions(), peak_bytes_);
  }
  [[nodiscard]] analyzer::LayeredLoad layered() {
    return {.trace = &trace_.front(),
            .peak = peak_,
            .peak_bytes = peak_bytes_,
            .phases = {},
            .sized = {},
            .natives = natives_};
  }
  [[nodiscard]] const std::vector<std::string>& natives() const { return natives_; }

 private:
  TraceBuilder builder_;
  std::vector<analyzer::LoadedTrace> trace_;
  analyzer::Instant peak_;
  std::uint64_t peak_bytes_ = 0;
  std::vector<std::string> natives_;
};

using Sizes = std::vector<std::uint64_t>;

std::map<std::string, Sizes> at_peaks(const std::vector<analyzer::LayeredLoad>& loads,
                                      LayerGrouping by = LayerGrouping::kFunction) {
  const FootprintLayers made(loads, by);
  std::map<std::string, Sizes> sizes;
  for (const analyzer::FootprintLayer& layer : made.layers()) {
    if (!layer.is_rest) {
      sizes[layer.text] = layer.at_peak;
    }
  }
  return sizes;
}

const Asked kReadAndCopied{{"read_whole", 40 * kMiB}, {"make_tensor", 40 * kMiB}};

}  // namespace

TEST_CASE("a line of Python is a layer for each extension function that holds much inside it",
          "[layers]") {
  LineLoad load(kReadAndCopied);
  CHECK(at_peaks({load.layered()}) ==
        std::map<std::string, Sizes>{{"load through read_whole  load.py:12", {40 * kMiB}},
                                     {"load through make_tensor  load.py:12", {40 * kMiB}}});
}

TEST_CASE("one extension function, or one beside small ones, leaves a line one layer", "[layers]") {
  const std::map<std::string, Sizes> one{{"load  load.py:12", {80 * kMiB}}};
  CHECK(at_peaks({LineLoad({{"read_whole", 80 * kMiB}}).layered()}) == one);
  LineLoad beside({{"read_whole", 77 * kMiB}, {"decode", 3 * kMiB}});
  CHECK(beside.natives().size() == 1);
  CHECK(at_peaks({beside.layered()}) == one);
}

TEST_CASE("of two extension functions that are told apart, what small ones hold stays the line's",
          "[layers]") {
  LineLoad load({{"read_whole", 40 * kMiB}, {"make_tensor", 37 * kMiB}, {"decode", 3 * kMiB}});
  CHECK(at_peaks({load.layered()}) ==
        std::map<std::string, Sizes>{{"load through read_whole  load.py:12", {40 * kMiB}},
                                     {"load through make_tensor  load.py:12", {37 * kMiB}},
                                     {"load  load.py:12", {3 * kMiB}}});
}

TEST_CASE("a file's bytes that went from a line are a layer of their own before and after",
          "[layers]") {
  LineLoad before(kReadAndCopied);
  LineLoad after({{"make_tensor", 40 * kMiB}}, 15);
  CHECK(at_peaks({before.layered(), after.layered()}) ==
        std::map<std::string, Sizes>{
            {"load through read_whole  load.py:12", {40 * kMiB, 0}},
            {"load through make_tensor  load.py:15", {40 * kMiB, 40 * kMiB}}});
}

TEST_CASE("other layers than those of functions know no extension functions", "[layers]") {
  LineLoad load(kReadAndCopied);
  CHECK(at_peaks({load.layered()}, LayerGrouping::kModule).size() == 1);
}

TEST_CASE("in little room a layer of a line keeps what tells it apart", "[layers]") {
  LineLoad load(kReadAndCopied);
  const FootprintLayers made({load.layered()}, LayerGrouping::kFunction);
  const auto& layers = made.layers();
  const auto read = std::ranges::find(layers, "load through read_whole  load.py:12",
                                      &analyzer::FootprintLayer::text);
  REQUIRE(read != layers.end());
  CHECK(read->fitted(70) == "load through read_whole  load.py:12");
  CHECK(read->fitted(20) == "read_whole");
  CHECK(read->fitted(8) == "read_wh…");
  CHECK(read->short_text(40) == "read_whole");
}
