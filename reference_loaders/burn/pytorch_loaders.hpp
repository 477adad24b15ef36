#pragma once

#include "reference_loaders/burn/checkpoint.hpp"
#include "reference_loaders/burn/record.hpp"

namespace tidemark::loaders::burn {

/// burn's loader of `.pt` files before pull request 1751. Peak: 56 bytes for every slot of the
/// vectors of nodes. @throws BadInput
Module load_nested(Checkpoint& checkpoint);

/// With pull request 1751: typed vectors. @throws BadInput
Module load_typed(Checkpoint& checkpoint);

/// With pull request 1944: bytes. Peak W + 2w. @throws BadInput
Module load_bytes(Checkpoint& checkpoint);

/// With pull request 3741: each tensor is read when the module takes it. Peak W + w.
/// @throws BadInput
Module load_lazy(Checkpoint& checkpoint);

}  // namespace tidemark::loaders::burn
