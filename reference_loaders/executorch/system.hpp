#pragma once

#include "reference_loaders/system.hpp"

namespace tidemark::loaders::executorch {

/// ExecuTorch's Vulkan delegate: weights packed on the device, before and after pull request 13474.
System make_system();

}  // namespace tidemark::loaders::executorch
