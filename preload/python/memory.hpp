/// Reads of the interpreter's memory, by address.
#pragma once

#include <cstdint>

namespace tidemark::python {

inline std::uint64_t load(std::uint64_t address) {
  return *reinterpret_cast<const std::uint64_t*>(address);
}
template <typename Value>
inline Value load_as(std::uint64_t address) {
  return *reinterpret_cast<const Value*>(address);
}

}  // namespace tidemark::python
