/// The tensors of a weight file, as its header lists them.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tidemark::weights {

/// Reads only the header, no weights: some MiB, at most 64 MiB of a very long header. Ends and
/// stays in bounds, whatever the bytes say.
/// @param word what `look_into` returned for the file (FORMAT.md's list of contents).
/// @return in the order of the header, with `file` not set; empty if the format has no reader here,
/// or if a tensor is not where the header says.
std::vector<trace::Tensor> read_tensors(const FileDescriptor& file,
                                        std::uint64_t size,
                                        std::string_view word);

}  // namespace tidemark::weights
