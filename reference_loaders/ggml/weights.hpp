#pragma once

#include "reference_loaders/ggml/context.hpp"
#include "reference_loaders/ggml/gpt2_shape.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tidemark::loaders::ggml {

/// Named tensors in one context that is sized for them to the byte.
class TensorSet {
 public:
  /// Allocates the context; the tensors are not initialised. @throws std::bad_alloc
  explicit TensorSet(const std::vector<WeightSpec>& specs);

  /// The same tensors with headers alone: `address_of` says where each would be.
  using AddressOf = std::function<std::uintptr_t(Tensor&)>;
  TensorSet(const std::vector<WeightSpec>& specs, const AddressOf& address_of);

  /// @throws std::out_of_range
  [[nodiscard]] Tensor* at(const std::string& name) const { return tensors_.at(name); }
  /// Null when there is none.
  [[nodiscard]] Tensor* find(const std::string& name) const;

  [[nodiscard]] std::uint64_t context_bytes() const { return context_.size(); }

 private:
  TensorSet(const std::vector<WeightSpec>& specs, Context context);

  Context context_;
  std::map<std::string, Tensor*> tensors_;
};

/// Keys and values of the positions seen so far, of one text.
struct KeyValues {
  Tensor* keys = nullptr;
  Tensor* values = nullptr;
};
std::vector<WeightSpec> key_value_specs(const Hyperparameters& sizes);
KeyValues key_values_in(const TensorSet& set);

/// Whether the KV memory is two more tensors of the model, as before cursors had their own.
enum class KeyValuesAre { kInTheModel, kSeparate };

/// Weights, head and, where it is so, KV memory.
std::vector<WeightSpec> model_specs(const Hyperparameters& sizes, KeyValuesAre where);

/// A model with headers alone, at addresses that no buffer of a measurement reaches: enough to
/// build and measure graphs.
TensorSet weightless_model(const Hyperparameters& sizes);

}  // namespace tidemark::loaders::ggml
