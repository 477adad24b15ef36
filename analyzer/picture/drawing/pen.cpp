#include "analyzer/picture/drawing/pen.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::picture {
namespace {

// Parts of the font's height, in DejaVu Sans, above and below the baseline.
constexpr double kAscent = 0.76;
constexpr double kDescent = 0.24;

}  // namespace

Type type_for(double width, double height) {
  constexpr double kUsualWidth = 800;
  constexpr double kUsualHeight = 450;
  const double growth = std::pow(std::min(width / kUsualWidth, height / kUsualHeight), 0.6);
  const double scale = std::clamp(growth, 0.85, 6.0);
  const Type usual;
  return {scale, usual.title * scale, usual.text * scale, usual.small * scale};
}

void Pen::fill(Part part, const Colour& colour, std::vector<Point> outline, bool hatched) {
  scene_.items.emplace_back(Fill{part, colour, std::move(outline), hatched});
}

void Pen::fill(Part part, const Colour& colour, const Box& box, bool hatched) {
  fill(part, colour,
       {{box.x, box.y}, {box.right(), box.y}, {box.right(), box.bottom()}, {box.x, box.bottom()}},
       hatched);
}

void Pen::stroke(
    Part part, const Colour& colour, double width, std::vector<Point> points, bool dashed) {
  scene_.items.emplace_back(Stroke{part, colour, width, std::move(points), dashed});
}

Box Pen::text(const TextLook& look,
              Anchor anchor,
              Point at,
              const std::string& text,
              double most,
              Shorten shorten) {
  const std::string shown = fitted(look, text, most, shorten);
  if (shown.empty()) {
    return {};
  }
  const double width = width_of(look, shown);
  const double share = anchor == Anchor::kLeft ? 0 : anchor == Anchor::kMiddle ? 0.5 : 1;
  const Point baseline{at.x - width * share, at.y};
  const Box box = text_box(baseline, width, look.size);
  scene_.items.emplace_back(Label{shown, baseline, look.size, look.bold, look.colour, box});
  return box;
}

std::string Pen::fitted(const TextLook& look,
                        const std::string& text,
                        double most,
                        Shorten shorten) const {
  if (width_of(look, text) <= most) {
    return text;
  }
  const analyzer::TextStyle utf8{.utf8 = true};
  // The most characters that fit; widths grow with them.
  std::size_t fits = 0;
  std::size_t fails = analyzer::width_of(text);
  while (fails - fits > 1) {
    const std::size_t tried = (fits + fails) / 2;
    (width_of(look, shorten(utf8, text, tried)) <= most ? fits : fails) = tried;
  }
  constexpr std::size_t kMinCharacters = 4;  // Three characters and the ellipsis.
  return fits < kMinCharacters ? std::string() : shorten(utf8, text, fits);
}

double middle_baseline(double top, double bottom, double size) {
  return (top + bottom) / 2 + (kAscent - kDescent) / 2 * size;
}

Box text_box(Point baseline, double width, double size) {
  return {baseline.x, baseline.y - kAscent * size, width, (kAscent + kDescent) * size};
}

}  // namespace tidemark::picture
