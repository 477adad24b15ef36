#pragma once

#include "reference_loaders/tvm/ndarray.hpp"

#include <filesystem>

namespace tidemark::loaders::tvm {

/// The loader before pull request 13877: the whole file into a string, then out of the string into
/// the tensors. Peak 2W, at the last tensor; the string goes in one free right after it.
/// @throws BadInput
Params load_blob(const std::filesystem::path& file);

/// The loader after it: from the file straight into the tensors. Peak W.
/// @throws BadInput
Params load_stream(const std::filesystem::path& file);

}  // namespace tidemark::loaders::tvm
