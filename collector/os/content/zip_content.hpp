/// The content of a ZIP file: PyTorch's checkpoints, NumPy's and Keras's archives, and programs of
/// Java and Python are ZIP files.
#pragma once

#include "collector/os/content/content_word.hpp"
#include "collector/os/file_descriptor.hpp"

#include <cstdint>

namespace tidemark {

/// Judges by the names in its central directory. "archive" if they are of no known kind, or there
/// is no readable directory.
FileContent look_into_zip(const FileDescriptor& file, std::uint64_t size);

}  // namespace tidemark
