#include "gui/view/blocks/block_layers.hpp"

#include "analyzer/picture/bands.hpp"
#include "analyzer/report/facts/report.hpp"
#include "gui/view/trees/call_tree.hpp"
#include "gui/view/trees/layer_colours.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <deque>
#include <map>

using namespace tidemark;
using analyzer::FootprintLayer;
using analyzer::LayerGrouping;

namespace {

/// Two loads that differ in template arguments, and have a function each of their own.
class TwoLoads {
 public:
  TwoLoads() {
    make(1000, "<int>", "read_whole");
    make(700, "<long>", "stream");
  }

  [[nodiscard]] std::vector<analyzer::LayeredLoad> layered() { return layered_; }
  analyzer::LoadedTrace& trace(std::size_t side) { return traces_[side]; }

 private:
  void make(std::uint64_t bytes, const std::string& type, const char* own) {
    tests::TraceBuilder& builder = builders_.emplace_back();
    const auto vector = builder.stack({"malloc", "grow" + type + "::reallocate", "main"});
    builder.allocate(bytes, vector);
    builder.allocate(bytes / 2, builder.stack({"malloc", own, "main"}));
    builder.allocate(bytes / 4, vector, trace::Lane::kAnon);
    analyzer::LoadedTrace& trace = traces_.emplace_back(builder.open());
    auto report = analyzer::build_report(trace, {});
    REQUIRE(report.ok());
    layered_.push_back({.trace = &trace,
                        .peak = report.value().peak.at,
                        .peak_bytes = report.value().peak.footprint_bytes,
                        .phases = {},
                        .sized = {}});
  }

  std::deque<tests::TraceBuilder> builders_;
  std::deque<analyzer::LoadedTrace> traces_;
  std::vector<analyzer::LayeredLoad> layered_;
};

}  // namespace

TEST_CASE("the blocks of each layer are what it holds at the peak, in both loads", "[gui]") {
  const auto by = GENERATE(LayerGrouping::kFunction, LayerGrouping::kModule, LayerGrouping::kLane);
  TwoLoads loads;
  const analyzer::FootprintLayers made(loads.layered(), by);
  const auto layers = std::make_shared<const std::vector<FootprintLayer>>(made.layers());
  REQUIRE(layers->size() > 1);
  for (std::size_t side = 0; side < 2; ++side) {
    const auto load = loads.layered()[side];
    gui::BlockLayers of_blocks(load, side, by, layers);
    gui::BlockGatherer gatherer(loads.trace(side), 100);
    while (gatherer.step()) {
    }
    std::map<std::size_t, std::uint64_t> held;
    for (const gui::LongBlock& block : gatherer.take().blocks) {
      held[of_blocks.of(block).value()] += block.bytes;
    }
    for (std::size_t i = 0; i < layers->size(); ++i) {
      CAPTURE(side, (*layers)[i].text);
      CHECK(held[i] == (*layers)[i].at_peak[side]);
    }
  }
}

TEST_CASE("a function has its layer's colour wherever it is drawn", "[gui]") {
  TwoLoads loads;
  const analyzer::FootprintLayers made(loads.layered(), LayerGrouping::kFunction);
  const auto& layers = made.layers();
  const gui::LayerColours colours(layers, picture::light_theme());
  const auto all = picture::layer_colours(layers, picture::light_theme());
  std::size_t found = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (const auto& frame = layers[i].frame) {
      const auto own = colours.of(analyzer::short_name(*frame), gui::place_text(*frame));
      REQUIRE(own.has_value());
      CHECK(own->red == all[i].red);
      CHECK(own->green == all[i].green);
      ++found;
    }
  }
  CHECK(found == 3);
  CHECK_FALSE(colours.of("nobody", "loader.cpp:1").has_value());
}
