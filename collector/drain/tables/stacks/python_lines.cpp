#include "collector/drain/tables/stacks/python_lines.hpp"

#include <algorithm>
#include <iterator>

namespace tidemark {
namespace {

constexpr std::uint64_t kUnitBytes = 2;

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
  [[nodiscard]] std::size_t bytes_left() const { return rest_.size(); }
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

}  // namespace

PythonLines::Entry PythonLines::next_location(Mark& mark) const {
  LocationReader reader{std::span<const std::byte>(table_).subspan(mark.at)};
  LocationReader::Part part;
  if (!reader.next(part))
    return Entry::kNone;
  mark = {table_.size() - reader.bytes_left(), mark.code_bytes + part.units * kUnitBytes,
          mark.line + part.line_change};
  return part.has_line ? Entry::kWithLine : Entry::kWithoutLine;
}

/// Python 3.10 (PEP 626): pairs of a length of code in bytes and a line increment; -128: no line.
PythonLines::Entry PythonLines::next_range(Mark& mark) const {
  constexpr int kNoLine = -128;
  if (mark.at + 1 >= table_.size())
    return Entry::kNone;
  const auto change = static_cast<std::int8_t>(table_[mark.at + 1]);
  const bool has_line = change != kNoLine;
  mark = {mark.at + 2, mark.code_bytes + std::to_integer<std::uint32_t>(table_[mark.at]),
          mark.line + (has_line ? change : 0)};
  return has_line ? Entry::kWithLine : Entry::kWithoutLine;
}

PythonLines::Entry PythonLines::next(Mark& mark) const {
  return format_ == wire::LineFormat::kLocations ? next_location(mark) : next_range(mark);
}

PythonLines::Mark PythonLines::last_before(std::uint64_t code_byte) const {
  const auto behind = std::ranges::upper_bound(marks_, code_byte, {}, &Mark::code_bytes);
  return behind == marks_.begin() ? Mark{0, 0, first_line_} : *std::prev(behind);
}

void PythonLines::keep(const Mark& mark) {
  constexpr std::size_t kApartBytes = 256;
  const std::size_t last = marks_.empty() ? 0 : marks_.back().at;
  if (mark.at >= last + kApartBytes)
    marks_.push_back(mark);
}

std::uint32_t PythonLines::line_at(std::uint32_t unit) {
  if (format_ == wire::LineFormat::kNone)
    return first_line_;
  const std::uint64_t code_byte = unit * kUnitBytes;
  Mark mark = last_before(code_byte);
  for (Entry entry = next(mark); entry != Entry::kNone; entry = next(mark)) {
    if (code_byte < mark.code_bytes)
      return entry == Entry::kWithLine ? as_line(mark.line) : 0;
    keep(mark);
  }
  return 0;
}

}  // namespace tidemark
