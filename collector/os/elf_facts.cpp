#include "collector/os/elf_facts.hpp"

#include "preload/wire/sanitizers.hpp"

#include <climits>
#include <libelf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

#include <gelf.h>
#include <unistd.h>

namespace tidemark {
namespace {

using ElfHandle = std::unique_ptr<Elf, decltype(&elf_end)>;

struct Named {
  std::string_view key;
  std::string_view name;
};

constexpr std::array kSanitizerSymbols{
    Named{"__asan_init", "AddressSanitizer"}, Named{"__tsan_init", "ThreadSanitizer"},
    Named{"__msan_init", "MemorySanitizer"}, Named{"__lsan_init", "LeakSanitizer"},
    Named{"__hwasan_init", "HWAddressSanitizer"}};

std::string machine_name(std::uint16_t machine, bool is_64_bit) {
  switch (machine) {
    case EM_X86_64:
      return is_64_bit ? "x86-64" : "32-bit x86 (x32)";
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "AArch64";
    case EM_ARM:
      return "32-bit Arm";
    case EM_RISCV:
      return is_64_bit ? "64-bit RISC-V" : "32-bit RISC-V";
    case EM_PPC64:
      return "64-bit PowerPC";
    case EM_S390:
      return "S/390";
    case EM_LOONGARCH:
      return "LoongArch";
    case EM_MIPS:
      return "MIPS";
    default:
      return "machine " + std::to_string(machine);
  }
}

/// The loader's path sits in the file as bytes; nothing of it is taken on trust.
std::string read_loader(int file, const GElf_Phdr& header) {
  std::array<char, PATH_MAX> path{};
  const auto wanted = std::min<std::size_t>(header.p_filesz, path.size());
  const ssize_t got = ::pread(file, path.data(), wanted, static_cast<off_t>(header.p_offset));
  if (got <= 0) {
    return {};
  }
  const std::string_view text(path.data(), static_cast<std::size_t>(got));
  return std::string(text.substr(0, text.find('\0')));
}

void read_segments(Elf* elf, int file, ElfFacts& facts) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) {
    facts.is_damaged = true;
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) {
      facts.is_damaged = true;
      return;
    }
    if (header.p_type == PT_INTERP) {
      facts.loader = read_loader(file, header);
    }
  }
}

void note_library(const char* name, ElfFacts& facts) {
  for (const wire::Sanitizer& sanitizer : wire::kSanitizers) {
    if (std::string_view(name).starts_with(sanitizer.library)) {
      facts.sanitizer = sanitizer.name;
    }
  }
}

void read_dynamic(Elf* elf, Elf_Data* data, const GElf_Shdr& section, ElfFacts& facts) {
  GElf_Dyn entry;
  for (int i = 0; gelf_getdyn(data, i, &entry) != nullptr && entry.d_tag != DT_NULL; ++i) {
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME) {
      continue;
    }
    const char* text = elf_strptr(elf, section.sh_link, entry.d_un.d_val);
    if (text == nullptr) {
      continue;
    }
    if (entry.d_tag == DT_NEEDED) {
      note_library(text, facts);
    } else {
      facts.soname = text;
    }
  }
}

void note_symbol(std::string_view name, const GElf_Sym& symbol, ElfFacts& facts) {
  const bool is_defined = symbol.st_shndx != SHN_UNDEF;
  const auto type = GELF_ST_TYPE(symbol.st_info);
  if (name == "malloc") {
    facts.defines_malloc |= is_defined && (type == STT_FUNC || type == STT_GNU_IFUNC);
    return;
  }
  // A weak reference only asks whether a sanitizer is there.
  if (!is_defined && GELF_ST_BIND(symbol.st_info) == STB_WEAK) {
    return;
  }
  for (const auto& [key, sanitizer] : kSanitizerSymbols) {
    if (name == key) {
      facts.sanitizer = sanitizer;
    }
  }
}

void read_symbols(Elf* elf, Elf_Data* data, const GElf_Shdr& section, ElfFacts& facts) {
  GElf_Sym symbol;
  for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
    const char* name = elf_strptr(elf, section.sh_link, symbol.st_name);
    // Nearly all names are neither, and a big program has a million of them.
    if (name != nullptr && (name[0] == 'm' || name[0] == '_')) {
      note_symbol(name, symbol, facts);
    }
  }
}

void read_sections(Elf* elf, ElfFacts& facts) {
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) {
      continue;
    }
    const bool has_symbols = header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM;
    if (!has_symbols && header.sh_type != SHT_DYNAMIC) {
      continue;
    }
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr) {
      continue;
    }
    has_symbols ? read_symbols(elf, data, header, facts) : read_dynamic(elf, data, header, facts);
  }
}

ElfFacts damaged() {
  ElfFacts facts;
  facts.is_damaged = true;
  return facts;
}

}  // namespace

std::optional<ElfFacts> read_elf_facts(int file) {
  std::array<char, SELFMAG> magic{};
  if (::pread(file, magic.data(), magic.size(), 0) != SELFMAG ||
      std::string_view(magic.data(), magic.size()) != ELFMAG) {
    return std::nullopt;
  }
  elf_version(EV_CURRENT);
  const ElfHandle elf(elf_begin(file, ELF_C_READ, nullptr), elf_end);
  GElf_Ehdr header;
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF ||
      gelf_getehdr(elf.get(), &header) == nullptr) {
    return damaged();
  }
  ElfFacts facts;
  const bool is_64_bit = gelf_getclass(elf.get()) == ELFCLASS64;
  facts.machine = machine_name(header.e_machine, is_64_bit);
  facts.is_native =
      is_64_bit && header.e_machine == EM_X86_64 && header.e_ident[EI_DATA] == ELFDATA2LSB;
  facts.type = header.e_type;
  read_segments(elf.get(), file, facts);
  read_sections(elf.get(), facts);
  return facts;
}

}  // namespace tidemark
