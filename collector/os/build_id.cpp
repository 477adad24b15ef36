#include "collector/os/build_id.hpp"

#include <elfutils/libdwelf.h>
#include <libelf.h>

#include <memory>

namespace tidemark {

std::string to_hex(const unsigned char* bytes, std::size_t count) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(count * 2);
  for (std::size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 0xf];
  }
  return text;
}

std::string read_build_id(int file) {
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, decltype(&elf_end)> elf(elf_begin(file, ELF_C_READ, nullptr), elf_end);
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF) {
    return {};
  }
  const void* bytes = nullptr;
  const ssize_t count = dwelf_elf_gnu_build_id(elf.get(), &bytes);
  return count > 0
             ? to_hex(static_cast<const unsigned char*>(bytes), static_cast<std::size_t>(count))
             : std::string();
}

}  // namespace tidemark
