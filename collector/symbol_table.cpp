#include "collector/symbol_table.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include <gelf.h>

namespace tidemark {
namespace {

/// A symbol without a size (assembly) is believed this far and no further: in a stripped library
/// the code behind it mostly belongs to functions whose symbols are gone.
constexpr std::uint64_t kSizelessBytes = 4096;

struct Symbol {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  ///< For a symbol without a size: how far it may reach.
  bool has_size = false;
  int binding_rank = 0;  ///< Smaller is the better name.
  std::string_view name;

  /// Of several names for one address, the first in this order is shown.
  [[nodiscard]] auto order() const {
    return std::tuple(begin, !has_size, binding_rank, name.size(), name);
  }
};

int binding_rank(unsigned char info) {
  switch (GELF_ST_BIND(info)) {
    case STB_GLOBAL:
      return 0;
    case STB_WEAK:
      return 1;
    default:
      return 2;
  }
}

bool is_code(const GElf_Sym& symbol, const GElf_Shdr& section) {
  const auto type = GELF_ST_TYPE(symbol.st_info);
  return type == STT_FUNC || type == STT_GNU_IFUNC ||
         (type == STT_NOTYPE && (section.sh_flags & SHF_EXECINSTR) != 0);
}

std::optional<Symbol> read_symbol(Dwfl_Module* module, int index) {
  GElf_Sym raw;
  GElf_Addr address = 0;
  GElf_Word section_index = 0;
  Elf* elf = nullptr;
  Dwarf_Addr bias = 0;
  const char* name =
      dwfl_module_getsym_info(module, index, &raw, &address, &section_index, &elf, &bias);
  if (name == nullptr || *name == '\0' || section_index == SHN_UNDEF || elf == nullptr) {
    return std::nullopt;
  }
  GElf_Shdr section;
  if (gelf_getshdr(elf_getscn(elf, section_index), &section) == nullptr || !is_code(raw, section)) {
    return std::nullopt;
  }
  const bool has_size = raw.st_size != 0;
  const std::uint64_t end =
      has_size ? address + raw.st_size
               : std::min(address + kSizelessBytes, section.sh_addr + section.sh_size + bias);
  return Symbol{address, end, has_size, binding_rank(raw.st_info), name};
}

std::vector<Symbol> read_symbols(Dwfl_Module* module) {
  std::vector<Symbol> symbols;
  const int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count; ++i) {
    if (const auto symbol = read_symbol(module, i)) {
      symbols.push_back(*symbol);
    }
  }
  std::ranges::sort(symbols, {}, &Symbol::order);
  const auto is_twin = [](const Symbol& a, const Symbol& b) { return a.begin == b.begin; };
  symbols.erase(std::unique(symbols.begin(), symbols.end(), is_twin), symbols.end());
  return symbols;
}

}  // namespace

SymbolTable::SymbolTable(Dwfl_Module* module) {
  const auto symbols = read_symbols(module);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const bool is_last = i + 1 == symbols.size();
    const bool runs_on = !symbols[i].has_size && !is_last;
    names_.add(symbols[i].begin,
               runs_on ? std::min(symbols[i].end, symbols[i + 1].begin) : symbols[i].end,
               symbols[i].name.data());
  }
  names_.seal();
}

const char* SymbolTable::find(std::uint64_t address) const {
  const char* const* name = names_.find(address);
  return name != nullptr ? *name : nullptr;
}

}  // namespace tidemark
