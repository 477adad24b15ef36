#pragma once

#include "reference_loaders/executorch/llama_model.hpp"

#include <cstdint>
#include <filesystem>

/// A model is two files: the delegate's blob, and beside it the constants, as FILE.ptd.
namespace tidemark::loaders::executorch {

/// Where the constants of the blob in `file` are.
std::filesystem::path ptd_path(const std::filesystem::path& file);

/// Bytes that `write_random_model` writes into both files.
std::uint64_t model_bytes(const LlamaSpec& spec);

/// Both files with seeded random weights, each under its name only when it is complete; the blob
/// comes last. @throws std::system_error
void write_random_model(const std::filesystem::path& file,
                        const LlamaSpec& spec,
                        std::uint64_t seed);

}  // namespace tidemark::loaders::executorch
