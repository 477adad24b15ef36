/// Finds the source line of a place in a Python code object's bytecode.
#pragma once

#include "preload/wire/kinds.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tidemark {

/// The line table of a code object, as copied by the host: untrusted bytes. Looking a place up
/// takes time for its distance from the next known one, not from the table's beginning: a generated
/// module may have a table of a megabyte, and a place on each of its lines.
class PythonLines {
 public:
  PythonLines(wire::LineFormat format, std::uint32_t first_line)
      : format_(format), first_line_(first_line) {}

  /// The table's next bytes.
  void append(std::span<const std::byte> part) {
    table_.insert(table_.end(), part.begin(), part.end());
  }
  [[nodiscard]] std::size_t table_bytes() const { return table_.size(); }

  /// The line that Python's own traceback would show. @param unit in code units of two bytes.
  /// @return 0 if the table has none: compiler-generated code.
  [[nodiscard]] std::uint32_t line_at(std::uint32_t unit);

 private:
  /// A place between two entries of the table.
  struct Mark {
    std::size_t at = 0;            ///< Byte of the table.
    std::uint64_t code_bytes = 0;  ///< That the entries before it cover.
    std::int64_t line = 0;         ///< After them.
  };
  /// What the last entry before a mark says.
  enum class Entry : std::uint8_t { kNone, kWithLine, kWithoutLine };

  [[nodiscard]] Entry next(Mark& mark) const;
  [[nodiscard]] Entry next_location(Mark& mark) const;
  [[nodiscard]] Entry next_range(Mark& mark) const;
  [[nodiscard]] Mark last_before(std::uint64_t code_byte) const;
  void keep(const Mark& mark);

  wire::LineFormat format_;
  std::uint32_t first_line_;
  std::vector<std::byte> table_;
  std::vector<Mark> marks_;  ///< In order.
};

}  // namespace tidemark
