/// The functions of one compilation unit, by address.
#pragma once

#include "collector/symbols/lookup/range_index.hpp"

#include <elfutils/libdw.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark {

/// The DW_TAG_subprogram entries below `unit` that have code at one of `addresses` (ascending),
/// also those nested in others: g++ puts the code of a lambda inside its function. One walk through
/// the unit.
RangeIndex<Dwarf_Die> index_functions(Dwarf_Die unit, std::span<const std::uint64_t> addresses);

/// The function and what was inlined into it at `address`, outermost first.
std::vector<Dwarf_Die> inline_chain(Dwarf_Die function, Dwarf_Addr address);

/// Adds those address ranges of `die`, with `value`, to `index` that have one of `addresses`
/// (ascending): a large file has millions of ranges, and few are ever asked about.
template <typename Value>
void add_ranges(Dwarf_Die& die,
                const Value& value,
                std::span<const std::uint64_t> addresses,
                RangeIndex<Value>& index) {
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
    const auto next = std::ranges::lower_bound(addresses, begin);
    if (next != addresses.end() && *next < end) {
      index.add(begin, end, value);
    }
  }
}

/// Steps to the next entry of the same parent; false at the last one, and where damaged
/// information would lead backwards for ever.
bool next_sibling(Dwarf_Die& die);

}  // namespace tidemark
