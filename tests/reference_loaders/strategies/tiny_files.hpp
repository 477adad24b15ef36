#pragma once

#include "reference_loaders/strategies/weights_index.hpp"

#include <cstddef>
#include <string>

/// Weights files that are small enough to be written by hand.
namespace tidemark::loaders::test {

/// Metadata "k" = "v" and "n" = [7, 8]; "a", float32 [2] = {1, -2}; "b", q8_0 [1, 32].
std::string tiny_gguf();

/// Offsets of fields in `tiny_gguf`.
namespace gguf {
inline constexpr std::size_t kVersion = 4;
inline constexpr std::size_t kTensorCount = 8;
inline constexpr std::size_t kMetadataCount = 16;
inline constexpr std::size_t kKeyLength = 24;
inline constexpr std::size_t kKeyType = 33;
inline constexpr std::size_t kTextLength = 37;
inline constexpr std::size_t kElementType = 59;
inline constexpr std::size_t kElementCount = 63;
inline constexpr std::size_t kFirstTensor = 73;
inline constexpr std::size_t kDimensions = kFirstTensor + 9;
inline constexpr std::size_t kExtent = kFirstTensor + 13;
inline constexpr std::size_t kType = kFirstTensor + 21;
inline constexpr std::size_t kOffset = kFirstTensor + 25;
inline constexpr std::size_t kSecondTensor = 106;
inline constexpr std::size_t kSecondExtent = kSecondTensor + 13;
inline constexpr std::size_t kSecondType = kSecondTensor + 29;
inline constexpr std::size_t kSecondOffset = kSecondTensor + 33;
inline constexpr std::size_t kData = 160;
inline constexpr std::size_t kDataEnd = kData + 32 + 34;
}  // namespace gguf

/// "a", float32 [2] = {1, -2}, and "b", bfloat16 [1, 3]; metadata "k" = "version".
std::string tiny_safetensors();

/// A file with this header, as it is, and this data.
std::string safetensors_file(const std::string& json, const std::string& data);

/// The index of a file in memory, of either format.
strategies::WeightsIndex index_of(const std::string& file);

}  // namespace tidemark::loaders::test
