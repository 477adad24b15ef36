/// Function names from an ELF file's symbol tables.
#pragma once

#include "collector/symbols/lookup/range_index.hpp"

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <span>

namespace tidemark {

/// The function symbols of a module around the addresses that will be asked about: .symtab or
/// .dynsym, of the file itself, of its separate debug file, and of .gnu_debugdata, as libdwfl
/// merges them. One pass over all symbols, and next to no memory, whatever their number: a large
/// library has half a million, and dwfl_module_addrname goes through all of them for each question.
///
/// `module` stays borrowed.
class SymbolTable {
 public:
  /// @param addresses ascending.
  SymbolTable(Dwfl_Module* module, std::span<const std::uint64_t> addresses);

  /// @param address one of those given. @return the mangled name, owned by the module; null when no
  /// symbol covers the address.
  [[nodiscard]] const char* find(std::uint64_t address) const;

 private:
  RangeIndex<const char*> names_;
};

}  // namespace tidemark
