#include "reference_loaders/ggml/weights.hpp"

#include <utility>

namespace tidemark::loaders::ggml {
namespace {

constexpr const char* kKeys = "memory/k";
constexpr const char* kValues = "memory/v";

std::uint64_t sized_for(const std::vector<WeightSpec>& specs, Context::Data data) {
  std::uint64_t bytes = 0;
  for (const WeightSpec& spec : specs) {
    bytes += pool_bytes(data == Context::Data::kInPool ? spec.bytes() : 0);
  }
  return bytes;
}

Context context_for(const std::vector<WeightSpec>& specs, Context::Data data) {
  return {sized_for(specs, data), data};
}

}  // namespace

TensorSet::TensorSet(const std::vector<WeightSpec>& specs)
    : TensorSet(specs, context_for(specs, Context::Data::kInPool)) {}

TensorSet::TensorSet(const std::vector<WeightSpec>& specs, const AddressOf& address_of)
    : TensorSet(specs, context_for(specs, Context::Data::kElsewhere)) {
  for (Tensor* tensor : context_.tensors()) {
    tensor->address = address_of(*tensor);
  }
}

TensorSet::TensorSet(const std::vector<WeightSpec>& specs, Context context)
    : context_(std::move(context)) {
  for (const WeightSpec& spec : specs) {
    Tensor* tensor = context_.new_tensor(spec.type, spec.extents);
    tensor->set_name(spec.name);
    tensors_.emplace(spec.name, tensor);
  }
}

Tensor* TensorSet::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : found->second;
}

std::vector<WeightSpec> key_value_specs(const Hyperparameters& sizes) {
  return {key_value_spec(sizes, kKeys), key_value_spec(sizes, kValues)};
}

KeyValues key_values_in(const TensorSet& set) {
  return {set.at(kKeys), set.at(kValues)};
}

std::vector<WeightSpec> model_specs(const Hyperparameters& sizes, KeyValuesAre where) {
  std::vector<WeightSpec> specs = weight_specs(sizes);
  specs.push_back(head_spec(sizes));
  if (where == KeyValuesAre::kInTheModel) {
    for (WeightSpec& spec : key_value_specs(sizes)) {
      specs.push_back(std::move(spec));
    }
  }
  return specs;
}

TensorSet weightless_model(const Hyperparameters& sizes) {
  constexpr std::uintptr_t kFarAway = std::uintptr_t{1} << 46;
  return {model_specs(sizes, KeyValuesAre::kInTheModel),
          [next = kFarAway](const Tensor& tensor) mutable {
            return std::exchange(next, next + tensor.bytes());
          }};
}

}  // namespace tidemark::loaders::ggml
