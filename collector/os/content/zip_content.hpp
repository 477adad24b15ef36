/// What is in a ZIP file: PyTorch's checkpoints, NumPy's and Keras's archives, Java's and Python's
/// programs are such.
#pragma once

#include "collector/os/content/content_word.hpp"
#include "collector/os/file_descriptor.hpp"

#include <cstdint>

namespace tidemark {

/// By the names in its central directory. "archive" where they say nothing, or where there is none
/// that can be read.
FileContent look_into_zip(const FileDescriptor& file, std::uint64_t size);

}  // namespace tidemark
