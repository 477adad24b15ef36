#include "analyzer/picture/drawing/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tidemark::picture {
namespace {

constexpr const char* kFonts = "DejaVu Sans,Verdana,Bitstream Vera Sans,sans-serif";
constexpr double kHatchSpacing = 4.25;

/// To a hundredth of a pixel, without zeros that say nothing.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') {
    text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string hex_of(const Colour& colour) {
  const auto part = [](double share) {
    return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 255));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(colour.red), part(colour.green),
                     part(colour.blue));
}

/// ` fill="#0b3c5d" fill-opacity="0.5"`.
std::string paint(const char* what, const Colour& colour) {
  std::string text = fmt::format(" {}=\"{}\"", what, hex_of(colour));
  if (colour.alpha < 1) {
    text += fmt::format(" {}-opacity=\"{}\"", what, number(colour.alpha));
  }
  return text;
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

/// Steps are most of a picture: they have commands of one number each.
std::string path_of(const std::vector<Point>& points) {
  std::string path;
  std::string last_x;
  std::string last_y;
  for (const Point& point : points) {
    const std::string x = number(point.x);
    const std::string y = number(point.y);
    if (path.empty()) {
      path = 'M' + x + ' ' + y;
    } else if (y == last_y) {
      path += x == last_x ? "" : 'H' + x;
    } else {
      path += x == last_x ? 'V' + y : 'L' + x + ' ' + y;
    }
    last_x = x;
    last_y = y;
  }
  return path;
}

class Writer {
 public:
  std::string write(const Scene& scene) {
    std::string body;
    for (const auto& item : scene.items) {
      body += std::visit([this](const auto& shape) { return element(shape); }, item);
    }
    const std::string width = number(scene.width);
    const std::string height = number(scene.height);
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" font-family=\"{2}\" style=\"white-space:pre\">\n{3}"
        "<rect width=\"{0}\" height=\"{1}\"{4}/>\n{5}</svg>\n",
        width, height, kFonts, patterns(), paint("fill", scene.background), body);
  }

 private:
  std::string element(const Fill& fill) {
    if (fill.outline.empty()) {
      return {};
    }
    const std::string look = fill.hatched ? fmt::format(" fill=\"url(#hatch{})\"", hatch(fill))
                                          : paint("fill", fill.colour);
    return fmt::format("<path d=\"{}Z\"{}/>\n", path_of(fill.outline), look);
  }
  static std::string element(const Stroke& stroke) {
    const std::string dashes = stroke.dashed
                                   ? fmt::format(" stroke-dasharray=\"{} {}\"",
                                                 number(4 * stroke.width), number(3 * stroke.width))
                                   : std::string();
    return fmt::format(
        "<path d=\"{}\" fill=\"none\"{} stroke-width=\"{}\" stroke-linejoin=\"bevel\"{}/>\n",
        path_of(stroke.points), paint("stroke", stroke.colour), number(stroke.width), dashes);
  }
  static std::string element(const Label& label) {
    const std::string fitted =
        label.box.width > 0 ? fmt::format(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"",
                                          number(label.box.width))
                            : std::string();
    return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{}{}{}>{}</text>\n",
                       number(label.baseline.x), number(label.baseline.y), number(label.size),
                       label.bold ? " font-weight=\"bold\"" : "", paint("fill", label.colour),
                       fitted, escaped(label.text));
  }

  std::size_t hatch(const Fill& fill) {
    return hatches_.try_emplace(paint("stroke", fill.colour), hatches_.size()).first->second;
  }
  [[nodiscard]] std::string patterns() const {
    std::string text;
    for (const auto& [look, id] : hatches_) {
      text += fmt::format(
          "<pattern id=\"hatch{0}\" width=\"{1}\" height=\"{1}\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate(45)\"><path d=\"M0.5 0V{1}\"{2} stroke-width=\"1\"/>"
          "</pattern>\n",
          id, number(kHatchSpacing), look);
    }
    return text;
  }

  std::map<std::string, std::size_t> hatches_;  // By their looks.
};

}  // namespace

std::string svg_document(const Scene& scene) {
  return Writer().write(scene);
}

}  // namespace tidemark::picture
