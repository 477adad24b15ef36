#pragma once

#include "reference_loaders/system.hpp"

#include <string_view>
#include <vector>

namespace tidemark::loaders {

/// Every system, in the order of `list`. To add one, add its `make_system` here.
const std::vector<System>& systems();

/// @throws UsageError that names what there is.
const System& find_system(std::string_view name);
const Model& find_model(const System& system, std::string_view name);
const Variant& find_variant(const System& system, std::string_view name);

}  // namespace tidemark::loaders
