#pragma once

#include "reference_loaders/tvm/made_model.hpp"
#include "reference_loaders/tvm/relax_executable.hpp"
#include "reference_loaders/tvm/stream.hpp"

#include <cstdint>
#include <vector>

namespace tidemark::loaders::tvm {

/// Writes an executable as TVM does; memory scopes only with the magic of version 2.
void write_relax(Stream& stream, const RelaxExecutable& executable);

/// Size of the file that `write_random_relax` writes.
std::uint64_t relax_file_bytes(const std::vector<TensorSpec>& model);

/// Writes an executable of version 2 with `model` as its constants, seeded random weights, and no
/// bytecode. Takes one small buffer whatever its size.
void write_random_relax(Stream& stream, const std::vector<TensorSpec>& model, std::uint64_t seed);

}  // namespace tidemark::loaders::tvm
