#pragma once

#include "reference_loaders/ggml/model_file.hpp"

#include <cstdint>
#include <filesystem>
#include <ostream>

namespace tidemark::loaders::ggml {

/// Writes a model back, its tensors in name order, the head only if its file had one.
void write_model(std::ostream& stream, const LoadedModelFile& model);

/// Writes a model of `sizes` with made-up words and seeded random weights, through one small buffer
/// whatever its size. Gains of norms are around 1, as in a trained model.
void write_random_model(std::ostream& stream, const Hyperparameters& sizes, std::uint64_t seed);

/// The same into `file`, which appears under its name only when it is complete.
/// @throws std::system_error when it cannot be written; nothing is left behind then.
void write_random_model_file(const std::filesystem::path& file,
                             const Hyperparameters& sizes,
                             std::uint64_t seed);

/// Size of the file that `write_random_model` writes.
std::uint64_t random_model_file_bytes(const Hyperparameters& sizes);

}  // namespace tidemark::loaders::ggml
