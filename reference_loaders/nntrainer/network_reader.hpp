#pragma once

#include "reference_loaders/nntrainer/ini.hpp"
#include "reference_loaders/nntrainer/network.hpp"

#include <string>

namespace tidemark::loaders::nntrainer {

/// The network that a description means. Layers run in the order of their sections; their shapes
/// follow from the input's.
/// @throws BadInput with `source` and the offset of the section or value that is wrong.
Network read_network(const Ini& ini, const std::string& source);

}  // namespace tidemark::loaders::nntrainer
