/// The content of a tar file: a backup of anything, or weights distributed as one file (NeMo,
/// PaddlePaddle).
#pragma once

#include "collector/os/content/content_word.hpp"
#include "collector/os/file_descriptor.hpp"

#include <cstdint>
#include <string_view>

namespace tidemark {

/// True for the header of an entry, with or without the name of its format (`ustar`).
bool begins_tar(std::string_view head);

/// Judges by the names of the entries, and by their first bytes with `is_computed_with`. "bundle"
/// if at least half of the file is weights or arrays, else "archive". Reads 2 MiB at most.
/// @param is_computed_with Whether a file is weights or arrays, by its first bytes and its size.
FileContent look_into_tar(const FileDescriptor& file,
                          std::uint64_t size,
                          bool (*is_computed_with)(std::string_view head, std::uint64_t size));

}  // namespace tidemark
