/// Functions, files and lines from DWARF debug information.
#pragma once

#include "collector/symbols/lookup/range_index.hpp"
#include "collector/trace/types/definitions.hpp"

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark {

/// The debug information of one file, for addresses that are known in advance. Reads only the units
/// that have one of them; the list of units in the information itself is the index, because
/// .debug_aranges lacks what clang compiled.
///
/// `dwarf` stays borrowed, and so does `addresses`.
class DebugInfo {
 public:
  /// @param addresses ascending, as the information counts them.
  DebugInfo(Dwarf* dwarf, std::span<const std::uint64_t> addresses);

  /// @param address one of those given.
  /// @param symbol the ELF symbol there, or null: a name for the outermost function when the debug
  /// information has none.
  /// @return innermost inlined function first; empty when `address` is outside of all units.
  std::vector<trace::Location> locate(Dwarf_Addr address, const char* symbol);

  /// False when a part that lies in another file (.dwo, .gnu_debugaltlink) was needed and is not
  /// there.
  [[nodiscard]] bool is_complete() const { return is_complete_; }

 private:
  struct Unit {
    Dwarf_Die lines;  ///< Has the line table.
    Dwarf_Die code;   ///< Has the functions; elsewhere only in split debug information (.dwo).
    std::optional<RangeIndex<Dwarf_Die>> functions;
  };
  void add_unit(Dwarf_Die lines, bool is_skeleton);
  Unit* unit_at(Dwarf_Addr address);
  const std::string& name_of(const Dwarf_Die& function, const char* symbol);

  std::span<const std::uint64_t> addresses_;
  RangeIndex<std::size_t> unit_ranges_;
  std::vector<Unit> units_;
  std::unordered_map<const void*, std::string> names_;
  bool is_complete_ = true;
};

}  // namespace tidemark
