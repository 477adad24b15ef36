/// Evaluates the DWARF expressions of unwind tables (DWARF 5, section 2.5).
#pragma once

#include "preload/unwind/rules/cfi.hpp"

#include <cstdint>

namespace tidemark::unwind {

/// Registers of one frame. Those not `known` could not be recovered.
struct Registers {
  std::uint64_t value[kKeptRegisters] = {};  ///< By kept_register; the return address is the pc.
  bool known[kKeptRegisters] = {};

  [[nodiscard]] std::uint64_t get(DwarfRegister reg) const { return value[kept_register(reg)]; }
  [[nodiscard]] bool knows(std::uint64_t reg) const {
    const unsigned i = kept_register(reg);
    return i < kKeptRegisters && known[i];
  }
  void set(DwarfRegister reg, std::uint64_t to) {
    value[kept_register(reg)] = to;
    known[kept_register(reg)] = true;
  }
};

/// Where a walk may read: between the innermost frame and the stack's outer end.
struct Readable {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] bool load(std::uint64_t address, std::uint64_t& value) const {
    if (address % 8 != 0 || address < begin || address >= end || end - address < 8)
      return false;
    value = *reinterpret_cast<const std::uint64_t*>(address);
    return true;
  }
};

/// @param first Value on the expression's stack at its start: the CFA for a register's rule.
/// @return false for an unsupported operation, or a read of an unknown register or of memory
/// outside the stack.
bool evaluate(const Expression& expression,
              const Registers& registers,
              const Readable& readable,
              const std::uint64_t* first,
              std::uint64_t& value);

}  // namespace tidemark::unwind
