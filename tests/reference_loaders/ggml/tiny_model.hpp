#pragma once

#include "reference_loaders/ggml/gpt2_shape.hpp"
#include "reference_loaders/ggml/model_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::loaders::test {

/// The smallest GPT-2 there can be: two words, one position, one layer of two with one head.
inline constexpr ggml::Hyperparameters kTinySizes{2, 1, 2, 1, 1, 1};

/// Its file, written by hand: every byte as the format has it.
std::string tiny_model_file();
/// The same with a head of its own.
std::string tiny_model_file_with_head();

/// One record: type and extents as digits, `payload` as hex.
std::string record(const std::string& name,
                   std::int32_t type,
                   const std::vector<std::int32_t>& extents,
                   const std::string& payload);

/// `bytes` with the little-endian i32 at `offset` replaced.
std::string with_i32(std::string bytes, std::size_t offset, std::int32_t value);

/// Reads `bytes` as a file called "model.bin". @throws BadInput
ggml::LoadedModelFile read_model_from(const std::string& bytes,
                                      ggml::KeyValuesAre where = ggml::KeyValuesAre::kInTheModel);

/// Offsets of fields in `tiny_model_file`.
namespace tiny_model {
inline constexpr std::size_t kNVocab = 4;
inline constexpr std::size_t kNCtx = 8;
inline constexpr std::size_t kNEmbd = 12;
inline constexpr std::size_t kNHead = 16;
inline constexpr std::size_t kNLayer = 20;
inline constexpr std::size_t kFtype = 24;
inline constexpr std::size_t kVocabularyCount = 28;
inline constexpr std::size_t kFirstWord = 32;
inline constexpr std::size_t kFirstTensor = 43;  ///< After "a" and "bc".
}  // namespace tiny_model

}  // namespace tidemark::loaders::test
