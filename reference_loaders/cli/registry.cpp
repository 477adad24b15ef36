#include "reference_loaders/cli/registry.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/system.hpp"
#ifdef TIDEMARK_ALL_SYSTEMS  // not for the demo, which is built quickly
#include "reference_loaders/burn/system.hpp"
#include "reference_loaders/ggml/system.hpp"
#include "reference_loaders/nntrainer/system.hpp"
#include "reference_loaders/strategies/system.hpp"
#ifdef TIDEMARK_EXECUTORCH  // Vulkan was there when this was built
#include "reference_loaders/executorch/system.hpp"
#endif
#endif

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::loaders {
namespace {

template <typename Named>
const Named& find(const std::vector<Named>& all, std::string_view name, const std::string& kind) {
  const auto found = std::ranges::find(all, name, &Named::name);
  if (found != all.end()) {
    return *found;
  }
  std::string names;
  for (const Named& one : all) {
    names += (names.empty() ? "" : ", ") + one.name;
  }
  throw UsageError(fmt::format("there is no {} '{}'; there is: {}", kind, name, names));
}

}  // namespace

const std::vector<System>& systems() {
  static const std::vector<System> all = {
      tvm::make_system(),
#ifdef TIDEMARK_ALL_SYSTEMS
      burn::make_system(),       ggml::make_system(), nntrainer::make_system(),
#ifdef TIDEMARK_EXECUTORCH
      executorch::make_system(),
#endif
      strategies::make_system(),
#endif
  };
  return all;
}

const System& find_system(std::string_view name) {
  return find(systems(), name, "system");
}

const Model& find_model(const System& system, std::string_view name) {
  return find(system.models, name, "model of " + system.name);
}

const Variant& find_variant(const System& system, std::string_view name) {
  return find(system.variants, name, "variant of " + system.name);
}

}  // namespace tidemark::loaders
