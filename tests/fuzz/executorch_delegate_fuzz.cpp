// Arbitrary bytes as a blob of the Vulkan delegate. Whatever they are, the reader refuses them, or
// finds a graph that the loader can walk through, and that can be written and read again.
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/executorch/delegate_blob.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

using namespace tidemark::loaders;
using namespace tidemark::loaders::executorch;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void check_graph(const DelegateGraph& graph) {
  for (const GraphTensor& value : graph.values) {
    require(value.bytes() > 0);
    require(value.constant_id >= kNone && value.mem_obj_id >= kNone);
    require(!value.is_constant() ||
            static_cast<std::size_t>(value.constant_id) < graph.constants.size());
  }
  for (const OperatorCall& call : graph.chain) {
    for (const std::int32_t arg : call.args) {
      require(arg >= 0 && static_cast<std::size_t>(arg) < graph.values.size());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto graph = parse_delegate(std::as_bytes(std::span(data, size)), "fuzz");
    check_graph(graph);
    const std::string blob = write_delegate(graph);
    check_graph(parse_delegate(std::as_bytes(std::span(blob)), "fuzz"));
  } catch (const BadInput&) {
    // What most inputs deserve.
  }
  return 0;
}
