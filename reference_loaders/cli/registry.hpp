#pragma once

#include "reference_loaders/system.hpp"

#include <string>
#include <vector>

namespace tidemark::loaders {

/// Every system, in the order of `list`. To add one, add its `make_system` here.
const std::vector<System>& systems();

/// @throws UsageError that names what there is.
const System& find_system(const std::string& name);
const Model& find_model(const System& system, const std::string& name);
const Variant& find_variant(const System& system, const std::string& name);

}  // namespace tidemark::loaders
