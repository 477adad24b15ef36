/// Adds shapes and texts to a scene.
#pragma once

#include "analyzer/picture/drawing/shapes.hpp"
#include "analyzer/text/text_style.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::picture {

/// Heights of fonts and lengths that grow with the picture.
struct Type {
  double scale = 1;  ///< 1 at 800 x 450; all lengths are multiples of it.
  double title = 14;
  double text = 11.5;
  double small = 10.5;
};

/// Larger pictures get larger type, but less than in proportion: they also show more.
Type type_for(double width, double height);

enum class Anchor { kLeft, kMiddle, kRight };

struct TextLook {
  double size = 0;
  Colour colour;
  bool bold = false;
};

/// Makes a text at most so many characters wide.
using Shorten = std::string (*)(const analyzer::TextStyle& style,
                                std::string_view text,
                                std::size_t width);

class Pen {
 public:
  /// All stay borrowed.
  Pen(Scene& scene, const MeasureText& measure) : scene_(scene), measure_(measure) {}

  void fill(Part part, const Colour& colour, std::vector<Point> outline, bool hatched = false);
  void fill(Part part, const Colour& colour, const Box& box, bool hatched = false);
  void stroke(Part part,
              const Colour& colour,
              double width,
              std::vector<Point> points,
              bool dashed = false);
  /// `at` is the baseline's left end, middle or right end. A text wider than `most` is shortened,
  /// by default to its beginning; if not even three characters fit, nothing is written and the box
  /// is empty.
  Box text(const TextLook& look,
           Anchor anchor,
           Point at,
           const std::string& text,
           double most = std::numeric_limits<double>::infinity(),
           Shorten shorten = analyzer::fit);
  [[nodiscard]] double width_of(const TextLook& look, const std::string& text) const {
    return measure_(text, look.size, look.bold);
  }

 private:
  [[nodiscard]] std::string fitted(const TextLook& look,
                                   const std::string& text,
                                   double most,
                                   Shorten shorten) const;

  Scene& scene_;
  const MeasureText& measure_;
};

/// The baseline that puts text of this size into the middle between `top` and `bottom`.
double middle_baseline(double top, double bottom, double size);

/// What text of this size and width covers.
Box text_box(Point baseline, double width, double size);

}  // namespace tidemark::picture
