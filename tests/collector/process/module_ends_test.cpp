#include "collector/process/module_ends.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <vector>

#include <elf.h>
#include <unistd.h>

using namespace tidemark;

namespace {

char g_zeroed[2 * kMinZeroedBytes];  // not a byte of it is in the program's file

struct Segment {
  std::uint32_t type;
  std::uint64_t address;
  std::uint64_t bytes;
};

std::vector<std::byte> headers(std::initializer_list<Segment> segments) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<Elf64_Half>(segments.size());
  std::vector<std::byte> bytes(sizeof header + segments.size() * sizeof(Elf64_Phdr));
  std::memcpy(bytes.data(), &header, sizeof header);
  std::size_t at = sizeof header;
  for (const Segment& segment : segments) {
    Elf64_Phdr told{};
    told.p_type = segment.type;
    told.p_vaddr = segment.address;
    told.p_memsz = segment.bytes;
    std::memcpy(bytes.data() + at, &told, sizeof told);
    at += sizeof told;
  }
  return bytes;
}

std::uint64_t address_of(const char* memory) {
  return reinterpret_cast<std::uint64_t>(memory);
}

/// The area that has the zeroed data's last byte.
const MemoryArea& area_of_data(const std::vector<MemoryArea>& areas) {
  const std::uint64_t last = address_of(g_zeroed) + sizeof g_zeroed - 1;
  return *std::ranges::find_if(areas, [&](const MemoryArea& area) {
    return area.pages.begin <= last && last < area.pages.end;
  });
}

}  // namespace

TEST_CASE("a file ends where its last segment does", "[module_ends]") {
  CHECK(module_end_of(headers({{PT_LOAD, 0, 0x800}, {PT_LOAD, 0x2dc0, 0x5001}}), 0x7f000000) ==
        0x7f008000);
  // A program that is loaded where it was linked to.
  CHECK(module_end_of(headers({{PT_LOAD, 0x400040, 0x800}, {PT_LOAD, 0x401000, 0x1000}}),
                      0x400000) == 0x402000);
  // Neither the order of the headers nor what is not loaded matters.
  CHECK(module_end_of(headers({{PT_PHDR, 0x900000, 0x40}, {PT_LOAD, 0, 0x9000}}), 0x10000) ==
        0x19000);
}

TEST_CASE("what is no ELF file with its headers at hand has no known end", "[module_ends]") {
  const std::vector<std::byte> whole = headers({{PT_LOAD, 0, 0x800}, {PT_LOAD, 0x2000, 0x1000}});
  REQUIRE(module_end_of(whole, 0x1000) == 0x4000);
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    CHECK(module_end_of(std::span(whole).first(bytes), 0x1000) == std::nullopt);
  CHECK(module_end_of(headers({}), 0x1000) == std::nullopt);
  CHECK(module_end_of(headers({{PT_DYNAMIC, 0, 0x800}}), 0x1000) == std::nullopt);
  std::vector<std::byte> other = whole;
  other[0] = std::byte{'M'};
  CHECK(module_end_of(other, 0x1000) == std::nullopt);
}

TEST_CASE("the end of a program with zeroed data is read from its own memory", "[module_ends]") {
  g_zeroed[sizeof g_zeroed - 1] = 1;
  const std::vector<MemoryArea> areas = read_memory_areas(getpid());
  const MemoryArea& data = area_of_data(areas);
  std::set<std::uint64_t> ends;
  learn_module_ends(getpid(), areas, ends);
  const auto end = ends.upper_bound(address_of(g_zeroed));
  REQUIRE(end != ends.end());
  CHECK(*end >= address_of(g_zeroed) + sizeof g_zeroed);
  CHECK(*end <= data.pages.end);
}

TEST_CASE("an end that is known is not asked for", "[module_ends]") {
  const std::vector<MemoryArea> areas = read_memory_areas(getpid());
  const MemoryArea& data = area_of_data(areas);
  std::set<std::uint64_t> ends{data.pages.begin + 0x1000};
  learn_module_ends(getpid(), areas, ends);
  CHECK(*ends.upper_bound(data.pages.begin) == data.pages.begin + 0x1000);
  std::set<std::uint64_t> none;
  learn_module_ends(5'000'000, areas, none);
  CHECK(none.empty());
}
