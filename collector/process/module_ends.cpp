#include "collector/process/module_ends.hpp"

#include "collector/process/process_bytes.hpp"
#include "preload/wire/session.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include <elf.h>

namespace tidemark {
namespace {

template <class T>
bool read_at(std::span<const std::byte> bytes, std::uint64_t at, T& into) {
  if (at > bytes.size() || bytes.size() - at < sizeof into)
    return false;
  std::memcpy(&into, bytes.data() + at, sizeof into);
  return true;
}

/// @param index of an area of the file. @return where the first one begins: other files lie between
/// two copies of one library, and only unnamed areas between its own.
std::uint64_t begin_of_file(const std::vector<MemoryArea>& areas, std::size_t index) {
  const std::string_view name = areas[index].name;
  std::uint64_t begin = areas[index].pages.begin;
  for (std::size_t i = index; i-- > 0 && (areas[i].name == name || areas[i].name.empty());) {
    if (areas[i].name == name)
      begin = areas[i].pages.begin;
  }
  return begin;
}

}  // namespace

std::optional<std::uint64_t> module_end_of(std::span<const std::byte> first_page,
                                           std::uint64_t address) {
  Elf64_Ehdr header{};
  if (!read_at(first_page, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
    return std::nullopt;
  std::optional<std::uint64_t> first;  // address of the first segment, as if loaded at 0
  std::uint64_t end = 0;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_at(first_page, header.e_phoff + i * sizeof segment, segment))
      return std::nullopt;
    if (segment.p_type != PT_LOAD)
      continue;
    first = first.value_or(segment.p_vaddr);
    end = std::max(end, segment.p_vaddr + segment.p_memsz);
  }
  if (!first)
    return std::nullopt;
  const std::uint64_t first_page_begin = *first / wire::kPageBytes * wire::kPageBytes;
  return address + (wire::round_to_page(end) - first_page_begin);
}

void learn_module_ends(pid_t pid,
                       const std::vector<MemoryArea>& areas,
                       std::set<std::uint64_t>& ends) {
  for (std::size_t i = 1; i < areas.size(); ++i) {
    const PageRange& pages = areas[i].pages;
    const auto known = ends.upper_bound(pages.begin);
    if (pages.bytes() < kMinZeroedBytes || !has_zeroed_data(areas[i - 1], areas[i]) ||
        (known != ends.end() && *known <= pages.end))
      continue;
    const std::uint64_t begin = begin_of_file(areas, i - 1);
    std::array<std::byte, wire::kPageBytes> page{};
    const iovec piece{reinterpret_cast<void*>(begin), page.size()};
    const std::size_t copied = copy_from_process(pid, {&piece, 1}, page);
    const auto end = module_end_of(std::span(page).first(copied), begin);
    if (end && pages.begin < *end && *end <= pages.end)
      ends.insert(*end);
  }
}

}  // namespace tidemark
