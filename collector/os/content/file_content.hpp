/// Recognises a file's content by its bytes.
#pragma once

#include "collector/os/content/content_word.hpp"
#include "collector/os/file_descriptor.hpp"

#include <cstdint>

namespace tidemark {

/// Reads the beginning of `file` and, if that refers to a table of contents elsewhere, that too: 2
/// MiB at most. For any bytes, it terminates and stays within bounds.
/// @param file Must be seekable; its position is not changed.
FileContent look_into(const FileDescriptor& file, std::uint64_t size);

}  // namespace tidemark
