#include "analyzer/picture/graph.hpp"

#include "tests/analyzer/picture/scenes.hpp"
#include "tests/analyzer/sample_loads.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <array>
#include <map>

using namespace tidemark;
using analyzer::LayerGrouping;
using picture::Part;
using tests::check_readable;
using tests::Gallery;
using tests::has_label;
using tests::kMiB;
using tests::TraceBuilder;

namespace {

using Append = std::function<void(TraceBuilder&)>;

void append_nothing(TraceBuilder&) {}

void append_one_instant(TraceBuilder& trace) {
  trace.at_ns(0).allocate(3);
}

void append_tiny(TraceBuilder& trace) {
  trace.at_ns(1).allocate(1);
  trace.at_ns(3).allocate(1, trace::kNoStack, trace::Lane::kDevice);
}

void append_huge(TraceBuilder& trace) {
  trace.at_ms(1).allocate(std::uint64_t{1} << 61U);
  trace.at_ns(std::uint64_t{90} * 3600 * 1'000'000'000)
      .allocate(std::uint64_t{1} << 60U, trace::kNoStack, trace::Lane::kAnon);
  trace.sample(std::uint64_t{1} << 62U);
}

void append_many_phases(TraceBuilder& trace) {
  trace.begin_phase("all of it");
  for (std::uint64_t i = 0; i < 60; ++i) {
    trace.at_ms(10 * i + 1).begin_phase("phase " + std::to_string(i));
    trace.allocate(kMiB * (i + 1));
    trace.at_ms(10 * i + 9).end_phase("phase " + std::to_string(i));
  }
  trace.end_phase("all of it");
}

void append_long_names(TraceBuilder& trace) {
  const std::string name(300, 'x');
  trace.session.command = {"/opt/" + name, name, "\xff\x01" + name};
  trace.at_ms(1).begin_phase(name);
  trace.read(trace.file("/m/" + name + ".gguf", 5 * kMiB), 5 * kMiB);
  trace.at_ms(20).allocate(7 * kMiB);
  trace.end_phase(name);
}

void append_losses(TraceBuilder& trace) {
  tests::append_streamed_load(trace);
  trace.session.loss.records_dropped = 17;
}

void append_peak_at_once(TraceBuilder& trace) {
  trace.release(trace.at_ns(1).allocate(900 * kMiB));
  trace.at_ms(5000).allocate(kMiB);
}

struct Sample {
  const char* name;
  Append append;
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all{{"naive", tests::append_naive_load},
                                       {"streamed", tests::append_streamed_load},
                                       {"nothing", append_nothing},
                                       {"one instant", append_one_instant},
                                       {"tiny", append_tiny},
                                       {"huge", append_huge},
                                       {"many phases", append_many_phases},
                                       {"long names", append_long_names},
                                       {"losses", append_losses},
                                       {"peak at once", append_peak_at_once}};
  return all;
}

struct Size {
  double width;
  double height;
};

constexpr std::array kSizes{Size{320, 200},  Size{480, 300},  Size{800, 450},
                            Size{1600, 900}, Size{3000, 200}, Size{320, 2000}};

}  // namespace

TEST_CASE("no label overlaps another and all lies within the frame, one trace", "[plot]") {
  for (const Sample& sample : samples()) {
    for (const std::string model : {"", "3MiB"}) {
      const auto gallery = Gallery().load(sample.append, model);
      for (const Size& size : kSizes) {
        CAPTURE(sample.name, model, size.width, size.height);
        for (const auto by : analyzer::kLayerGroupings) {
          CAPTURE(analyzer::grouping_word(by));
          check_readable(
              gallery.scene(tests::sized(size.width, size.height, picture::Align::kTime, by)));
        }
      }
    }
  }
}

TEST_CASE("no label overlaps another and all lies within the frame, two traces", "[plot]") {
  for (const Sample& before : samples()) {
    for (const Sample& after : samples()) {
      const auto gallery = Gallery().load(before.append).load(after.append);
      for (const Size& size : kSizes) {
        CAPTURE(before.name, after.name, size.width, size.height);
        check_readable(gallery.scene(tests::sized(size.width, size.height)));
        check_readable(gallery.scene(tests::sized(size.width, size.height, picture::Align::kTime,
                                                  LayerGrouping::kFunction)));
      }
    }
  }
}

TEST_CASE("a block that lives for one event is a spike at 800 pixels", "[plot]") {
  const auto gallery = Gallery().load([](TraceBuilder& trace) {
    trace.at_ms(0).allocate(50 * kMiB);
    trace.release(trace.at_ms(33'333).allocate(300 * kMiB));
    trace.at_ms(100'000).allocate(1);
  });

  const auto scene = gallery.scene();

  const auto line = tests::strokes_of(scene, Part::kFootprint);
  const double ground = line.front().y;
  const double top = std::ranges::min_element(line, {}, &picture::Point::y)->y;
  const double usual = line.at(1).y;
  CHECK((ground - top) / (ground - usual) == Approx(350.0 / 50.0).epsilon(0.001));
  const auto reaches_top = [top](const picture::Point& point) { return point.y == top; };
  CHECK(std::ranges::count_if(line, reaches_top) == 2);
  CHECK(std::ranges::count_if(tests::fills_of(scene, Part::kRange), reaches_top) == 2);
  CHECK(std::ranges::count_if(tests::fills_of(scene, Part::kLane), reaches_top) == 0);
  CHECK(has_label(scene, "peak 350.0 MiB"));
}

TEST_CASE("the line of RSS runs beside the peak's label, not through it", "[plot]") {
  // Of the peak: level, a little above it; up through it; down behind it; a slope above it.
  const auto shape = GENERATE(0, 1, 2, 3);
  const auto size = GENERATE(Size{800, 450}, Size{1600, 900});
  CAPTURE(shape, size.width);
  const auto gallery = Gallery().load([shape](TraceBuilder& trace) {
    for (std::uint64_t i = 0; i < 200; ++i) {
      const double done = static_cast<double>(i) / 200;
      const std::array shares{1.06, i < 100 ? 0.5 : 1.4, i < 102 ? 1.4 : 0.1, 0.9 + 0.35 * done};
      trace.at_ms(i).sample(
          static_cast<std::uint64_t>(shares.at(static_cast<std::size_t>(shape)) * 300 * kMiB));
      if (i == 20) {
        trace.allocate(200 * kMiB);
      } else if (i == 100) {
        trace.release(trace.allocate(100 * kMiB));
      }
    }
  });

  const auto scene = gallery.scene(tests::sized(size.width, size.height));

  const auto labels = tests::labels_of(scene);
  const auto peak = std::ranges::find(labels, "peak 300.0 MiB", &picture::Label::text);
  REQUIRE(peak != labels.end());
  const picture::Box& box = peak->box;
  const auto line = tests::strokes_of(scene, Part::kResident);
  REQUIRE(line.size() > 1);
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto [top, bottom] = std::minmax(line[i - 1].y, line[i].y);
    CAPTURE(line[i].x, top, bottom, box.x, box.right(), box.y, box.bottom());
    CHECK(
        (line[i].x < box.x || line[i - 1].x > box.right() || bottom < box.y || top > box.bottom()));
  }
  check_readable(scene);
}

TEST_CASE("a dip that lasts for one event shows in the full colour", "[plot]") {
  const auto gallery = Gallery().load([](TraceBuilder& trace) {
    const auto block = trace.at_ms(0).allocate(50 * kMiB);
    trace.at_ms(500).release(block);
    trace.allocate(50 * kMiB);
    trace.at_ms(1000).allocate(1);
  });

  const auto scene = gallery.scene();

  const auto lane = tests::fills_of(scene, Part::kLane);
  const double ground = lane.front().y;
  const auto dip = std::ranges::find_if(lane.begin() + 3, lane.end() - 2,
                                        [ground](const auto& point) { return point.y == ground; });
  CHECK(dip != lane.end() - 2);
}

TEST_CASE("before and after share their axes and say how the peak changed", "[plot]") {
  const auto gallery = Gallery().load(tests::append_naive_load).load(tests::append_streamed_load);

  const auto scene = gallery.scene();

  CHECK(has_label(scene, "Peak 10.0 GiB → 5.01 GiB (-49.9%), 2.00 → 1.00 × W"));
  CHECK(has_label(scene, "peak 10.0 GiB = 2.00 × W"));
  CHECK(has_label(scene, "peak 5.01 GiB = 1.00 × W"));
  CHECK(has_label(scene, "after − before"));
  CHECK(has_label(scene, "−4 GiB"));
  CHECK(has_label(scene, "2W"));
  CHECK_FALSE(tests::fills_of(scene, Part::kOther).empty());
  CHECK_FALSE(tests::fills_of(scene, Part::kDifference).empty());
  CHECK_FALSE(tests::fills_of(scene, Part::kProgress).empty());
}

TEST_CASE("a single trace has neither shadow nor difference", "[plot]") {
  const auto scene = Gallery().load(tests::append_naive_load).scene();

  CHECK(has_label(scene, "Peak 10.0 GiB = 2.00 × W, in phase deserialize"));
  CHECK(tests::fills_of(scene, Part::kOther).empty());
  CHECK(tests::fills_of(scene, Part::kDifference).empty());
}

TEST_CASE("without a known W there are no lines and no ratio", "[plot]") {
  const auto scene = Gallery().load(append_peak_at_once).scene();

  CHECK(tests::strokes_of(scene, Part::kModelLine).empty());
  for (const picture::Label& label : tests::labels_of(scene)) {
    CHECK(label.text.find('W') == std::string::npos);
  }
}

TEST_CASE("file mappings stand apart from the footprint", "[plot]") {
  const auto scene = Gallery()
                         .load([](TraceBuilder& trace) {
                           trace.at_ms(1).map(trace.file("/m/a.gguf", 80 * kMiB), 80 * kMiB);
                           trace.at_ms(9).allocate(20 * kMiB);
                         })
                         .scene();

  CHECK(has_label(scene, "Peak 20.0 MiB = 0.25 × W"));
  CHECK(has_label(scene, "file mappings (not in the peak)"));
  const auto highest = [&scene](const std::vector<picture::Point>& points) {
    return std::ranges::min_element(points, {}, &picture::Point::y)->y;
  };
  CHECK(highest(tests::fills_of(scene, Part::kFileMapping)) <
        highest(tests::fills_of(scene, Part::kRange)));
  // A tint, however much they span.
  const auto mapping = std::ranges::find_if(scene.items, [](const auto& item) {
    const auto* const fill = std::get_if<picture::Fill>(&item);
    return fill != nullptr && fill->part == Part::kFileMapping;
  });
  REQUIRE(mapping != scene.items.end());
  CHECK(std::get<picture::Fill>(*mapping).colour.alpha < 0.2);
}

TEST_CASE("what was lost stands in the picture", "[plot]") {
  const auto scene = Gallery().load(append_losses).scene();

  CHECK(has_label(scene, "LOST: 17 dropped records"));
}

TEST_CASE("a title of one's own replaces the headline and is made readable", "[plot]") {
  const auto gallery = Gallery().load(append_tiny);
  picture::GraphOptions options;
  options.title = "tensors\nare \xff read";

  const auto scene = gallery.scene(options);

  CHECK(has_label(scene, "tensors?are ? read"));
  CHECK_FALSE(has_label(scene, "Peak"));
}

TEST_CASE("each way to align keeps labels apart", "[plot]") {
  const auto marked = [](std::uint64_t scale) {
    return [scale](TraceBuilder& trace) {
      const auto file = trace.file("/m/a.gguf", 8 * kMiB);
      for (std::uint64_t i = 0; i < 4; ++i) {
        trace.at_ms(scale * (10 * i + 1)).begin_phase("part " + std::to_string(i));
        trace.allocate(kMiB << i);
        trace.at_ms(scale * (10 * i + 5)).read(file, 2 * kMiB);
        trace.at_ms(scale * (10 * i + 9)).end_phase("part " + std::to_string(i));
      }
    };
  };
  const auto gallery = Gallery().load(marked(7)).load(marked(1));
  for (const auto align : {picture::Align::kTime, picture::Align::kPhase, picture::Align::kBytes}) {
    for (const Size& size : kSizes) {
      CAPTURE(static_cast<int>(align), size.width, size.height);
      check_readable(gallery.scene(tests::sized(size.width, size.height, align)));
    }
  }
}

TEST_CASE("what cannot be aligned is refused with a sentence", "[plot]") {
  const auto gallery = Gallery().load(append_tiny).load(append_many_phases);
  for (const auto align : {picture::Align::kPhase, picture::Align::kBytes}) {
    const auto scene = picture::draw_graph(gallery.subjects(), tests::sized(800, 450, align),
                                           tests::wide_letters());

    REQUIRE_FALSE(scene.ok());
    CHECK(scene.error().code == ErrorCode::kUsage);
  }
}

TEST_CASE("resident memory is held from sample to sample, and to the end", "[plot]") {
  const auto scene = Gallery()
                         .load([](TraceBuilder& trace) {
                           trace.allocate(100 * kMiB);
                           trace.at_ms(200).sample(40 * kMiB);
                           trace.at_ms(600).sample(80 * kMiB);
                           trace.at_ms(1000).allocate(1);
                         })
                         .scene();

  const auto line = tests::strokes_of(scene, Part::kResident);

  REQUIRE(line.size() == 4);
  CHECK(line[0].y == line[1].y);  // 40 MiB, from the first sample to the second.
  CHECK(line[1].x == line[2].x);
  CHECK(line[2].y == line[3].y);  // 80 MiB, to the end.
  CHECK(line[2].y < line[1].y);
  CHECK(line[1].x - line[0].x == Approx(line[3].x - line[2].x).margin(1));
}

TEST_CASE("of samples in one column the highest shows, and the last is held", "[plot]") {
  const auto scene = Gallery()
                         .load([](TraceBuilder& trace) {
                           trace.allocate(100 * kMiB);
                           std::uint64_t at_ns = 500'000'000;
                           for (const std::uint64_t mib : {10U, 90U, 30U, 20U}) {
                             trace.at_ns(at_ns += 1000).sample(mib * kMiB);
                           }
                           trace.at_ms(1000).allocate(1);
                         })
                         .scene();

  const auto line = tests::strokes_of(scene, Part::kResident);

  REQUIRE(line.size() == 3);
  CHECK(line[0].x == line[1].x);
  CHECK(line[0].y < line[1].y);
  CHECK(line[1].y == line[2].y);
  const double ground = tests::strokes_of(scene, Part::kFootprint).front().y;
  CHECK((ground - line[0].y) / (ground - line[1].y) == Approx(90.0 / 20.0).epsilon(0.001));
}

namespace {

picture::Scene layered_scene(LayerGrouping by) {
  const auto gallery = Gallery().load(tests::append_naive_load).load(tests::append_streamed_load);
  return gallery.scene(tests::sized(1000, 600, picture::Align::kTime, by));
}

/// The colours of areas of a part, by how often they are there.
std::map<std::uint32_t, int> fill_colours(const picture::Scene& scene, Part part) {
  std::map<std::uint32_t, int> colours;
  for (const auto& item : scene.items) {
    if (const auto* fill = std::get_if<picture::Fill>(&item); fill && fill->part == part) {
      const auto byte = [](double share) { return static_cast<std::uint32_t>(share * 255 + 0.5); };
      ++colours[byte(fill->colour.red) << 16U | byte(fill->colour.green) << 8U |
                byte(fill->colour.blue)];
    }
  }
  return colours;
}

}  // namespace

TEST_CASE("layers are in one legend, with what they hold at both peaks", "[plot][layers]") {
  const auto scene = layered_scene(LayerGrouping::kFunction);

  // The buffer that only the naive load has is the warm one.
  const auto& theme = picture::light_theme();
  const auto fills = fill_colours(scene, Part::kLane);
  CHECK(fills.contains(0xe0533d));
  CHECK(theme.goes[0].red == Approx(0xe0 / 255.0));
  CHECK(has_label(scene, "read_whole"));
  const auto labels = tests::labels_of(scene);
  CHECK(std::ranges::count(labels, "5.00 GiB → 0 B", &picture::Label::text) == 2);
  CHECK(std::ranges::count_if(labels, [](const auto& label) {
          return label.text.starts_with("other functions");
        }) == 1);
}

TEST_CASE("what is in both loads has one colour in both panels", "[plot][layers]") {
  const auto gallery = Gallery().load(tests::append_naive_load).load(tests::append_naive_load);
  const auto scene =
      gallery.scene(tests::sized(1000, 600, picture::Align::kTime, LayerGrouping::kFunction));

  for (const auto& [colour, count] : fill_colours(scene, Part::kLane)) {
    CAPTURE(colour);
    CHECK(count == 2);
  }
}

TEST_CASE("the strip of the difference has an axis", "[plot]") {
  const auto gallery = Gallery().load(tests::append_naive_load).load(tests::append_streamed_load);

  CHECK(has_label(gallery.scene(tests::sized(1000, 600)), "−4 GiB"));
}
