#pragma once

#include "reference_loaders/system.hpp"

namespace tidemark::loaders::burn {

/// burn: PyTorch checkpoints and NamedMpk records, before and after pull request 1751.
System make_system();

}  // namespace tidemark::loaders::burn
