#include "analyzer/layers/footprint_layers.hpp"

#include "analyzer/layers/allocation_phases.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/report/facts/report.hpp"
#include "analyzer/stacks/stack_text.hpp"
#include "analyzer/tensors/tensor_groups.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

using namespace tidemark;
using analyzer::FootprintLayers;
using analyzer::LayerGrouping;
using tests::TraceBuilder;

namespace {

using Sums = std::map<std::string, std::uint64_t>;

analyzer::Report report_of(analyzer::LoadedTrace& trace,
                           analyzer::TensorGrouping by = analyzer::TensorGrouping::kNone) {
  analyzer::ReportOptions options;
  options.top = 0;
  options.by = by;
  auto report = analyzer::build_report(trace, options);
  REQUIRE(report.ok());
  return std::move(report.value());
}

analyzer::LayeredLoad load_of(analyzer::LoadedTrace& trace, const analyzer::Report& report) {
  return {.trace = &trace,
          .peak = report.peak.at,
          .peak_bytes = report.peak.footprint_bytes,
          .phases = report.phases,
          .sized = report.anatomy.sized};
}

/// With so many layers that none is left over.
FootprintLayers all_layers(analyzer::LoadedTrace& trace,
                           const analyzer::Report& report,
                           LayerGrouping grouping) {
  return FootprintLayers({load_of(trace, report)}, grouping, 1000);
}

std::vector<analyzer::LayerPoint> every_point(analyzer::LoadedTrace& trace) {
  std::vector<analyzer::LayerPoint> points;
  for (std::size_t block = 0; block < trace.blocks().size(); ++block) {
    for (std::uint32_t events = 0; events <= trace.blocks()[block].event_count; ++events) {
      const analyzer::Instant at{block, events, 0};
      points.push_back({at, trace.totals_at(at)->footprint()});
    }
  }
  return points;
}

/// Which layer an allocation is in, found by the long way.
using NameOf = std::function<std::string(const trace::Event&)>;

Sums live_sums(analyzer::LoadedTrace& trace, const analyzer::Instant& at, const NameOf& name_of) {
  Sums sums;
  analyzer::visit_live(trace, {}, at, [&](const trace::Event& event, std::uint64_t bytes) {
    const std::string name = name_of(event);
    if (trace::in_footprint(event.lane) && !name.empty() && bytes > 0) {
      sums[name] += bytes;
    }
  });
  return sums;
}

std::string asking_of(const trace::Definitions& definitions, trace::StackId stack) {
  const auto frames = analyzer::named_stack(definitions, stack);
  return frames.empty()
             ? std::string()
             : analyzer::frame_text({.utf8 = true}, frames[analyzer::asking_frame(frames)], 1000);
}

/// Exactly what any of them holds is a layer, at every instant of the trace.
void check_everywhere(analyzer::LoadedTrace& trace,
                      const FootprintLayers& layers,
                      const NameOf& name_of) {
  std::uint64_t highest = 0;
  const auto points = every_point(trace);
  const auto bytes = layers.at(0, points);
  const std::size_t count = layers.layers().size();
  REQUIRE(bytes.size() == points.size() * count);
  for (std::size_t i = 0; i < points.size(); ++i) {
    CAPTURE(i);
    const auto at = std::span(bytes).subspan(i * count, count);
    REQUIRE(std::accumulate(at.begin(), at.end(), std::uint64_t{0}) == points[i].footprint);
    highest = std::max(highest, points[i].footprint);
    const Sums wanted = live_sums(trace, points[i].at, name_of);
    for (std::size_t l = 0; l < count; ++l) {
      const analyzer::FootprintLayer& one = layers.layers()[l];
      const auto sum = wanted.find(one.text);
      CAPTURE(one.text);
      REQUIRE((one.is_rest || at[l] == (sum == wanted.end() ? 0 : sum->second)));
    }
  }
  CHECK(highest > 0);
}

const analyzer::FootprintLayer& layer(const FootprintLayers& layers, const std::string& text) {
  const auto found = std::ranges::find(layers.layers(), text, &analyzer::FootprintLayer::text);
  REQUIRE(found != layers.layers().end());
  return *found;
}

/// A file is read whole into a buffer, which is copied into what stays.
void append_load(TraceBuilder& trace, const std::string& read, const std::string& keep) {
  const auto buffer = trace.at_ms(10).allocate(1000, trace.stack({"malloc", read, "main"}));
  const auto kept = trace.stack({"malloc", keep, "main"});
  trace.at_ms(20).allocate(600, kept);
  trace.at_ms(30).allocate(400, kept);
  trace.at_ms(40).release(buffer);
  trace.at_ms(100);
}

}  // namespace

TEST_CASE("several groupings counted in one walk are what each is alone", "[layers]") {
  TraceBuilder trace;
  tests::append_random_load(trace, 4, 120);
  auto loaded = trace.open();
  const auto report = report_of(loaded);
  const std::vector<analyzer::LayeredLoad> loads{load_of(loaded, report)};
  const auto points = every_point(loaded);

  const auto all = FootprintLayers::by_each(loads, analyzer::kLayerGroupings, 3);
  const auto bytes = FootprintLayers::at_each(all, 0, points);

  REQUIRE(all.size() == analyzer::kLayerGroupings.size());
  REQUIRE(bytes.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    const FootprintLayers alone(loads, analyzer::kLayerGroupings[i], 3);
    CHECK(all[i].grouping() == alone.grouping());
    REQUIRE(all[i].layers().size() == alone.layers().size());
    for (std::size_t layer = 0; layer < alone.layers().size(); ++layer) {
      CHECK(all[i].layers()[layer].text == alone.layers()[layer].text);
      CHECK(all[i].layers()[layer].at_peak == alone.layers()[layer].at_peak);
    }
    CHECK(bytes[i] == alone.at(0, points));
  }
}

TEST_CASE("layers by function add up to the footprint, and each is what its stacks hold",
          "[layers]") {
  const unsigned seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  TraceBuilder trace;
  tests::append_random_load(trace, seed, 120);
  auto loaded = trace.open();
  const auto report = report_of(loaded);
  const auto layers = all_layers(loaded, report, LayerGrouping::kFunction);

  REQUIRE(layers.layers().size() > 2);
  check_everywhere(loaded, layers, [&](const trace::Event& event) {
    return asking_of(loaded.definitions(), event.stack);
  });
}

TEST_CASE("layers by lane are the lanes", "[layers]") {
  TraceBuilder trace;
  tests::append_random_load(trace, 4, 120);
  auto loaded = trace.open();
  const auto report = report_of(loaded);
  const auto layers = all_layers(loaded, report, LayerGrouping::kLane);

  CHECK(layers.layers().size() == 3);  // The rest, heap and anonymous mappings.
  check_everywhere(loaded, layers, [](const trace::Event& event) {
    return std::string(trace::info_of(event.lane).title);
  });
}

TEST_CASE("an allocation belongs to the phase that phase_at finds at its event", "[layers]") {
  const unsigned seed = GENERATE(5U, 6U, 7U, 8U);
  CAPTURE(seed);
  TraceBuilder trace;
  tests::append_random_load(trace, seed, 300);
  auto loaded = trace.open();
  const auto report = report_of(loaded);
  REQUIRE(report.phases.size() > 4);
  const analyzer::AllocationPhases phases(loaded, report.phases);

  trace::EventOrdinal ordinal = 0;
  std::size_t inside = 0;
  for (std::size_t block = 0; block < loaded.blocks().size(); ++block) {
    for (const trace::Event& event : *loaded.events(block)) {
      if (trace::is_allocation(event.kind)) {
        const auto* wanted = analyzer::phase_at(report.phases, event.at_ns, ordinal, event.thread);
        const auto found = phases.at(event.allocation, event.thread);
        CAPTURE(ordinal, event.allocation);
        REQUIRE(found.has_value() == (wanted != nullptr));
        CHECK((!found || &report.phases[*found] == wanted));
        inside += found ? 1U : 0U;
      }
      ++ordinal;
    }
  }
  CHECK(inside > 0);
  const auto layers = all_layers(loaded, report, LayerGrouping::kPhase);
  check_everywhere(loaded, layers, [&](const trace::Event& event) {
    const auto found = phases.at(event.allocation, event.thread);
    return found ? report.phases[*found].name : std::string();
  });
}

TEST_CASE("the layers at the peak are the rows of the report", "[layers]") {
  TraceBuilder trace;
  tests::append_naive_load(trace);
  auto loaded = trace.open();
  const auto report = report_of(loaded);
  Sums wanted;
  for (const auto& stack : report.live_stacks) {
    wanted[stack.frames.empty()
               ? ""
               : analyzer::frame_text({.utf8 = true},
                                      stack.frames[analyzer::asking_frame(stack.frames)], 1000)] +=
        stack.bytes;
  }

  const auto layers = all_layers(loaded, report, LayerGrouping::kFunction);

  std::uint64_t sum = 0;
  for (const auto& one : layers.layers()) {
    CAPTURE(one.text);
    sum += one.at_peak[0];
    if (!one.is_rest && one.at_peak[0] > 0) {
      REQUIRE(wanted.contains(one.text));
      CHECK(one.at_peak[0] == wanted[one.text]);
    }
  }
  CHECK(sum == report.peak.footprint_bytes);
  CHECK(layers.layers().size() > 2);
}

TEST_CASE("layers by tensor are the rows that the report has of the model's layers", "[layers]") {
  TraceBuilder trace;
  const auto file = trace.file("/m/model.safetensors", 3000);
  trace.tensor(file, 250, 1000, "model.layers.0.a");
  trace.tensor(file, 250, 1000, "model.layers.0.b");
  trace.tensor(file, 250, 1000, "model.layers.1.a");
  trace.open_file(file);
  const auto buffer = trace.at_ms(1).allocate(3500, trace.stack({"malloc", "read", "main"}));
  trace.origin(buffer, 0, file, 0, 3000);
  trace.read_into(file, 3000, buffer);
  const auto copy = trace.at_ms(2).allocate(1000, trace.stack({"malloc", "copy", "main"}));
  trace.origin(copy, 0, file, 2000, 1000);
  trace.at_ms(3).release(buffer);
  trace.at_ms(9);
  auto loaded = trace.open();
  const auto report = report_of(loaded, analyzer::TensorGrouping::kLayer);
  REQUIRE(report.tensors.rows.size() == 2);

  const auto layers = all_layers(loaded, report, LayerGrouping::kTensor);

  for (const auto& row : report.tensors.rows) {
    CHECK(layer(layers, row.name).at_peak[0] == row.bytes);
  }
  CHECK(layer(layers, "model.layers.0").at_peak[0] == 2000);
  CHECK(layer(layers, "model.layers.1").at_peak[0] == 2000);
  CHECK(layer(layers, "not weights").at_peak[0] == 500);
}

TEST_CASE("of a model whose tensors are not known nothing is said to be no weight", "[layers]") {
  TraceBuilder trace;
  const auto file = trace.file("/m/model.bin", 3000);
  const auto buffer = trace.at_ms(1).allocate(3500, trace.stack({"malloc", "read", "main"}));
  trace.read_into(file, 3000, buffer);
  trace.at_ms(9);
  auto loaded = trace.open();
  const auto report = report_of(loaded, analyzer::TensorGrouping::kLayer);

  const auto layers = all_layers(loaded, report, LayerGrouping::kTensor);

  REQUIRE(layers.layers().size() == 1);
  CHECK(layers.layers()[0].text == "tensors not known");
}

TEST_CASE("what stays after the peak lies below what goes", "[layers]") {
  TraceBuilder trace;
  append_load(trace, "read_whole file.cpp:3", "keep tensor.cpp:9");
  auto loaded = trace.open();
  const auto report = report_of(loaded);
  const auto layers = all_layers(loaded, report, LayerGrouping::kFunction);

  REQUIRE(layers.layers().size() == 3);
  CHECK(layers.layers()[0].is_rest);
  CHECK(layers.layers()[1].text == "keep  tensor.cpp:9");
  CHECK(layers.layers()[1].stays);
  CHECK(layers.layers()[2].text == "read_whole  file.cpp:3");
  CHECK_FALSE(layers.layers()[2].stays);
}

TEST_CASE("a function whose line moved between two builds is one layer", "[layers]") {
  TraceBuilder before;
  append_load(before, "read_whole file.cpp:3", "keep tensor.cpp:9");
  TraceBuilder after;
  append_load(after, "read_in_place file.cpp:5", "keep tensor.cpp:12");
  auto loaded_before = before.open();
  auto loaded_after = after.open();
  const auto report_before = report_of(loaded_before);
  const auto report_after = report_of(loaded_after);

  const FootprintLayers layers(
      {load_of(loaded_before, report_before), load_of(loaded_after, report_after)},
      LayerGrouping::kFunction);

  using Bytes = std::vector<std::uint64_t>;
  CHECK(layers.layers().size() == 4);
  CHECK(layer(layers, "keep  tensor.cpp:12").at_peak == Bytes{1000, 1000});
  CHECK(layer(layers, "read_whole  file.cpp:3").at_peak == Bytes{1000, 0});
  CHECK(layer(layers, "read_in_place  file.cpp:5").at_peak == Bytes{0, 1000});
}

TEST_CASE("more groups than there are layers become one rest", "[layers]") {
  TraceBuilder trace;
  for (int i = 0; i < 12; ++i) {
    trace.at_ms(10 + static_cast<std::uint64_t>(i))
        .allocate(1000 + static_cast<std::uint64_t>(i),
                  trace.stack({"malloc", "f" + std::to_string(i), "main"}));
  }
  trace.allocate(77);
  trace.at_ms(100);
  auto loaded = trace.open();
  const auto report = report_of(loaded);

  const FootprintLayers layers({load_of(loaded, report)}, LayerGrouping::kFunction);

  REQUIRE(layers.layers().size() == FootprintLayers::kMaxLayers + 1);
  CHECK(layers.layers()[0].text == "other functions");
  CHECK(layers.layers()[0].at_peak[0] == 77 + 1000 + 1001 + 1002 + 1003 + 1004);
  CHECK(layers.layers()[1].at_peak[0] == 1011);
}

TEST_CASE("of a torn trace, too, the layers are the footprint", "[layers]") {
  TraceBuilder trace;
  tests::append_random_load(trace, 9, 200);
  auto loaded = trace.break_off();
  const auto report = report_of(loaded);
  const auto layers = all_layers(loaded, report, LayerGrouping::kFunction);
  const auto points = every_point(loaded);

  const auto bytes = layers.at(0, points);

  const std::size_t count = layers.layers().size();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(i * count);
    REQUIRE(std::accumulate(first, first + static_cast<std::ptrdiff_t>(count), std::uint64_t{0}) ==
            points[i].footprint);
  }
  CHECK(points.size() > 100);
}

TEST_CASE("where nothing is known to layer by, a sentence says so", "[layers]") {
  TraceBuilder plain;
  append_load(plain, "read", "keep");
  auto loaded = plain.open();
  const auto report = report_of(loaded);
  for (const LayerGrouping grouping : analyzer::kLayerGroupings) {
    CAPTURE(std::string(analyzer::grouping_word(grouping)));
    const auto layers = all_layers(loaded, report, grouping);
    const std::string text = analyzer::nothing_to_layer(grouping, layers.layers());
    const bool has_none = grouping == LayerGrouping::kTensor || grouping == LayerGrouping::kPhase;
    CHECK(text.empty() != has_none);
    CHECK(text.empty() ==
          std::ranges::any_of(layers.layers(), [](const auto& one) { return !one.is_rest; }));
  }
  const auto by_tensor = all_layers(loaded, report, LayerGrouping::kTensor);
  CHECK(analyzer::nothing_to_layer(LayerGrouping::kTensor, by_tensor.layers()) ==
        "nothing to layer by tensor: no layer of the model is known to hold 1 % of the peak");
}
