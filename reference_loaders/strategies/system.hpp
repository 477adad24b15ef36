#pragma once

#include "reference_loaders/system.hpp"

namespace tidemark::loaders::strategies {

/// The common ways to get a file of weights into memory, over GGUF and safetensors.
System make_system();

}  // namespace tidemark::loaders::strategies
