#include "preload/unwind/rules/cfi_entry.hpp"

#include <cstring>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::unwind {
namespace {

/// Binary search of `.eh_frame_hdr`.
/// @param fde Set to the entry that may cover `address`; nullptr where none does.
/// @return false when the header cannot be read.
bool find_fde(const UnwindTables& tables, std::uint64_t address, const std::byte*& fde) {
  constexpr std::uint8_t kTableEncoding =
      DW_EH_PE_datarel | DW_EH_PE_sdata4;  // all linkers\' choice
  const std::byte* header = tables.eh_frame_header;
  Cursor cursor(header, tables.map_begin, tables.map_end);
  const auto version = cursor.fixed<std::uint8_t>();
  const auto frame_encoding = cursor.fixed<std::uint8_t>();
  const auto count_encoding = cursor.fixed<std::uint8_t>();
  const auto table_encoding = cursor.fixed<std::uint8_t>();
  cursor.pointer(frame_encoding, header);
  const std::uint64_t count = cursor.pointer(count_encoding, header);
  if (!cursor.ok() || version != 1 || table_encoding != kTableEncoding)
    return false;
  if (count > static_cast<std::uint64_t>(tables.map_end - cursor.at()) / 8)
    return false;
  fde = nullptr;
  if (count == 0)
    return true;

  const std::byte* table = cursor.at();
  const auto entry = [&](std::uint64_t i, std::size_t field) {
    std::int32_t offset = 0;
    std::memcpy(&offset, table + i * 8 + field, sizeof offset);
    return header + offset;
  };
  const auto* wanted = reinterpret_cast<const std::byte*>(address);
  std::uint64_t low = 0;
  std::uint64_t high = count;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (entry(middle, 0) <= wanted ? low : high) = middle;
  }
  if (entry(low, 0) <= wanted)
    fde = entry(low, 4);
  return true;
}

/// Length word of an entry. @return its end, or nullptr.
const std::byte* entry_end(Cursor& cursor) {
  std::uint64_t length = cursor.fixed<std::uint32_t>();
  if (length == 0xffffffff)
    length = cursor.fixed<std::uint64_t>();
  Cursor end = cursor;
  end.skip(length);
  return end.ok() && length != 0 ? end.at() : nullptr;
}

bool read_augmentation(Cursor& cursor, const char* letters, Cie& cie) {
  const std::uint64_t length = cursor.uleb();
  Cursor after = cursor;
  after.skip(length);
  for (const char* letter = letters + 1; *letter != '\0'; ++letter) {
    switch (*letter) {
      case 'R':
        cie.pointer_encoding = cursor.fixed<std::uint8_t>();
        break;
      case 'L':
        cursor.skip(1);
        break;
      case 'P':
        cursor.pointer(cursor.fixed<std::uint8_t>(), nullptr);
        break;
      case 'S':
        cie.signal_frame = true;
        break;
      case 'B':
        break;
      default:
        return false;
    }
  }
  cursor = after;
  return cursor.ok();
}

bool read_cie(Cursor cursor, Cie& cie) {
  cie.program_end = entry_end(cursor);
  if (cie.program_end == nullptr || cursor.fixed<std::uint32_t>() != 0)
    return false;
  const auto version = cursor.fixed<std::uint8_t>();
  const auto* letters = reinterpret_cast<const char*>(cursor.at());
  while (cursor.ok() && cursor.fixed<std::uint8_t>() != 0) {
  }
  cie.code_alignment = cursor.uleb();
  cie.data_alignment = cursor.sleb();
  const std::uint64_t return_register = version == 1 ? cursor.fixed<std::uint8_t>() : cursor.uleb();
  if (!cursor.ok() || return_register != kReturnAddress)
    return false;
  if (letters[0] == 'z') {
    cie.has_augmentation = true;
    if (!read_augmentation(cursor, letters, cie))
      return false;
  } else if (letters[0] != '\0') {
    return false;
  }
  cie.program = cursor.at();
  return true;
}

}  // namespace

EntryFound find_entry(const UnwindTables& tables, std::uint64_t address, Entry& entry) {
  if (tables.eh_frame_header == nullptr)
    return EntryFound::kNotCovered;
  const std::byte* fde = nullptr;
  if (!find_fde(tables, address, fde))
    return EntryFound::kUnreadable;
  if (fde == nullptr)
    return EntryFound::kNotCovered;
  Cursor cursor(fde, tables.map_begin, tables.map_end);
  entry.program_end = entry_end(cursor);
  const std::byte* cie_field = cursor.at();
  const auto cie_distance = cursor.fixed<std::uint32_t>();
  if (entry.program_end == nullptr || !read_cie(cursor.from(cie_field - cie_distance), entry.cie))
    return EntryFound::kUnreadable;
  entry.begin = cursor.pointer(entry.cie.pointer_encoding, nullptr);
  const std::uint64_t range =
      cursor.pointer(entry.cie.pointer_encoding & kPointerFormatBits, nullptr);
  if (!cursor.ok())
    return EntryFound::kUnreadable;
  if (address < entry.begin || address - entry.begin >= range)
    return EntryFound::kNotCovered;
  if (entry.cie.has_augmentation)
    cursor.skip(cursor.uleb());
  entry.program = cursor.at();
  return cursor.ok() ? EntryFound::kEntry : EntryFound::kUnreadable;
}

}  // namespace tidemark::unwind
