#pragma once

#include "reference_loaders/system.hpp"

namespace tidemark::loaders::nntrainer {

/// nntrainer: one iteration of ResNet-18 with too little memory for it, issue 789.
System make_system();

}  // namespace tidemark::loaders::nntrainer
