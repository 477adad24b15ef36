#include "tests/reference_loaders/executorch/tiny_model.hpp"

#include "reference_loaders/executorch/delegate_blob.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tidemark::loaders::test {

using namespace executorch;

std::string tiny_ptd() {
  std::vector<PtdTensor> tensors(2);
  tensors[0].key = "a";
  tensors[0].sizes = {2};
  tensors[1].key = "b";
  tensors[1].sizes = {1, 3};
  std::string file = lay_out_ptd(&tensors);
  const std::array<float, 5> values = {1, -2, 3, 4, 5};
  file.append(reinterpret_cast<const char*>(values.data()), 2 * sizeof(float));
  file.resize(tensors[1].offset);
  file.append(reinterpret_cast<const char*>(values.data() + 2), 3 * sizeof(float));
  return file;
}

std::vector<PtdTensor> tensors_in(const std::string& bytes) {
  const auto all = std::as_bytes(std::span(bytes));
  const auto begin = all.first(std::min<std::size_t>(all.size(), kPtdHeaderEnd));
  const PtdHeader header = parse_ptd_header(begin, all.size(), "test.ptd");
  return parse_ptd(all.first(header.flatbuffer_end), header, "test.ptd");
}

DelegateGraph tiny_graph() {
  DelegateGraph graph;
  graph.constants = {"a"};
  graph.values.resize(2);
  graph.values[0].dims = {2, 3};
  graph.values[0].constant_id = 0;
  graph.values[1].dims = {4};
  graph.values[1].mem_obj_id = 7;
  graph.chain.push_back({.name = "aten.linear.default", .args = {0, 1}});
  graph.inputs = {1};
  graph.outputs = {1};
  return graph;
}

DelegateGraph graph_in(const std::string& bytes) {
  return parse_delegate(std::as_bytes(std::span(bytes)), "test");
}

}  // namespace tidemark::loaders::test
