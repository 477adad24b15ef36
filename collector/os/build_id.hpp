/// The GNU build id of ELF files.
#pragma once

#include <cstddef>
#include <string>

namespace tidemark {

/// @param file an open descriptor. @return lower-case hex; empty if the file has none or is not
/// ELF.
std::string read_build_id(int file);

std::string to_hex(const unsigned char* bytes, std::size_t count);

}  // namespace tidemark
