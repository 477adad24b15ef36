#include "collector/symbols/lookup/function_name.hpp"

#include "collector/symbols/lookup/demangle.hpp"
#include "collector/symbols/lookup/function_index.hpp"

#include <dwarf.h>

#include <optional>
#include <string_view>

namespace tidemark {
namespace {

constexpr int kChainLimit = 16;

const char* string_of(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute value;
  return dwarf_formstring(dwarf_attr_integrate(&die, attribute, &value));
}

/// Follows abstract_origin and specification to the entry that is in its own scope.
Dwarf_Die declaration_of(Dwarf_Die die) {
  for (int i = 0; i < kChainLimit; ++i) {
    Dwarf_Attribute link;
    Dwarf_Die target;
    if ((dwarf_attr(&die, DW_AT_abstract_origin, &link) == nullptr &&
         dwarf_attr(&die, DW_AT_specification, &link) == nullptr) ||
        dwarf_formref_die(&link, &target) == nullptr) {
      break;
    }
    die = target;
  }
  return die;
}

/// @param is_call_operator of what is being named: an unnamed type that has one is a lambda's.
std::string scope_name(Dwarf_Die& scope, bool is_call_operator) {
  const char* name = string_of(scope, DW_AT_name);
  switch (dwarf_tag(&scope)) {
    case DW_TAG_namespace:
      return name != nullptr ? name : "(anonymous namespace)";
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      if (name != nullptr) {
        return name;
      }
      return is_call_operator ? "{lambda}" : "{unnamed type}";
    case DW_TAG_subprogram:
    case DW_TAG_module:
      return name != nullptr ? name : "";
    default:
      return {};
  }
}

/// Steps from `scope` to its child that is `offset` or contains it.
bool descend(Dwarf_Die& scope, Dwarf_Off offset) {
  Dwarf_Die child;
  if (dwarf_child(&scope, &child) != 0 || dwarf_dieoffset(&child) > offset) {
    return false;
  }
  for (Dwarf_Die next = child; next_sibling(next) && dwarf_dieoffset(&next) <= offset;) {
    child = next;
  }
  scope = child;
  return true;
}

/// Entries do not know their parents, so the way is found from the top of the unit.
/// @param limit of the recursion, which only damaged information reaches.
std::string enclosing_scopes(Dwarf_Die die, bool is_call_operator, int limit) {
  std::string scopes;
  std::optional<Dwarf_Die> outside;
  Dwarf_Die scope;
  const Dwarf_Off target = dwarf_dieoffset(&die);
  if (limit == 0 || dwarf_diecu(&die, &scope, nullptr, nullptr) == nullptr) {
    return scopes;
  }
  while (descend(scope, target) && dwarf_dieoffset(&scope) != target) {
    const std::string name = scope_name(scope, is_call_operator);
    if (name.empty()) {
      continue;
    }
    // A member's or a namespace's function is defined outside of it, and only declared within.
    const Dwarf_Die declaration = declaration_of(scope);
    if (declaration.addr != scope.addr) {
      outside = declaration;
      scopes.clear();
    }
    scopes += name + "::";
  }
  return outside ? enclosing_scopes(*outside, is_call_operator, limit - 1) + scopes : scopes;
}

}  // namespace

std::string function_name(Dwarf_Die die, const char* symbol) {
  const char* linkage_name = string_of(die, DW_AT_linkage_name);
  if (linkage_name == nullptr) {
    linkage_name = string_of(die, DW_AT_MIPS_linkage_name);
  }
  if (linkage_name == nullptr && symbol != nullptr && std::string_view(symbol).starts_with("_Z")) {
    linkage_name = symbol;
  }
  if (linkage_name != nullptr) {
    return demangle(linkage_name);
  }
  const char* name = string_of(die, DW_AT_name);
  if (name == nullptr) {
    return {};
  }
  return enclosing_scopes(declaration_of(die), std::string_view(name) == "operator()",
                          kChainLimit) +
         name;
}

}  // namespace tidemark
