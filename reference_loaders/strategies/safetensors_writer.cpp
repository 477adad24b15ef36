#include "reference_loaders/strategies/safetensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace tidemark::loaders::strategies {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump();
}

std::string metadata_json(const WeightsIndex& index) {
  std::string json;
  for (const MetadataEntry& entry : index.metadata) {
    json += fmt::format("{}{}:{}", json.empty() ? "" : ",", quoted(entry.key), quoted(entry.raw));
  }
  return json;
}

std::string tensor_json(const TensorEntry& tensor, std::uint64_t begin) {
  return fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                     quoted(tensor.name), tensor.type->safetensors, fmt::join(tensor.shape, ","),
                     begin, begin + tensor.bytes);
}

}  // namespace

std::string lay_out_safetensors(WeightsIndex& index) {
  constexpr std::uint64_t kAlignment = 8;
  std::string json = "{";
  if (!index.metadata.empty()) {
    json += fmt::format(R"("__metadata__":{{{}}})", metadata_json(index));
  }
  std::uint64_t end = 0;
  for (TensorEntry& tensor : index.tensors) {
    tensor.bytes = tensor_bytes(tensor.shape, *tensor.type).value();
    tensor.offset = end;
    json += (json.size() == 1 ? "" : ",") + tensor_json(tensor, end);
    end += tensor.bytes;
  }
  json += "}";
  json.resize(align_up(json.size(), kAlignment), ' ');

  const std::uint64_t size = json.size();
  index.data_begin = sizeof size + size;
  index.data_end = index.data_begin + end;
  for (TensorEntry& tensor : index.tensors) {
    tensor.offset += index.data_begin;
  }
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + json;
}

}  // namespace tidemark::loaders::strategies
