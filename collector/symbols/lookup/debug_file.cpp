#include "collector/symbols/lookup/debug_file.hpp"

#include "collector/os/build_id.hpp"
#include "collector/os/file_descriptor.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace tidemark {
namespace {

std::uint32_t add_to_crc(std::uint32_t crc, const unsigned char* bytes, std::size_t count) {
  static const auto byte_table = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) {
        value = (value & 1) != 0 ? 0xedb88320 ^ (value >> 1) : value >> 1;
      }
      table[i] = value;
    }
    return table;
  }();
  for (std::size_t i = 0; i < count; ++i) {
    crc = byte_table[(crc ^ bytes[i]) & 0xff] ^ (crc >> 8);
  }
  return crc;
}

std::uint32_t crc_of(int file) {
  std::array<unsigned char, 65536> buffer{};
  std::uint32_t crc = 0xffffffff;
  off_t at = 0;
  for (ssize_t got = 0; (got = ::pread(file, buffer.data(), buffer.size(), at)) > 0; at += got) {
    crc = add_to_crc(crc, buffer.data(), static_cast<std::size_t>(got));
  }
  return ~crc;
}

/// A build id decides where there is one; the checksum costs a pass over the file.
bool belongs_to(Dwfl_Module* module, int file, std::uint32_t link_crc) {
  const unsigned char* bits = nullptr;
  GElf_Addr address = 0;
  const int count = dwfl_module_build_id(module, &bits, &address);
  if (count > 0) {
    return read_build_id(file) == to_hex(bits, static_cast<std::size_t>(count));
  }
  return crc_of(file) == link_crc;
}

constexpr const char* kSystemFolder = "/usr/lib/debug";

std::vector<std::string> link_places(const std::string& path, const std::string& debug_link) {
  std::error_code ignored;
  const auto folder = std::filesystem::canonical(path, ignored).parent_path();
  // The name is a bare file name by definition; anything else in it comes from a forged file.
  if (folder.empty() || debug_link.empty() || debug_link.find('/') != std::string::npos) {
    return {};
  }
  return {folder / debug_link, folder / ".debug" / debug_link,
          kSystemFolder / folder.relative_path() / debug_link};
}

int open_by_link(Dwfl_Module* module,
                 const char* file,
                 const char* debug_link,
                 std::uint32_t link_crc,
                 char** found_path) {
  for (const std::string& path : link_places(file, debug_link)) {
    FileDescriptor candidate = open_regular_file(path);
    if (candidate.is_open() && belongs_to(module, candidate.number(), link_crc)) {
      *found_path = ::strdup(path.c_str());
      return candidate.release();
    }
  }
  return -1;
}

}  // namespace

std::vector<std::string> debug_file_places(const std::string& path,
                                           const std::string& build_id,
                                           const std::string& debug_link) {
  std::vector<std::string> places;
  if (build_id.size() > 2) {
    places.push_back(std::string(kSystemFolder) + "/.build-id/" + build_id.substr(0, 2) + '/' +
                     build_id.substr(2) + ".debug");
  }
  for (std::string& place : link_places(path, debug_link)) {
    places.push_back(std::move(place));
  }
  return places;
}

int find_debug_file(Dwfl_Module* module,
                    void** user_data,
                    const char* name,
                    Dwarf_Addr base,
                    const char* file,
                    const char* debug_link,
                    GElf_Word link_crc,
                    char** found_path) {
  const int found = dwfl_build_id_find_debuginfo(module, user_data, name, base, file, debug_link,
                                                 link_crc, found_path);
  if (found >= 0 || file == nullptr || debug_link == nullptr) {
    return found;
  }
  return open_by_link(module, file, debug_link, link_crc, found_path);
}

}  // namespace tidemark
