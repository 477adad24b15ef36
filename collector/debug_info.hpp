/// Source locations from DWARF.
#pragma once

#include "collector/range_index.hpp"
#include "collector/trace/definitions.hpp"

#include <elfutils/libdw.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark {

/// Finds what was compiled to an address. A question costs a few binary searches; the index of
/// units is made once (from the units themselves: clang writes no .debug_aranges, and a linked file
/// may have them for some units only), that of a unit's functions when the first address falls into
/// it.
///
/// `dwarf` stays borrowed. Survives damaged information.
class DebugInfo {
 public:
  explicit DebugInfo(Dwarf* dwarf);

  /// @param symbol the ELF symbol at `address`, or null.
  /// @return innermost inlined function first; empty when no unit has the address.
  std::vector<trace::Location> locate(Dwarf_Addr address, const char* symbol);

 private:
  struct Unit {
    Dwarf_Die lines;  ///< Has the line table.
    Dwarf_Die code;   ///< Has the functions: another file's with split debug information.
    std::optional<RangeIndex<Dwarf_Die>> functions;
  };
  Unit* unit_at(Dwarf_Addr address);
  const std::string& name_of(const Dwarf_Die& function, const char* symbol);

  std::vector<Unit> units_;
  RangeIndex<std::size_t> unit_ranges_;
  std::unordered_map<const void*, std::string> names_;  ///< By Dwarf_Die::addr, the entry itself.
};

}  // namespace tidemark
