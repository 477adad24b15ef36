#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tidemark::loaders::tvm {

/// As TVM's `LoadBinaryFromFile`: seeks to the end, resizes `data` to the file's size and reads.
///
/// The resize writes zeros wherever the string grows before the read writes them again: that pass
/// is part of the published chain. A string that was used before keeps its memory.
/// @throws BadInput when it is no regular file or cannot be read to its end.
void load_binary_from_file(const std::filesystem::path& file, std::string* data);

/// Allocates for `size` bytes exactly as `data->resize(size)` would, and asks for huge pages.
void reserve_huge(std::string* data, std::size_t size);

}  // namespace tidemark::loaders::tvm
