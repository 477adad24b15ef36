#include "collector/symbols/lookup/function_index.hpp"

#include <dwarf.h>

namespace tidemark {
namespace {

/// Deeper nesting than any compiler makes is damage.
constexpr int kDepthLimit = 256;

bool may_hold_functions(int tag) {
  switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      return true;
    default:
      return false;
  }
}

void walk(Dwarf_Die& parent,
          int depth,
          std::span<const std::uint64_t> addresses,
          RangeIndex<Dwarf_Die>& functions) {
  Dwarf_Die die;
  if (depth > kDepthLimit || dwarf_child(&parent, &die) != 0) {
    return;
  }
  do {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_subprogram) {
      add_ranges(die, die, addresses, functions);
    }
    if (may_hold_functions(tag)) {
      walk(die, depth + 1, addresses, functions);
    }
  } while (next_sibling(die));
}

/// The block or inlined function among the children of `parent` that has the address.
bool find_child(Dwarf_Die& parent, Dwarf_Addr address, Dwarf_Die& child) {
  if (dwarf_child(&parent, &child) != 0) {
    return false;
  }
  do {
    const int tag = dwarf_tag(&child);
    const bool is_scope = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
                          tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
    if (is_scope && dwarf_haspc(&child, address) > 0) {
      return true;
    }
  } while (next_sibling(child));
  return false;
}

}  // namespace

bool next_sibling(Dwarf_Die& die) {
  Dwarf_Die next;
  if (dwarf_siblingof(&die, &next) != 0 || dwarf_dieoffset(&next) <= dwarf_dieoffset(&die)) {
    return false;
  }
  die = next;
  return true;
}

RangeIndex<Dwarf_Die> index_functions(Dwarf_Die unit, std::span<const std::uint64_t> addresses) {
  RangeIndex<Dwarf_Die> functions;
  walk(unit, 0, addresses, functions);
  functions.seal();
  return functions;
}

std::vector<Dwarf_Die> inline_chain(Dwarf_Die function, Dwarf_Addr address) {
  std::vector<Dwarf_Die> chain{function};
  Dwarf_Die parent = function;
  Dwarf_Die child;
  for (int depth = 0; depth < kDepthLimit && find_child(parent, address, child); ++depth) {
    if (dwarf_tag(&child) == DW_TAG_inlined_subroutine) {
      chain.push_back(child);
    }
    parent = child;
  }
  return chain;
}

}  // namespace tidemark
