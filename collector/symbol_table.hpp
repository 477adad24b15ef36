/// Function names from an ELF file's symbol tables.
#pragma once

#include "collector/range_index.hpp"

#include <elfutils/libdwfl.h>

#include <cstdint>

namespace tidemark {

/// All function symbols of a module: .symtab or .dynsym, of the file itself, of its separate debug
/// file, and of .gnu_debugdata, as libdwfl merges them. Sorted once: dwfl_module_addrname goes
/// through all of them for each question, which takes a millisecond in a library of the size of
/// libLLVM.
///
/// `module` stays borrowed.
class SymbolTable {
 public:
  explicit SymbolTable(Dwfl_Module* module);

  /// @return the mangled name, owned by the module; null when no symbol covers the address.
  [[nodiscard]] const char* find(std::uint64_t address) const;

 private:
  RangeIndex<const char*> names_;
};

}  // namespace tidemark
