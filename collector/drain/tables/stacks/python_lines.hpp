/// Which line of a Python source file a place in a code object's bytecode belongs to.
#pragma once

#include "preload/wire/kinds.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tidemark {

/// The line table of a code object, as the host copied it: any bytes.
struct PythonLines {
  wire::LineFormat format = wire::LineFormat::kNone;
  std::uint32_t first_line = 0;
  std::span<const std::byte> table;

  /// The line that Python's own traceback would show. @param unit in code units of two bytes.
  /// @return 0 where the table has none: code that the compiler made of no line.
  [[nodiscard]] std::uint32_t line_at(std::uint32_t unit) const;
};

}  // namespace tidemark
