/// What an ELF file says about how it will be loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tidemark {

struct ElfFacts {
  std::string machine;      ///< For a person: "x86-64", "AArch64", "32-bit x86".
  bool is_native = false;   ///< 64-bit x86-64 of the right byte order.
  bool is_damaged = false;  ///< Headers that cannot be read. Then nothing below is known.
  std::uint16_t type = 0;   ///< ET_EXEC, ET_DYN, ...
  std::string loader;       ///< PT_INTERP; empty for static programs and most libraries.
  std::string soname;
  std::string sanitizer;  ///< "AddressSanitizer", ...; empty for an ordinary program.
  bool defines_malloc = false;
};

/// Reads the facts with plain reads, so a file that shrinks meanwhile is harmless. Survives any
/// bytes.
/// @return empty when the file does not begin as ELF files do.
std::optional<ElfFacts> read_elf_facts(int file);

}  // namespace tidemark
