/// The functions of one compilation unit, by address.
#pragma once

#include "collector/range_index.hpp"

#include <elfutils/libdw.h>

#include <vector>

namespace tidemark {

/// The DW_TAG_subprogram entries below `unit` that have code, also those nested in others: g++ puts
/// the code of a lambda inside its function. One walk through the unit.
RangeIndex<Dwarf_Die> index_functions(Dwarf_Die unit);

/// The function and what was inlined into it at `address`, outermost first.
std::vector<Dwarf_Die> inline_chain(Dwarf_Die function, Dwarf_Addr address);

/// Adds the address ranges of `die`, with `value`, to `index`.
template <typename Value>
void add_ranges(Dwarf_Die& die, const Value& value, RangeIndex<Value>& index) {
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
    index.add(begin, end, value);
  }
}

/// Steps to the next entry of the same parent; false at the last one, and where damaged
/// information would lead backwards for ever.
bool next_sibling(Dwarf_Die& die);

}  // namespace tidemark
