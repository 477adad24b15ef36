/// What a file holds, told by its bytes.
#pragma once

#include "collector/os/content/content_word.hpp"
#include "collector/os/file_descriptor.hpp"

#include <cstdint>

namespace tidemark {

/// Looks at the beginning of `file`, and where that is a table of contents that lies elsewhere, at
/// that too: 2 MiB at most. Whatever the bytes say, it ends and reads nothing out of bounds.
/// @param file that can be read at any place; is left where it stood.
FileContent look_into(const FileDescriptor& file, std::uint64_t size);

}  // namespace tidemark
