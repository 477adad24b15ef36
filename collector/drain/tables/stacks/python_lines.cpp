#include "collector/drain/tables/stacks/python_lines.hpp"

namespace tidemark {
namespace {

std::uint32_t as_line(std::int64_t line) {
  return line > 0 && line <= 0x7fffffff ? static_cast<std::uint32_t>(line) : 0;
}

/// The parts of a table from Python 3.11 on (CPython's Objects/locations.md). Each begins with the
/// only byte that has the highest bit set:
///
///     1 : 1 | code : 4 | length - 1 : 3    numbers of 6 bits a byte, as `code` says
class LocationReader {
 public:
  explicit LocationReader(std::span<const std::byte> table) : rest_(table) {}

  struct Part {
    std::uint32_t units = 0;
    std::int64_t line_change = 0;
    bool has_line = false;
  };
  /// @return false at the end.
  bool next(Part& part) {
    while (!rest_.empty() && (peek() & 0x80U) == 0) {
      take();
    }
    if (rest_.empty()) {
      return false;
    }
    const std::uint32_t head = take();
    const std::uint32_t code = head >> 3U & 15U;
    part = {(head & 7U) + 1, line_change(code), code != kNoLine};
    return true;
  }

 private:
  static constexpr std::uint32_t kFirstOneLine = 10;
  static constexpr std::uint32_t kNoColumns = 13;
  static constexpr std::uint32_t kLongEntry = 14;
  static constexpr std::uint32_t kNoLine = 15;

  std::int64_t line_change(std::uint32_t code) {
    if (code == kNoColumns || code == kLongEntry) {
      const std::uint64_t number = take_number();
      const auto size = static_cast<std::int64_t>(number >> 1U);
      return (number & 1U) != 0 ? -size : size;
    }
    return code >= kFirstOneLine && code < kNoColumns ? code - kFirstOneLine : 0;
  }

  std::uint64_t take_number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 60 && !rest_.empty() && (peek() & 0x80U) == 0; shift += 6) {
      const std::uint32_t byte = take();
      number |= std::uint64_t{byte & 0x3fU} << shift;
      if ((byte & 0x40U) == 0) {
        break;
      }
    }
    return number;
  }

  [[nodiscard]] std::uint32_t peek() const { return std::to_integer<std::uint32_t>(rest_.front()); }
  std::uint32_t take() {
    const std::uint32_t byte = peek();
    rest_ = rest_.subspan(1);
    return byte;
  }

  std::span<const std::byte> rest_;
};

std::uint32_t line_by_locations(const PythonLines& lines, std::uint32_t unit) {
  LocationReader reader(lines.table);
  LocationReader::Part part;
  std::int64_t line = lines.first_line;
  std::uint64_t end = 0;
  while (reader.next(part)) {
    line += part.line_change;
    end += part.units;
    if (unit < end) {
      return part.has_line ? as_line(line) : 0;
    }
  }
  return 0;
}

/// Python 3.10 (PEP 626): pairs of a length of code in bytes and a line increment; -128: no line.
std::uint32_t line_by_ranges(const PythonLines& lines, std::uint32_t unit) {
  constexpr int kNoLine = -128;
  std::int64_t line = lines.first_line;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i + 1 < lines.table.size(); i += 2) {
    end += std::to_integer<std::uint32_t>(lines.table[i]);
    const auto change = static_cast<std::int8_t>(lines.table[i + 1]);
    line += change != kNoLine ? change : 0;
    if (std::uint64_t{unit} * 2 < end) {
      return change != kNoLine ? as_line(line) : 0;
    }
  }
  return 0;
}

}  // namespace

std::uint32_t PythonLines::line_at(std::uint32_t unit) const {
  switch (format) {
    case wire::LineFormat::kLocations:
      return line_by_locations(*this, unit);
    case wire::LineFormat::kRanges:
      return line_by_ranges(*this, unit);
    case wire::LineFormat::kNone:
      break;
  }
  return first_line;
}

}  // namespace tidemark
