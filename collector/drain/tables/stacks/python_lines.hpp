/// Finds the source line of a place in a Python code object's bytecode.
#pragma once

#include "preload/wire/kinds.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tidemark {

/// The line table of a code object, as copied by the host: untrusted bytes.
struct PythonLines {
  wire::LineFormat format = wire::LineFormat::kNone;
  std::uint32_t first_line = 0;
  std::span<const std::byte> table;

  /// The line that Python's own traceback would show. @param unit in code units of two bytes.
  /// @return 0 if the table has none: compiler-generated code.
  [[nodiscard]] std::uint32_t line_at(std::uint32_t unit) const;
};

}  // namespace tidemark
