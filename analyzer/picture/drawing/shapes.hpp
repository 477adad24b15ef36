/// A picture as plain data: shapes and texts with their positions. Making or checking one needs no
/// drawing library.
///
/// Coordinates are pixels, x to the right and y downwards, from the picture's top left corner.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace tidemark::picture {

struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  [[nodiscard]] double right() const { return x + width; }
  [[nodiscard]] double bottom() const { return y + height; }
  [[nodiscard]] bool is_empty() const { return width <= 0 || height <= 0; }
};

/// Red, green, blue, opacity, each from 0 to 1.
struct Colour {
  double red = 0;
  double green = 0;
  double blue = 0;
  double alpha = 1;
};

/// What a shape stands for.
enum class Part {
  kBackdrop,     ///< Behind a label or a line, so that it can be read.
  kGrid,         ///< Axis ticks and frames.
  kLane,         ///< A lane, at its lowest within each column.
  kRange,        ///< A lane, at its highest within each column.
  kFileMapping,  ///< File mappings; no part of the footprint.
  kFootprint,    ///< The footprint's maximum, column by column.
  kOther,        ///< The other trace's footprint.
  kResident,     ///< RSS.
  kModelLine,    ///< W, 2W, ...
  kPhase,
  kProgress,  ///< How much of the model was read.
  kDifference,
  kPeak,
  kLegend,
};

/// A closed area.
struct Fill {
  Part part = Part::kGrid;
  Colour colour;
  std::vector<Point> outline;
  bool hatched = false;  ///< Diagonal lines instead of a flat colour.
};

struct Stroke {
  Part part = Part::kGrid;
  Colour colour;
  double width = 1;
  std::vector<Point> points;
  bool dashed = false;
};

struct Label {
  std::string text;  ///< Valid UTF-8 without control characters.
  Point baseline;    ///< Left end of the baseline.
  double size = 0;   ///< Height of the font.
  bool bold = false;
  Colour colour;
  Box box;  ///< What the text covers.
};

/// Painted in order: later shapes are above earlier ones.
struct Scene {
  double width = 0;
  double height = 0;
  Colour background;
  std::vector<std::variant<Fill, Stroke, Label>> items;
  std::string remark{};  ///< A sentence: what was requested but is not visible.
};

/// The width of a text in pixels, for a font height and weight.
using MeasureText = std::function<double(const std::string& text, double size, bool bold)>;

}  // namespace tidemark::picture
