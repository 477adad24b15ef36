#include "collector/symbols/lookup/symbol_table.hpp"

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

  /// If an address has several names, the first in this order is shown.
  [[nodiscard]] auto preference() const {
    return std::tuple(!has_size, binding_rank, name.size(), name);
  }
};

/// By address; if several begin at one, the best one is last, where RangeIndex looks first.
bool is_before(const Symbol& a, const Symbol& b) {
  return a.begin != b.begin ? a.begin < b.begin : b.preference() < a.preference();
}

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

bool may_be_code(const GElf_Sym& symbol) {
  const auto type = GELF_ST_TYPE(symbol.st_info);
  return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

/// A symbol matters up to the end of what it covers, and also where it may end another that has no
/// size. Nearly all of them fall here, so this comes before anything costly.
bool is_asked_for(std::span<const std::uint64_t> addresses,
                  std::uint64_t begin,
                  std::uint64_t size) {
  const auto next = std::ranges::lower_bound(addresses, begin);
  return next != addresses.end() && *next - begin < std::max(size, kSizelessBytes);
}

std::optional<Symbol> read_symbol(Dwfl_Module* module,
                                  int index,
                                  std::span<const std::uint64_t> addresses) {
  GElf_Sym raw;
  GElf_Addr address = 0;
  GElf_Word section_index = 0;
  Elf* elf = nullptr;
  Dwarf_Addr bias = 0;
  const char* name =
      dwfl_module_getsym_info(module, index, &raw, &address, &section_index, &elf, &bias);
  if (name == nullptr || *name == '\0' || section_index == SHN_UNDEF || elf == nullptr ||
      !may_be_code(raw) || !is_asked_for(addresses, address, raw.st_size)) {
    return std::nullopt;
  }
  GElf_Shdr section;
  if (gelf_getshdr(elf_getscn(elf, section_index), &section) == nullptr ||
      (GELF_ST_TYPE(raw.st_info) == STT_NOTYPE && (section.sh_flags & SHF_EXECINSTR) == 0)) {
    return std::nullopt;
  }
  const bool has_size = raw.st_size != 0;
  const std::uint64_t end =
      has_size ? address + raw.st_size
               : std::min(address + kSizelessBytes, section.sh_addr + section.sh_size + bias);
  return Symbol{address, end, has_size, binding_rank(raw.st_info), name};
}

std::vector<Symbol> read_symbols(Dwfl_Module* module, std::span<const std::uint64_t> addresses) {
  std::vector<Symbol> symbols;
  const int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count; ++i) {
    if (const auto symbol = read_symbol(module, i, addresses)) {
      symbols.push_back(*symbol);
    }
  }
  std::ranges::sort(symbols, is_before);
  return symbols;
}

}  // namespace

SymbolTable::SymbolTable(Dwfl_Module* module, std::span<const std::uint64_t> addresses) {
  const auto symbols = read_symbols(module, addresses);
  std::uint64_t group = 0;  // Where the symbols of this turn begin, and the ones behind them.
  std::uint64_t behind = ~std::uint64_t{0};
  std::vector<std::uint64_t> ends(symbols.size());
  for (std::size_t i = symbols.size(); i-- > 0;) {
    if (i + 1 == symbols.size() || symbols[i].begin != group) {
      behind = i + 1 == symbols.size() ? behind : group;
      group = symbols[i].begin;
    }
    ends[i] = symbols[i].has_size ? symbols[i].end : std::min(symbols[i].end, behind);
  }
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    names_.add(symbols[i].begin, ends[i], symbols[i].name.data());
  }
  names_.seal();
}

const char* SymbolTable::find(std::uint64_t address) const {
  const char* const* name = names_.find(address);
  return name != nullptr ? *name : nullptr;
}

}  // namespace tidemark
