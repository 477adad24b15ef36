#pragma once

#include "reference_loaders/tvm/executable.hpp"
#include "reference_loaders/tvm/made_model.hpp"
#include "reference_loaders/tvm/stream.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tidemark::loaders::tvm {

/// Writes all fields but `code` as TVM's `Executable::Save` does, from the magic number on.
void write_executable(Stream& stream, const Executable& executable);

/// Size of the file that `write_random_executable` writes.
std::uint64_t executable_file_bytes(const std::vector<TensorSpec>& model);

/// Writes the file of an executable for the CPU with `model` as its immediate constants, seeded
/// random weights, and no code: the question is memory. Takes one small buffer whatever its size.
void write_random_executable(Stream& stream,
                             const std::vector<TensorSpec>& model,
                             std::uint64_t seed);

}  // namespace tidemark::loaders::tvm
