#include "reference_loaders/executorch/load_rules.hpp"

#include <set>

namespace tidemark::loaders::executorch {

std::vector<std::size_t> prepack_order(const DelegateGraph& graph, bool caches_packed) {
  std::vector<std::size_t> order;
  std::set<std::size_t> packed;
  for (const OperatorCall& call : graph.chain) {
    for (const std::int32_t arg : call.args) {
      const auto value = static_cast<std::size_t>(arg);
      if (!graph.values[value].is_constant()) {
        continue;
      }
      if (packed.insert(value).second || !caches_packed) {
        order.push_back(value);
      }
    }
  }
  return order;
}

std::uint64_t constant_bytes(const DelegateGraph& graph) {
  std::uint64_t bytes = 0;
  for (const GraphTensor& value : graph.values) {
    bytes += value.is_constant() ? value.bytes() : 0;
  }
  return bytes;
}

}  // namespace tidemark::loaders::executorch
