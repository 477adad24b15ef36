#include "gui/view/timeline/timeline_picture.hpp"

#include "gui/view/timeline/column_set.hpp"
#include "gui/view/timeline/timeline_header.hpp"
#include "gui/view/timeline/timeline_legend.hpp"
#include "tests/analyzer/picture/scenes.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace tidemark;
using gui::TimelineTrace;
using gui::ViewRange;
using picture::Part;
using tests::Gallery;

namespace {

/// A timeline of its subjects that fills a picture.
struct Drawn {
  picture::Scene scene;
  gui::TimelineLayout layout;
};

struct Wish {
  double width = 1600;
  double height = 420;
  ViewRange range{};
  picture::Align align = picture::Align::kTime;
  bool overlaid = false;
  double scale = 1;
  std::optional<ViewRange> selection{};
  double sizes = 1;        ///< The part of the size axis that is in view.
  std::uint64_t less = 0;  ///< Bytes that are taken away of the peak; 0: nothing is.
};

Drawn draw(const Gallery& gallery, const Wish& wish) {
  const auto axis = picture::align(gallery.subjects(), wish.align, 1);
  REQUIRE(axis.ok());
  const picture::Type type = gui::screen_type(wish.scale);
  const picture::MeasureText measure = tests::wide_letters();
  const gui::Look look{picture::light_theme(), type, measure};
  std::vector<TimelineTrace> traces;
  std::uint64_t longest = 0;
  for (const picture::Subject& subject : gallery.subjects()) {
    traces.push_back({&subject, {}, {}, ""});
    if (wish.less > 0) {
      trace::LaneTotals left;
      left[trace::Lane::kHeap] = subject.peak_bytes - wish.less;
      traces.back().remaining_peak = {subject.peak_at, left};
    }
    longest = std::max(longest, subject.duration_ns);
  }
  gui::TimelineInput input{.traces = traces,
                           .axis = &axis.value(),
                           .align = wish.align,
                           .axis_ns = longest + 1,
                           .range = wish.range,
                           .height = wish.sizes,
                           .overlaid = wish.overlaid,
                           .cursor = {},
                           .selection = wish.selection};
  Drawn drawn;
  drawn.scene.width = wish.width;
  drawn.scene.height = wish.height;
  drawn.layout = gui::lay_out_timeline(input, {4, 4, wish.width - 8, wish.height - 8}, look);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const auto borders = gui::borders_of(axis.value().warps[i], wish.range, drawn.layout.columns);
    if (!borders.empty()) {
      traces[i].columns = picture::stacked_columns(*gallery.subjects()[i].trace, borders);
    }
  }
  gui::draw_timeline(drawn.scene, input, drawn.layout, look);
  return drawn;
}

double highest_y(const std::vector<picture::Point>& points) {
  return std::ranges::min_element(points, {}, &picture::Point::y)->y;
}

}  // namespace

TEST_CASE("no two labels of the timeline overlap, at any size, zoom and scale", "[gui]") {
  const auto two = GENERATE(false, true);
  Gallery gallery = Gallery().load(tests::append_naive_load);
  if (two) {
    gallery.load(tests::append_streamed_load);
  }
  const auto size = GENERATE(std::pair(640.0, 240.0), std::pair(900.0, 300.0),
                             std::pair(1600.0, 450.0), std::pair(3840.0, 1000.0));
  const auto range = GENERATE(ViewRange{0, 1}, ViewRange{0.5, 0.9}, ViewRange{0.78, 0.79},
                              ViewRange{0.3, 0.300001});
  const auto scale = GENERATE(1.0, 2.0);
  const auto overlaid = GENERATE(false, true);
  CAPTURE(two, size.first, size.second, range.begin, range.end, scale, overlaid);

  const Drawn drawn = draw(gallery, {.width = size.first,
                                     .height = size.second * scale,
                                     .range = range,
                                     .overlaid = overlaid,
                                     .scale = scale});

  tests::check_readable(drawn.scene);
}

TEST_CASE("the peak, its ratio and the lines of W are there to be seen", "[gui]") {
  const Gallery gallery = Gallery().load(tests::append_naive_load);

  const Drawn drawn = draw(gallery, {});

  CHECK(tests::has_label(drawn.scene, "peak 10.0 GiB = 2.00 × W"));
  CHECK(tests::has_label(drawn.scene, "2W"));
  CHECK(tests::has_label(drawn.scene, "deserialize"));
  // The mark lies on the top of the lanes.
  const auto mark = tests::fills_of(drawn.scene, Part::kPeak);
  REQUIRE_FALSE(mark.empty());
  const double middle =
      (highest_y(mark) + std::ranges::max_element(mark, {}, &picture::Point::y)->y) / 2;
  CHECK(middle == Approx(highest_y(tests::fills_of(drawn.scene, Part::kRange))).margin(1));
}

TEST_CASE("where a peak is cut off, its label lies in the plot, and not on the header", "[gui]") {
  const Gallery gallery = Gallery().load(tests::append_naive_load);

  const Drawn drawn = draw(gallery, {.sizes = 0.3});

  const auto labels = tests::labels_of(drawn.scene);
  const auto peak = std::ranges::find_if(
      labels, [](const picture::Label& label) { return label.text.starts_with("peak "); });
  REQUIRE(peak != labels.end());
  CHECK(peak->baseline.y - peak->size > drawn.layout.panels.front().plot.y);
  tests::check_readable(drawn.scene);
}

TEST_CASE("of two peaks the label of the lower one is below", "[gui]") {
  const Gallery gallery = Gallery().load(tests::append_naive_load);

  const Drawn drawn = draw(gallery, {.sizes = 1.5, .less = std::uint64_t{350} << 20U});

  const auto labels = tests::labels_of(drawn.scene);
  const auto y_of = [&](const char* begin) {
    const auto found = std::ranges::find_if(
        labels, [&](const picture::Label& label) { return label.text.starts_with(begin); });
    REQUIRE(found != labels.end());
    return found->baseline.y;
  };
  CHECK(y_of("without: ") > y_of("peak "));
  tests::check_readable(drawn.scene);
}

TEST_CASE("the size axis stays the same at any zoom", "[gui]") {
  const Gallery gallery = Gallery().load(tests::append_naive_load);

  const Drawn all = draw(gallery, {});
  const Drawn part = draw(gallery, {.range = {0.5, 0.6}});

  const auto y_of_2w = [](const Drawn& drawn) {
    const auto labels = tests::labels_of(drawn.scene);
    return std::ranges::find(labels, "2W", &picture::Label::text)->baseline.y;
  };
  CHECK(y_of_2w(all) == y_of_2w(part));
}

TEST_CASE("a peak out of view has no mark in it", "[gui]") {
  const Gallery gallery = Gallery().load(tests::append_naive_load);

  const Drawn drawn = draw(gallery, {.range = {0.1, 0.2}});

  CHECK(tests::fills_of(drawn.scene, Part::kPeak).empty());
  CHECK_FALSE(tests::has_label(drawn.scene, "peak "));
}

TEST_CASE("aligned by phase, equal phases begin below each other", "[gui]") {
  const auto load = [](std::uint64_t slowness) {
    return [slowness](tests::TraceBuilder& trace) {
      trace.at_ms(10).begin_phase("read");
      trace.allocate(1000);
      trace.at_ms(10 + 50 * slowness).end_phase("read");
      trace.begin_phase("copy");
      trace.allocate(1000);
      trace.at_ms(100 + 100 * slowness).end_phase("copy");
    };
  };
  const Gallery gallery = Gallery().load(load(1)).load(load(4));

  const Drawn drawn = draw(gallery, {.align = picture::Align::kPhase});

  const auto labels = tests::labels_of(drawn.scene);
  std::vector<double> middles;
  for (const picture::Label& label : labels) {
    if (label.text.starts_with("copy")) {
      middles.push_back(label.box.x + label.box.width / 2);
    }
  }
  REQUIRE(middles.size() == 2);
  CHECK(middles[0] == Approx(middles[1]).margin(1.5));
}

TEST_CASE("both traces and their difference have the same left edge and columns", "[gui]") {
  const Gallery gallery =
      Gallery().load(tests::append_naive_load).load(tests::append_streamed_load);

  const Drawn drawn = draw(gallery, {.height = 600});

  REQUIRE(drawn.layout.panels.size() == 2);
  CHECK(drawn.layout.panels[0].plot.x == drawn.layout.panels[1].plot.x);
  CHECK(drawn.layout.panels[0].plot.width == drawn.layout.difference.width);
  CHECK_FALSE(tests::fills_of(drawn.scene, Part::kDifference).empty());
  CHECK_FALSE(tests::strokes_of(drawn.scene, Part::kOther).empty());
}

TEST_CASE("what is not selected stands back", "[gui]") {
  const Gallery gallery = Gallery().load(tests::append_naive_load);

  const Drawn drawn = draw(gallery, {.selection = ViewRange{0.25, 0.5}});

  const picture::Box& plot = drawn.layout.panels[0].plot;
  const auto lines = tests::strokes_of(drawn.scene, Part::kLegend);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].x == Approx(plot.x + 0.25 * plot.width));
  CHECK(lines[2].x == Approx(plot.x + 0.5 * plot.width));
}

TEST_CASE("RSS holds its value from one sample to the next", "[gui]") {
  Gallery gallery = Gallery().load(tests::append_naive_load);
  const auto range = GENERATE(ViewRange{0, 1}, ViewRange{0.4, 0.6}, ViewRange{0.5, 0.5001});
  CAPTURE(range.begin, range.end);

  const Drawn drawn = draw(gallery, {.range = range});

  const picture::Box& plot = drawn.layout.panels[0].plot;
  const auto line = tests::strokes_of(drawn.scene, Part::kResident);
  REQUIRE(line.size() >= 2);
  for (std::size_t i = 1; i < line.size(); ++i) {
    const bool is_step = line[i].x == line[i - 1].x || line[i].y == line[i - 1].y;
    REQUIRE(is_step);
    REQUIRE(line[i].x >= line[i - 1].x);
  }
  CHECK(line.front().x >= plot.x);
  CHECK(line.back().x <= plot.right());
}

TEST_CASE("the legend names first what has most in view, and last what has no name", "[gui]") {
  const std::vector<analyzer::FootprintLayer> layers{
      {.text = "other functions", .is_rest = true, .at_peak = {9}},
      {.text = "keep", .at_peak = {3}},
      {.text = "gone", .stays = false, .at_peak = {0}},
      {.text = "load", .stays = false, .at_peak = {5}}};
  gui::LegendInput input{.subjects = {}, .layers = &layers, .no_layers = {}};
  const auto texts = [&] {
    std::vector<std::string> found;
    for (const auto& entry : gui::timeline_legend(input, picture::light_theme())) {
      found.push_back(entry.text);
    }
    return found;
  };
  using Texts = std::vector<std::string>;

  CHECK(texts() == Texts{"at the peak", "load", "gone", "keep", "other functions"});
  input.most_in_view = {90, 30, 2, 50};
  CHECK(texts() == Texts{"at the peak", "load", "keep", "gone", "other functions"});
  input.most_in_view = {90, 30, 80, 50};
  CHECK(texts() == Texts{"at the peak", "gone", "load", "keep", "other functions"});
}

TEST_CASE("two layers of one function are told apart by their lines, however long the place",
          "[gui]") {
  const auto layer = [](std::uint32_t line) {
    const std::string file = "onnxruntime_inference_collection.py";
    return analyzer::FootprintLayer{
        .text = "InferenceSession._create_inference_session  " + file + ":" + std::to_string(line),
        .frame = analyzer::NamedFrame{.function = "InferenceSession._create_inference_session",
                                      .file = file,
                                      .line = line,
                                      .module = "",
                                      .named = true},
        .at_peak = {5}};
  };
  const std::vector<analyzer::FootprintLayer> layers{layer(755), layer(764)};
  const gui::LegendInput input{.subjects = {}, .layers = &layers, .no_layers = {}};

  const auto entries = gui::timeline_legend(input, picture::light_theme());

  REQUIRE(entries.size() == 3);
  CHECK_THAT(entries[1].text, Catch::StartsWith("Infer") && Catch::EndsWith(":764"));
  CHECK_THAT(entries[2].text, Catch::StartsWith("Infer") && Catch::EndsWith(":755"));
}

TEST_CASE("the legend has the bytes of the instant that it names", "[gui]") {
  const std::vector<analyzer::FootprintLayer> layers{
      {.text = "keep", .at_peak = {3, 1024}}, {.text = "load", .stays = false, .at_peak = {5, 0}}};
  const std::vector<picture::Subject> subjects(2);
  gui::LegendInput input{.subjects = subjects, .layers = &layers, .no_layers = {}};
  const auto first_two = [&] {
    const auto entries = gui::timeline_legend(input, picture::light_theme());
    return std::vector<std::string>{entries.at(0).text, entries.at(1).text, entries.at(1).value};
  };
  using Texts = std::vector<std::string>;

  CHECK(first_two() == Texts{"at the peaks", "load", "5 B → 0 B"});
  input.when = "at 1.204 s";
  // Not known for the place: what is known is the peaks'.
  CHECK(first_two() == Texts{"at the peaks", "load", "5 B → 0 B"});
  // Of what is taken away the layers' bytes at the peaks know nothing.
  input.is_as_recorded = true;
  CHECK(first_two() == Texts{"at the peaks, as recorded", "load", "5 B → 0 B"});
  input.held = {{7, 8}, {2048, 9}};
  CHECK(first_two() == Texts{"at 1.204 s", "load", "2.00 KiB → 9 B"});
}

TEST_CASE("the legend of lanes has what each holds at the peaks", "[gui]") {
  std::vector<picture::Subject> subjects(1);
  subjects[0].peak_lanes[trace::Lane::kHeap] = 2048;
  subjects[0].lane_peaks[trace::Lane::kHeap] = 4096;
  const auto texts = [&] {
    std::vector<std::pair<std::string, std::string>> found;
    const gui::LegendInput input{
        .subjects = subjects, .by = analyzer::LayerGrouping::kLane, .no_layers = {}};
    for (const auto& entry : gui::timeline_legend(input, picture::light_theme())) {
      found.emplace_back(entry.text, entry.value);
    }
    return found;
  };
  using Texts = std::vector<std::pair<std::string, std::string>>;

  CHECK(texts() == Texts{{"at the peak", ""}, {"heap", "2.00 KiB"}});
  subjects.push_back(subjects[0]);
  subjects[1].peak_lanes[trace::Lane::kHeap] = 0;
  CHECK(texts() ==
        Texts{{"at the peaks", ""}, {"heap", "2.00 KiB → 0 B"}, {"footprint before", ""}});
}

TEST_CASE("while layers are being found the legend says so", "[gui]") {
  gui::LegendInput input{.subjects = {}, .no_layers = {}};
  const auto first = [&] { return gui::timeline_legend(input, picture::light_theme()).at(0).text; };

  CHECK(first() == "computing ...");
  input.no_layers = "no tensor is known";
  CHECK(first() == "no tensor is known");
  input.by = analyzer::LayerGrouping::kLane;
  CHECK(gui::timeline_legend(input, picture::light_theme()).empty());
}

TEST_CASE("what is missing from a trace is said by its name, unless it is said above", "[gui]") {
  picture::Subject subject;
  subject.command = "load";
  subject.warning = "LOST: a block";
  const TimelineTrace trace{&subject, {}, {}, "recording"};
  const picture::Type type = gui::screen_type(1);
  const picture::MeasureText measure = tests::wide_letters();
  const auto drawn = [&](bool tells_loss) {
    picture::Scene scene;
    picture::Pen pen(scene, measure);
    gui::draw_header(pen, {picture::light_theme(), type, measure}, {0, 0, 1600, 20}, "", trace,
                     tells_loss);
    return scene;
  };

  CHECK(tests::has_label(drawn(true), "LOST: a block"));
  CHECK_FALSE(tests::has_label(drawn(false), "LOST: "));
  // What is being recorded is said nowhere else.
  CHECK(tests::has_label(drawn(false), "recording"));
}
