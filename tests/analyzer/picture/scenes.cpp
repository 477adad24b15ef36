#include "tests/analyzer/picture/scenes.hpp"

#include "analyzer/text/text_style.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cmath>

namespace tidemark::tests {
namespace {

template <typename Shape>
std::vector<Shape> all_of(const picture::Scene& scene) {
  std::vector<Shape> found;
  for (const auto& item : scene.items) {
    if (const auto* shape = std::get_if<Shape>(&item)) {
      found.push_back(*shape);
    }
  }
  return found;
}

bool overlap(const picture::Box& a, const picture::Box& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

// Here and below an assertion is made of what is wrong alone: one for each point, and for each pair
// of labels, took nearly all of the time.

void check_inside(const picture::Scene& scene, const std::vector<picture::Point>& points) {
  const auto is_inside = [&scene](const picture::Point& point) {
    return std::isfinite(point.x) && std::isfinite(point.y) && point.x >= 0 &&
           point.x <= scene.width && point.y >= 0 && point.y <= scene.height;
  };
  const auto outside = std::ranges::find_if_not(points, is_inside);
  if (outside != points.end()) {
    FAIL("outside of the frame: " << outside->x << ", " << outside->y);
  }
}

template <typename Shape>
std::vector<picture::Point> points_of(const Shape& shape) {
  if constexpr (std::is_same_v<Shape, picture::Fill>) {
    return shape.outline;
  } else {
    return shape.points;
  }
}

template <typename Shape>
std::vector<picture::Point> points_of(const picture::Scene& scene, picture::Part part) {
  std::vector<picture::Point> points;
  for (const Shape& shape : all_of<Shape>(scene)) {
    if (shape.part == part) {
      const auto more = points_of(shape);
      points.insert(points.end(), more.begin(), more.end());
    }
  }
  return points;
}

}  // namespace

Gallery& Gallery::load(const std::function<void(TraceBuilder&)>& append,
                       const std::string& model) & {
  auto& builder = *builders_.emplace_back(std::make_unique<TraceBuilder>());
  append(builder);
  auto& trace = *traces_.emplace_back(std::make_unique<analyzer::LoadedTrace>(builder.open()));
  analyzer::ReportOptions options;
  options.model = model;
  const auto report = analyzer::build_report(trace, options);
  REQUIRE(report.ok());
  subjects_.push_back(picture::subject_of(trace, report.value()));
  return *this;
}

picture::Scene Gallery::scene(const picture::GraphOptions& options) const {
  auto scene = picture::draw_graph(subjects_, options, wide_letters());
  REQUIRE(scene.ok());
  return std::move(scene.value());
}

picture::GraphOptions sized(double width,
                            double height,
                            picture::Align align,
                            analyzer::LayerGrouping by) {
  picture::GraphOptions options;
  options.width = width;
  options.height = height;
  options.align = align;
  options.by = by;
  return options;
}

picture::MeasureText wide_letters() {
  return [](const std::string& text, double size, bool bold) {
    return static_cast<double>(analyzer::width_of(text)) * size * (bold ? 0.72 : 0.64);
  };
}

std::vector<picture::Label> labels_of(const picture::Scene& scene) {
  return all_of<picture::Label>(scene);
}

std::vector<picture::Point> strokes_of(const picture::Scene& scene, picture::Part part) {
  return points_of<picture::Stroke>(scene, part);
}

std::vector<picture::Point> fills_of(const picture::Scene& scene, picture::Part part) {
  return points_of<picture::Fill>(scene, part);
}

bool has_label(const picture::Scene& scene, const std::string& start) {
  return std::ranges::any_of(labels_of(scene), [&start](const picture::Label& label) {
    return label.text.starts_with(start);
  });
}

void check_readable(const picture::Scene& scene) {
  const auto labels = labels_of(scene);
  REQUIRE_FALSE(labels.empty());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const picture::Box& box = labels[i].box;
    CAPTURE(labels[i].text);
    check_inside(scene, {{box.x, box.y}, {box.right(), box.bottom()}});
    for (std::size_t j = 0; j < i; ++j) {
      if (overlap(box, labels[j].box)) {
        FAIL("overlaps with " << labels[j].text);
      }
    }
  }
  for (const picture::Fill& fill : all_of<picture::Fill>(scene)) {
    CAPTURE(static_cast<int>(fill.part));
    check_inside(scene, fill.outline);
  }
  for (const picture::Stroke& stroke : all_of<picture::Stroke>(scene)) {
    CAPTURE(static_cast<int>(stroke.part));
    check_inside(scene, stroke.points);
  }
}

}  // namespace tidemark::tests
