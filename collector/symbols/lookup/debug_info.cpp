#include "collector/symbols/lookup/debug_info.hpp"

#include "collector/symbols/lookup/function_index.hpp"
#include "collector/symbols/lookup/function_name.hpp"

#include <dwarf.h>
#include <elfutils/libdwelf.h>

#include <cstdint>
#include <cstring>

namespace tidemark {
namespace {

/// Relative paths are relative to the folder of the compilation: builds by relative paths (ccache,
/// Bazel) have nothing else. libdw leaves that to its caller, and says "???" for an unknown name.
std::string path_of(Dwarf_Die& unit, const char* file) {
  if (file == nullptr || std::strcmp(file, "???") == 0) {
    return "";
  }
  Dwarf_Attribute value;
  const char* const folder = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &value));
  const bool is_relative = *file != '/' && folder != nullptr;
  return is_relative ? std::string(folder) + '/' + file : file;
}

void set_place_from_lines(Dwarf_Die& unit, Dwarf_Addr address, trace::Location& location) {
  Dwarf_Line* row = dwarf_getsrc_die(&unit, address);
  int line = 0;
  if (row != nullptr && dwarf_lineno(row, &line) == 0) {
    location.file = path_of(unit, dwarf_linesrc(row, nullptr, nullptr));
    // The compiler writes 0 for code that belongs to no line in particular.
    location.line = static_cast<std::uint32_t>(line);
  }
}

Dwarf_Word number_of(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute value;
  Dwarf_Word number = 0;
  return dwarf_formudata(dwarf_attr(&die, attribute, &value), &number) == 0 ? number : 0;
}

/// The place where `inlined` was called.
/// @param unit has its files; `lines` the folder that they are in: where debug information is
/// split, another one.
void set_place_from_call(Dwarf_Die& unit,
                         Dwarf_Die& lines,
                         Dwarf_Die& inlined,
                         trace::Location& location) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  location.line = static_cast<std::uint32_t>(number_of(inlined, DW_AT_call_line));
  if (dwarf_getsrcfiles(&unit, &files, &count) == 0) {
    location.file =
        path_of(lines, dwarf_filesrc(files, number_of(inlined, DW_AT_call_file), nullptr, nullptr));
  }
}

}  // namespace

DebugInfo::DebugInfo(Dwarf* dwarf, std::span<const std::uint64_t> addresses)
    : addresses_(addresses) {
  Dwarf_CU* unit = nullptr;
  std::uint8_t type = 0;
  Dwarf_Die lines;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, &type, &lines, nullptr) == 0) {
    if (type == DW_UT_compile || type == DW_UT_skeleton) {
      add_unit(lines, type == DW_UT_skeleton);
    }
  }
  unit_ranges_.seal();
  const char* other_name = nullptr;
  const void* other_id = nullptr;
  if (dwelf_dwarf_gnu_debugaltlink(dwarf, &other_name, &other_id) > 0 &&
      dwarf_getalt(dwarf) == nullptr) {
    is_complete_ = false;
  }
}

void DebugInfo::add_unit(Dwarf_Die lines, bool is_skeleton) {
  const std::size_t before = unit_ranges_.size();
  add_ranges(lines, units_.size(), addresses_, unit_ranges_);
  if (unit_ranges_.size() == before) {
    return;
  }
  // Asking for the split part opens its file.
  Dwarf_Die split;
  const bool is_split =
      is_skeleton &&
      dwarf_cu_info(lines.cu, nullptr, nullptr, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
      dwarf_tag(&split) == DW_TAG_compile_unit;
  is_complete_ = is_complete_ && is_skeleton == is_split;
  units_.push_back({lines, is_split ? split : lines, std::nullopt});
}

DebugInfo::Unit* DebugInfo::unit_at(Dwarf_Addr address) {
  const std::size_t* number = unit_ranges_.find(address);
  if (number == nullptr) {
    return nullptr;
  }
  Unit& unit = units_[*number];
  if (!unit.functions) {
    unit.functions = index_functions(unit.code, addresses_);
  }
  return &unit;
}

const std::string& DebugInfo::name_of(const Dwarf_Die& function, const char* symbol) {
  const auto [entry, is_new] = names_.try_emplace(function.addr);
  if (is_new) {
    entry->second = function_name(function, symbol);
  }
  return entry->second;
}

std::vector<trace::Location> DebugInfo::locate(Dwarf_Addr address, const char* symbol) {
  std::vector<trace::Location> locations;
  Unit* unit = unit_at(address);
  if (unit == nullptr) {
    return locations;
  }
  // Code without a function entry (assembly) still has lines.
  trace::Location place;
  set_place_from_lines(unit->lines, address, place);
  const Dwarf_Die* function = unit->functions->find(address);
  auto chain = function != nullptr ? inline_chain(*function, address) : std::vector<Dwarf_Die>();
  while (!chain.empty()) {
    const bool is_outermost = chain.size() == 1;
    place.function = name_of(chain.back(), is_outermost ? symbol : nullptr);
    locations.push_back(std::move(place));
    place = {};
    if (!is_outermost) {
      set_place_from_call(unit->code, unit->lines, chain.back(), place);
    }
    chain.pop_back();
  }
  if (locations.empty() && place.line != 0) {
    locations.push_back(std::move(place));
  }
  return locations;
}

}  // namespace tidemark
