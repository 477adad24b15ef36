#pragma once

#include "reference_loaders/system.hpp"

namespace tidemark::loaders::tvm {

/// Apache TVM: params files, before and after pull request 13877.
System make_system();

}  // namespace tidemark::loaders::tvm
