#pragma once

#include "reference_loaders/tvm/stream.hpp"

#include <filesystem>
#include <functional>

namespace tidemark::loaders::tvm {

/// Has `write` fill a file that appears under the name `file` only when it is complete.
/// @throws std::system_error when it cannot be written; nothing is left behind then.
void write_complete_file(const std::filesystem::path& file,
                         const std::function<void(Stream&)>& write);

}  // namespace tidemark::loaders::tvm
