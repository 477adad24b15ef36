#include "preload/os/build_id.hpp"

#include <cstring>

#include <elf.h>
#include <link.h>

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {
namespace {

using Bytes = std::span<const std::byte>;

/// As many program headers as fit in a page after the file's header; further ones are mapped only
/// if the segment is that long.
constexpr std::size_t kMaxSegments = (4096 - sizeof(ElfW(Ehdr))) / sizeof(ElfW(Phdr));

std::span<const ElfW(Phdr)> segments_at(std::uint64_t begin) {
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(begin);
  if (begin % 4096 != 0 || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_phoff != sizeof *header || header->e_phentsize != sizeof(ElfW(Phdr)) ||
      header->e_phnum > kMaxSegments)
    return {};
  return {reinterpret_cast<const ElfW(Phdr)*>(begin + header->e_phoff), header->e_phnum};
}

/// True if one readable loaded segment contains all of `part`.
bool is_loaded(std::span<const ElfW(Phdr)> segments, const ElfW(Phdr) & part) {
  for (const ElfW(Phdr) & segment : segments) {
    const bool has_all = segment.p_vaddr <= part.p_vaddr && part.p_filesz <= segment.p_filesz &&
                         part.p_vaddr - segment.p_vaddr <= segment.p_filesz - part.p_filesz;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_R) != 0 && has_all)
      return true;
  }
  return false;
}

std::size_t padded(std::size_t bytes) {
  return (bytes + 3) & ~std::size_t{3};
}

/// Searches a note segment: each note has a header, a name and a content, both padded to four
/// bytes.
Bytes find_build_id_among(Bytes notes) {
  ElfW(Nhdr) header;
  while (notes.size() > sizeof header) {
    std::memcpy(&header, notes.data(), sizeof header);
    notes = notes.subspan(sizeof header);
    const std::size_t name_bytes = padded(header.n_namesz);
    if (name_bytes > notes.size() || header.n_descsz > notes.size() - name_bytes)
      return {};
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(notes.data(), ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
      return header.n_descsz <= kMaxBuildIdBytes ? notes.subspan(name_bytes, header.n_descsz)
                                                 : Bytes();
    const std::size_t bytes = name_bytes + padded(header.n_descsz);
    notes = notes.subspan(bytes < notes.size() ? bytes : notes.size());
  }
  return {};
}

}  // namespace

std::span<const std::byte> find_build_id(std::uint64_t begin, std::uint64_t bias) {
  const auto segments = segments_at(begin);
  for (const ElfW(Phdr) & part : segments) {
    if (part.p_type != PT_NOTE || !is_loaded(segments, part))
      continue;
    const auto* notes = reinterpret_cast<const std::byte*>(bias + part.p_vaddr);
    if (const Bytes found = find_build_id_among({notes, part.p_filesz}); !found.empty())
      return found;
  }
  return {};
}

}  // namespace tidemark::preload
