/// The tensors of a file of weights, as its header lists them.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tidemark::weights {

/// Reads what the header says and no weights: some MiB at most, 64 MiB where the header is that
/// long. Whatever the bytes say, it ends and reads nothing out of bounds.
/// @param word what `look_into` said of the file (FORMAT.md's list of contents).
/// @return in the file's order of listing, without their file; empty where the format has no reader
/// here, or where one tensor is not where the header says.
std::vector<trace::Tensor> read_tensors(const FileDescriptor& file,
                                        std::uint64_t size,
                                        std::string_view word);

}  // namespace tidemark::weights
