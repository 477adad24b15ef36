/// Finds the entry of `.eh_frame` that covers an address.
#pragma once

#include "preload/unwind/rules/cfi_cursor.hpp"
#include "preload/unwind/rules/dwarf.hpp"
#include "preload/unwind/rules/unwind_tables.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::unwind {

/// The fields of a common information entry that are used here.
struct Cie {
  std::uint64_t code_alignment = 1;
  std::int64_t data_alignment = 1;
  std::uint8_t pointer_encoding = 0;
  bool has_augmentation = false;
  bool signal_frame = false;
  const std::byte* program = nullptr;
  const std::byte* program_end = nullptr;
};

/// The unwind entry of one function.
struct Entry {
  Cie cie;
  std::uint64_t begin = 0;  ///< Address of the function.
  const std::byte* program = nullptr;
  const std::byte* program_end = nullptr;
};

enum class EntryFound : std::uint8_t {
  kEntry,
  kNotCovered,  ///< No entry covers the address, or the module has no tables.
  kUnreadable,  ///< The tables or the covering entry cannot be parsed.
};

EntryFound find_entry(const UnwindTables& tables, std::uint64_t address, Entry& entry);

}  // namespace tidemark::unwind
