#pragma once

#include "reference_loaders/tvm/ndarray.hpp"
#include "reference_loaders/tvm/stream.hpp"

#include <string>

namespace tidemark::loaders::tvm {

/// Reads a whole params file: the names, then one tensor after the other, each allocated empty and
/// then filled from the stream.
///
/// Every length is checked against what is left of the stream before anything is allocated for it,
/// so no allocation is larger than the file.
/// @param source the file's name, for messages.
/// @throws BadInput with the offset of the first field that is wrong. Stricter than TVM in two
///   points: a name that appears twice and bytes after the last tensor are refused.
Params read_params(Stream& stream, const std::string& source);

}  // namespace tidemark::loaders::tvm
