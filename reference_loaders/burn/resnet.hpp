#pragma once

#include "reference_loaders/burn/dtype.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::loaders::burn {

struct TensorSpec {
  std::string name;
  Dtype dtype = Dtype::kFloat32;
  std::vector<std::int64_t> shape = {};

  [[nodiscard]] std::uint64_t elements() const { return element_count(shape).value(); }
  [[nodiscard]] std::uint64_t bytes() const { return elements() * traits(dtype).bytes; }
};

/// A module and the version of its state, as `_metadata` of a state_dict lists them.
struct ModuleSpec {
  std::string name;
  std::uint8_t version = 1;
};

/// The content of a state_dict, in its order.
struct ModelSpec {
  std::vector<TensorSpec> tensors = {};
  std::vector<ModuleSpec> modules = {};

  [[nodiscard]] std::uint64_t bytes() const;
};

/// The ResNets of torchvision (torchvision/models/resnet.py), names and shapes as in their
/// checkpoints. ResNet-152: 932 tensors, 60,344,387 elements.
ModelSpec resnet18();
ModelSpec resnet50();
ModelSpec resnet152();

/// Whether a tensor is the weight of a linear layer, which PyTorch keeps as [out, in] and burn as
/// [in, out]. burn knows it from the module that it loads into; here the name and shape must do,
/// and an embedding would be taken for one.
bool is_linear_weight(const std::string& name, const std::vector<std::int64_t>& shape);

}  // namespace tidemark::loaders::burn
