#include "preload/os/symbol_search.hpp"

#include "preload/os/sys.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <elf.h>
#include <link.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint16_t kHiddenVersion = 0x8000;  // not the default one

std::uint32_t gnu_hash(const char* name) {
  std::uint32_t hash = 5381;
  for (; *name != '\0'; ++name)
    hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

/// The tables of one loaded object.
class SymbolTable {
 public:
  explicit SymbolTable(const link_map& object) : SymbolTable(object.l_ld, object.l_addr) {}
  SymbolTable(const ElfW(Dyn) * dynamic, std::uint64_t bias) : bias_(bias) {
    for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
      switch (entry->d_tag) {
        case DT_SYMTAB:
          symbols_ = at<ElfW(Sym)>(entry->d_un.d_ptr);
          break;
        case DT_STRTAB:
          names_ = at<char>(entry->d_un.d_ptr);
          break;
        case DT_VERSYM:
          versions_ = at<std::uint16_t>(entry->d_un.d_ptr);
          break;
        case DT_HASH:
          sysv_hash_ = at<std::uint32_t>(entry->d_un.d_ptr);
          break;
        case DT_GNU_HASH:
          hash_ = at<std::uint32_t>(entry->d_un.d_ptr);
          break;
        default:
          break;
      }
    }
  }

  /// A function, or with `any` a variable as well.
  [[nodiscard]] const ElfW(Sym) *
      find(const char* name, std::uint32_t hash, bool any = false) const {
    if (symbols_ == nullptr || names_ == nullptr)
      return nullptr;
    if (hash_ == nullptr)
      return find_one_by_one(name, any);
    const std::uint32_t bucket_count = hash_[0];
    const std::uint32_t first_symbol = hash_[1];
    const std::uint32_t filter_words = hash_[2];
    const std::uint32_t* buckets = hash_ + 4 + std::size_t{filter_words} * 2;
    const std::uint32_t* chains = buckets + bucket_count;
    if (bucket_count == 0)
      return nullptr;
    for (std::uint32_t i = buckets[hash % bucket_count]; i >= first_symbol; ++i) {
      const std::uint32_t entry = chains[i - first_symbol];
      if ((entry | 1U) == (hash | 1U) && is_definition(i, name, any))
        return &symbols_[i];
      if ((entry & 1U) != 0)
        break;
    }
    return nullptr;
  }

  /// Calls `visit` with the name of each symbol that the object references weakly.
  template <typename Visit>
  void visit_weak_references(const Visit& visit) const {
    if (symbols_ == nullptr || names_ == nullptr)
      return;
    const std::size_t count = count_up_to_definitions();
    for (std::size_t i = 1; i < count; ++i) {
      if (symbols_[i].st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbols_[i].st_info) == STB_WEAK)
        visit(names_ + symbols_[i].st_name);
    }
  }

  [[nodiscard]] void* address_of(const ElfW(Sym) & symbol) const {
    return reinterpret_cast<void*>(bias_ + symbol.st_value);
  }

 private:
  /// Number of leading entries, up to the defined symbols, which come last and have hashes. Without
  /// defined symbols or a hash table the length is stored nowhere: the table ends at the latest
  /// where another begins.
  [[nodiscard]] std::size_t count_up_to_definitions() const {
    if (hash_ != nullptr && (hash_[0] > 1 || hash_[4 + std::size_t{hash_[2]} * 2] != 0))
      return hash_[1];
    if (sysv_hash_ != nullptr)
      return sysv_hash_[1];
    const auto begin = reinterpret_cast<std::uint64_t>(symbols_);
    std::uint64_t end = ~std::uint64_t{0};
    for (const void* table : {static_cast<const void*>(names_), static_cast<const void*>(versions_),
                              static_cast<const void*>(hash_)}) {
      if (reinterpret_cast<std::uint64_t>(table) > begin)
        end = std::min(end, reinterpret_cast<std::uint64_t>(table));
    }
    return end == ~std::uint64_t{0} ? 0 : (end - begin) / sizeof(ElfW(Sym));
  }

  /// The loader has added the bias, except in objects that it must not write to (the vDSO).
  template <typename T>
  [[nodiscard]] const T* at(std::uint64_t address) const {
    return reinterpret_cast<const T*>(address < bias_ ? address + bias_ : address);
  }

  /// For the few objects without DT_GNU_HASH (--hash-style=sysv). Its second word is the number of
  /// symbols (System V ABI, chapter 5).
  [[nodiscard]] const ElfW(Sym) * find_one_by_one(const char* name, bool any) const {
    const std::uint32_t count = sysv_hash_ != nullptr ? sysv_hash_[1] : 0;
    for (std::uint32_t i = 1; i < count; ++i) {
      if (is_definition(i, name, any))
        return &symbols_[i];
    }
    return nullptr;
  }

  [[nodiscard]] bool is_definition(std::uint32_t i, const char* name, bool any) const {
    const ElfW(Sym)& symbol = symbols_[i];
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    const unsigned binding = ELF64_ST_BIND(symbol.st_info);
    const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
    return symbol.st_shndx != SHN_UNDEF && (is_function || (any && type == STT_OBJECT)) &&
           (binding == STB_GLOBAL || binding == STB_WEAK) &&
           (any || versions_ == nullptr || (versions_[i] & kHiddenVersion) == 0) &&
           std::strcmp(names_ + symbol.st_name, name) == 0;
  }

  std::uint64_t bias_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  const std::uint16_t* versions_ = nullptr;
  const std::uint32_t* hash_ = nullptr;
  const std::uint32_t* sysv_hash_ = nullptr;
};

const link_map* next_object() {
  const link_map* object = _r_debug.r_map;
  while (object != nullptr && object->l_ld != _DYNAMIC)
    object = object->l_next;
  return object != nullptr ? object->l_next : nullptr;
}

}  // namespace

void* find_next_function(const char* name) {
  const std::uint32_t hash = gnu_hash(name);
  for (const link_map* object = next_object(); object != nullptr; object = object->l_next) {
    const SymbolTable table(*object);
    const ElfW(Sym)* symbol = table.find(name, hash);
    if (symbol == nullptr)
      continue;
    void* found = table.address_of(*symbol);
    if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
      found = reinterpret_cast<void* (*)()>(found)();  // picks the one for this processor
    return found;
  }
  return nullptr;
}

void* find_in_object(const void* dynamic, std::uint64_t bias, const char* name) {
  if (dynamic == nullptr)
    return nullptr;
  const SymbolTable table(static_cast<const ElfW(Dyn)*>(dynamic), bias);
  const ElfW(Sym)* symbol = table.find(name, gnu_hash(name), true);
  return symbol != nullptr ? table.address_of(*symbol) : nullptr;
}

void hide_own_functions(std::span<const char*> names) {
  const link_map* own = _r_debug.r_map;
  while (own != nullptr && own->l_ld != _DYNAMIC)
    own = own->l_next;
  if (own == nullptr || names.empty())
    return;
  const SymbolTable table(*own);
  for (const link_map* object = _r_debug.r_map; object != nullptr; object = object->l_next) {
    if (object == own)
      continue;
    SymbolTable(*object).visit_weak_references([&](const char* asked) {
      if (table.find(asked, gnu_hash(asked)) == nullptr)
        return;
      for (const char*& name : names)
        name = name != nullptr && std::strcmp(name, asked) == 0 ? nullptr : name;
    });
  }
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;
  for (const char*& name : names) {
    const auto place =
        name != nullptr ? reinterpret_cast<std::uint64_t>(table.find(name, gnu_hash(name))) : 0;
    if (place == 0) {
      name = nullptr;
      continue;
    }
    begin = std::min(begin, place / kPageBytes * kPageBytes);
    end = std::max(end, place + sizeof(ElfW(Sym)));
  }
  if (begin >= end || !sys::protect(begin, end - begin, PROT_READ | PROT_WRITE))
    return;
  // The loader passes over a symbol without a value.
  for (const char* name : names) {
    if (name != nullptr)
      const_cast<ElfW(Sym)*>(table.find(name, gnu_hash(name)))->st_value = 0;
  }
  sys::protect(begin, end - begin, PROT_READ);
}

bool is_function_hidden(const char* name) {
  const std::uint32_t hash = gnu_hash(name);
  for (const link_map* object = _r_debug.r_map; object != nullptr && object->l_ld != _DYNAMIC;
       object = object->l_next) {
    if (SymbolTable(*object).find(name, hash) != nullptr)
      return true;
  }
  return false;
}

}  // namespace tidemark::preload
