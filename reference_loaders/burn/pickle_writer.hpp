#pragma once

#include "reference_loaders/burn/resnet.hpp"
#include "reference_loaders/burn/state_dict.hpp"

#include <string>
#include <vector>

namespace tidemark::loaders::burn {

/// The pickle that `torch.save` writes for a state_dict, byte for byte: an OrderedDict of tensors,
/// with an OrderedDict `_metadata` of the modules' versions as its attribute.
std::string state_dict_pickle(const StateDict& tensors, const std::vector<ModuleSpec>& modules);

/// The tensors of `spec`, each with a contiguous storage of its own, keyed "0", "1" ...
StateDict state_dict_of(const ModelSpec& spec);

}  // namespace tidemark::loaders::burn
