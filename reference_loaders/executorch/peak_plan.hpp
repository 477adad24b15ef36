#pragma once

#include "reference_loaders/executorch/load_rules.hpp"

#include <cstdint>

namespace tidemark::loaders::executorch {

/// Bytes on host and device together at the peak of a load by these rules, found by going through
/// its steps with nothing but sizes.
/// @param constants_on_host whether constants are read into memory of their own; otherwise they are
/// mapped, and do not count.
std::uint64_t planned_peak(const DelegateGraph& graph,
                           const LoadRules& rules,
                           bool constants_on_host);

}  // namespace tidemark::loaders::executorch
