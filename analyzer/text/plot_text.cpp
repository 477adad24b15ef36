#include "analyzer/text/plot_text.hpp"

#include "analyzer/text/size_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kRows = 6;
constexpr std::size_t kSteps = 8;  // Steps within one character.
constexpr std::size_t kLabelWidth = 12;

constexpr std::array<std::string_view, kSteps + 1> kUtf8Fill{" ", "▁", "▂", "▃", "▄",
                                                             "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, kSteps + 1> kAsciiFill{" ", ".", ".", ".", ":",
                                                              ":", ":", "#", "#"};

class Plot {
 public:
  Plot(const TextStyle& style, std::span<const std::uint64_t> values, const PlotAxes& axes)
      : style_(style), values_(values), axes_(axes) {}

  [[nodiscard]] std::string text() const {
    std::string text;
    for (std::size_t row = kRows; row-- > 0;) {
      text +=
          label(row) + painted(style_, Paint::kDim, style_.utf8 ? "│" : "|") + cells(row) + '\n';
    }
    return text + time_axis() + time_labels() + span_line();
  }

 private:
  /// A value's height in steps, rounded up: only 0 has none, and only the top reaches the last
  /// step.
  [[nodiscard]] std::size_t height(std::uint64_t value) const {
    constexpr auto kFull = static_cast<double>(kRows * kSteps);
    if (axes_.top_bytes == 0 || value == 0) {
      return 0;
    }
    const double share = static_cast<double>(value) / static_cast<double>(axes_.top_bytes);
    return std::clamp<std::size_t>(static_cast<std::size_t>(share * kFull + 0.5), 1,
                                   kRows * kSteps);
  }

  [[nodiscard]] std::size_t row_of(std::uint64_t value) const {
    const std::size_t steps = height(value);
    return steps == 0 ? 0 : (steps - 1) / kSteps;
  }

  [[nodiscard]] bool has_model_line() const {
    return axes_.model_bytes > 0 && axes_.model_bytes <= axes_.top_bytes &&
           row_of(axes_.model_bytes) + 1 < kRows;
  }

  [[nodiscard]] std::string label(std::size_t row) const {
    std::string text;
    if (row + 1 == kRows) {
      text = format_size(axes_.top_bytes);
    } else if (has_model_line() && row == row_of(axes_.model_bytes)) {
      text = "W " + format_size(axes_.model_bytes);
    } else if (row == 0) {
      text = "0";
    }
    return right(text, kLabelWidth) + ' ';
  }

  [[nodiscard]] std::string cells(std::size_t row) const {
    const bool is_model_row = has_model_line() && row == row_of(axes_.model_bytes);
    const auto& fill = style_.utf8 ? kUtf8Fill : kAsciiFill;
    std::string text;
    for (const std::uint64_t value : values_) {
      const std::size_t steps = height(value);
      const std::size_t filled = std::clamp(steps, row * kSteps, (row + 1) * kSteps) - row * kSteps;
      if (filled == 0 && is_model_row) {
        text += style_.utf8 ? "┄" : "-";
      } else {
        text += fill.at(filled);
      }
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return painted(style_, Paint::kAccent, text);
  }

  [[nodiscard]] std::size_t peak_column() const { return column_of(axes_.peak_at_ns); }

  [[nodiscard]] std::size_t column_of(std::uint64_t ns) const {
    const double share = static_cast<double>(ns) / static_cast<double>(axes_.duration_ns + 1);
    return std::min(static_cast<std::size_t>(share * static_cast<double>(values_.size())),
                    values_.size() - 1);
  }

  [[nodiscard]] std::string time_axis() const {
    std::string line(kLabelWidth + 1, ' ');
    line += style_.utf8 ? "└" : "+";
    for (std::size_t column = 0; column < values_.size(); ++column) {
      const bool is_peak = column == peak_column();
      line += style_.utf8 ? (is_peak ? "▲" : "─") : (is_peak ? "^" : "-");
    }
    return painted(style_, Paint::kDim, line) + '\n';
  }

  /// Start, peak and end; the peak's label gives way to neither and hides what it would touch.
  [[nodiscard]] std::string time_labels() const {
    constexpr std::size_t kGap = 2;
    const std::string peak = format_time(axes_.peak_at_ns);
    const std::string end = format_time(axes_.duration_ns);
    const std::size_t columns = values_.size();
    std::string line(columns, ' ');
    const std::size_t centred = peak_column() - std::min(peak_column(), peak.size() / 2);
    const std::size_t at = std::min(centred, columns - std::min(columns, peak.size()));
    line.replace(at, peak.size(), peak);
    if (at > kGap) {
      line.front() = '0';
    }
    if (at + peak.size() + kGap + end.size() <= columns) {
      line.replace(columns - end.size(), end.size(), end);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return std::string(kLabelWidth + 2, ' ') + line + '\n';
  }

  /// `├read───┤├deserialize───┤`; a span of one column is a bar, and takes none of the one before
  /// it.
  [[nodiscard]] std::string span_line() const {
    std::string line;
    std::size_t column = 0;
    for (const PlotSpan& span : axes_.spans) {
      const std::size_t first = std::max(column, column_of(span.begin_ns));
      const std::size_t last = column_of(span.end_ns);
      if (last < first) {
        continue;
      }
      line += std::string(first - column, ' ') + span_text(span.name, last - first + 1);
      column = last + 1;
    }
    return line.empty()
               ? line
               : std::string(kLabelWidth + 2, ' ') + painted(style_, Paint::kDim, line) + '\n';
  }

  [[nodiscard]] std::string span_text(const std::string& name, std::size_t width) const {
    if (width < 2) {
      return style_.utf8 ? "│" : "|";
    }
    std::string text = style_.utf8 ? "├" : "|";
    text += fit(style_, name, width - 2);
    while (width_of(text) + 1 < width) {
      text += style_.utf8 ? "─" : "-";
    }
    return fit(style_, text, width - 1) + (style_.utf8 ? "┤" : "|");
  }

  const TextStyle& style_;
  std::span<const std::uint64_t> values_;
  const PlotAxes& axes_;
};

}  // namespace

std::size_t plot_columns(const TextStyle& style) {
  constexpr std::size_t kMinPlotColumns = 20;
  return std::max(style.width, kMinPlotColumns + kLabelWidth + 2) - kLabelWidth - 2;
}

std::string plot_text(const TextStyle& style,
                      std::span<const std::uint64_t> values,
                      const PlotAxes& axes) {
  return values.empty() ? std::string() : Plot(style, values, axes).text();
}

}  // namespace tidemark::analyzer
