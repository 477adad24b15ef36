#include "reference_loaders/executorch/delegate_blob.hpp"

#include <limits>

#include <vk_graph_generated.h>

namespace tidemark::loaders::executorch {
namespace {

constexpr std::uint32_t kHeaderBytes = 30;
constexpr std::uint32_t kPaddedHeaderBytes = 32;
constexpr std::size_t kAlignment = 16;
constexpr std::int8_t kFloat32 = 5;
constexpr std::uint8_t kBufferStorage = 0;
constexpr std::uint8_t kWidthPacked = 0;

using Builder = flatbuffers::FlatBufferBuilder;

flatbuffers::Offset<vk_graph::VkValue> value(Builder* builder, const GraphTensor& tensor) {
  const auto table =
      vk_graph::CreateVkTensorDirect(*builder, kFloat32, &tensor.dims, tensor.constant_id,
                                     tensor.mem_obj_id, kBufferStorage, kWidthPacked);
  return vk_graph::CreateVkValue(*builder, vk_graph::GraphTypes::VkTensor, table.Union());
}

std::string flatbuffer(const DelegateGraph& graph) {
  Builder builder;
  std::vector<flatbuffers::Offset<vk_graph::OperatorCall>> chain;
  std::vector<flatbuffers::Offset<vk_graph::VkValue>> values;
  std::vector<flatbuffers::Offset<vk_graph::VkBytes>> constants;
  for (const OperatorCall& call : graph.chain) {
    chain.push_back(vk_graph::CreateOperatorCallDirect(
        builder, static_cast<std::uint32_t>(chain.size()), call.name.c_str(), &call.args));
  }
  for (const GraphTensor& tensor : graph.values) {
    values.push_back(value(&builder, tensor));
  }
  for (const std::string& key : graph.constants) {
    constants.push_back(vk_graph::CreateVkBytesDirect(
        builder, std::numeric_limits<std::uint64_t>::max(), 0, key.c_str()));
  }
  vk_graph::FinishVkGraphBuffer(
      builder, vk_graph::CreateVkGraphDirect(builder, "0", &chain, &values, &graph.inputs,
                                             &graph.outputs, &constants));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

template <typename T>
void append(std::string* bytes, T value) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

std::string write_delegate(const DelegateGraph& graph) {
  const std::string described = flatbuffer(graph);
  const std::size_t end =
      (kPaddedHeaderBytes + described.size() + kAlignment - 1) / kAlignment * kAlignment;
  std::string blob(4, '\0');
  blob += "VH00";
  append(&blob, static_cast<std::uint16_t>(kHeaderBytes));
  append(&blob, kPaddedHeaderBytes);
  append(&blob, static_cast<std::uint32_t>(described.size()));
  append(&blob, static_cast<std::uint32_t>(end));
  append(&blob, std::uint64_t{0});
  blob.resize(kPaddedHeaderBytes);
  blob += described;
  blob.resize(end);
  return blob;
}

}  // namespace tidemark::loaders::executorch
