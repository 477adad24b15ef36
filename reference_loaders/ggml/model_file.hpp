#pragma once

#include "reference_loaders/ggml/gpt2_shape.hpp"
#include "reference_loaders/ggml/weights.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The legacy GPT-2 file of ggml, before GGUF (examples/gpt-2/convert-ckpt-to-ggml.py).
///
///     u32 magic
///     i32 n_vocab, n_ctx, n_embd, n_head, n_layer, ftype
///     i32 n_vocab again, then each word: u32 length, bytes
///     to the end of the file, each tensor, in any order:
///       i32 n_dims (1 or 2), i32 name length, i32 type
///       i32 extents[n_dims], innermost first
///       name, payload
///
/// Little-endian, nothing is padded.
namespace tidemark::loaders::ggml {

inline constexpr std::uint32_t kMagic = 0x67676d6c;
/// ftype is 1000 times a version of the quantisation, and what counts here.
inline constexpr std::int32_t kQuantisationVersionFactor = 1000;

/// Bytes of a tensor's record before its payload.
std::uint64_t record_head_bytes(const WeightSpec& spec);

/// The words of a model, in one block.
class Vocabulary {
 public:
  void reserve(std::size_t words) { ends_.reserve(words); }
  void add(std::string_view word);

  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::string_view word(std::size_t index) const;
  /// Bytes that it occupies.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  std::string text_;
  std::vector<std::uint64_t> ends_;  ///< Where each word ends in the text.
};

/// A model as its file leaves it.
struct LoadedModelFile {
  Hyperparameters sizes;
  Vocabulary vocabulary;
  TensorSet tensors;      ///< Weights, head and, where it is so, KV memory.
  bool has_head = false;  ///< When not, the head is not initialised yet.
};

}  // namespace tidemark::loaders::ggml
