#pragma once

#include "reference_loaders/ggml/tensor.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Describes a GPT-2 model of ggml: its sizes and, derived from them, names, types and shapes of
/// its tensors.
namespace tidemark::loaders::ggml {

/// In the order of the file, six i32.
struct Hyperparameters {
  std::int32_t n_vocab = 0;
  std::int32_t n_ctx = 0;
  std::int32_t n_embd = 0;
  std::int32_t n_head = 0;
  std::int32_t n_layer = 0;
  std::int32_t ftype = 0;  ///< 0: all float32. 1: the matrices and the token embedding are float16.

  friend bool operator==(const Hyperparameters&, const Hyperparameters&) = default;
};
static_assert(sizeof(Hyperparameters) == 24, "read and written as it lies in the file");

/// A published size of GPT-2, and a tiny one of the same shape.
struct NamedShape {
  std::string name;
  Hyperparameters sizes;
};
const std::vector<NamedShape>& named_shapes();
/// @throws std::out_of_range
const Hyperparameters& shape_named(std::string_view name);

struct WeightSpec {
  std::string name;
  Type type = Type::kF32;
  std::vector<std::int64_t> extents;  ///< Innermost first: the reverse of NumPy's shape.

  [[nodiscard]] std::uint64_t bytes() const;
};

inline constexpr const char* kTokenEmbedding = "model/wte";
inline constexpr const char* kHead = "model/lm_head";

/// The tensors of a file: 12 a layer and 4, in name order, which is the converter's. The head is
/// not among them: in GPT-2 it is the token embedding once more.
std::vector<WeightSpec> weight_specs(const Hyperparameters& sizes);
WeightSpec head_spec(const Hyperparameters& sizes);

/// Bytes of all tensors of a file.
std::uint64_t weight_bytes(const Hyperparameters& sizes);

/// Keys, or values, of all positions and layers, as float32: one of the two tensors of a KV memory.
WeightSpec key_value_spec(const Hyperparameters& sizes, const std::string& name);

}  // namespace tidemark::loaders::ggml
