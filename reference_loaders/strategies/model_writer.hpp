#pragma once

#include <cstdint>
#include <filesystem>

namespace tidemark::loaders::strategies {

enum class Format { kGguf, kSafetensors };

/// Size of the file that `write_model` writes. @throws UsageError
std::uint64_t model_file_bytes(Format format, std::uint64_t weight_bytes);

/// Writes a made-up Llama with seeded random weights, the same in both formats, through one small
/// buffer whatever its size.
/// @throws UsageError, std::system_error when it cannot be written; nothing is left behind then.
void write_model(Format format,
                 const std::filesystem::path& file,
                 std::uint64_t weight_bytes,
                 std::uint64_t seed);

}  // namespace tidemark::loaders::strategies
