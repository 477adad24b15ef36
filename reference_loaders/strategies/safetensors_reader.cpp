#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/strategies/field_reader.hpp"
#include "reference_loaders/strategies/safetensors.hpp"
#include "reference_loaders/strategies/safetensors_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace tidemark::loaders::strategies {
namespace {

using HeaderTensor = SafetensorsHeader::Tensor;

std::string read_json(FieldReader& fields) {
  fields.enter("the size of the header");
  const auto size = fields.value<std::uint64_t>();
  if (size > kMaxSafetensorsHeaderBytes) {
    fields.refuse(fmt::format("a header of {} bytes, more than the {} that safetensors allows",
                              size, kMaxSafetensorsHeaderBytes));
  }
  fields.enter("the header");
  std::string json = fields.bytes(size);
  if (!json.starts_with('{')) {
    fields.refuse("not a safetensors file: the header does not begin with '{'");
  }
  return json;
}

/// @throws BadInput unless the tensor begins at `begin` and is as large as it says.
TensorEntry checked(const HeaderTensor& tensor, std::uint64_t begin, const FieldReader& fields) {
  const std::string part = fmt::format("tensor '{}'", printable(tensor.name));
  const TensorType* const type = find_safetensors_type(tensor.dtype);
  if (type == nullptr) {
    fields.refuse_at(tensor.offset,
                     fmt::format("{} has the unknown dtype '{}'", part, printable(tensor.dtype)));
  }
  if (tensor.begin != begin) {
    fields.refuse_at(tensor.offset,
                     fmt::format("{} begins at {} of the data, but the one before it "
                                 "ends at {}",
                                 part, tensor.begin, begin));
  }
  const auto bytes = tensor_bytes(tensor.shape, *type);
  if (!bytes || tensor.end < begin || tensor.end - begin != *bytes) {
    fields.refuse_at(tensor.offset,
                     fmt::format("{} says {} to {}, which is not the size of its shape and dtype",
                                 part, tensor.begin, tensor.end));
  }
  return {
      .name = tensor.name, .type = type, .shape = tensor.shape, .offset = begin, .bytes = *bytes};
}

}  // namespace

WeightsIndex read_safetensors(ByteSource& source, const std::string& file) {
  FieldReader fields(source, file);
  const std::string json = read_json(fields);
  const std::uint64_t json_begin = fields.position() - json.size();
  SafetensorsHeader header = parse_safetensors_header(json, json_begin, file);
  std::ranges::stable_sort(header.tensors, {}, [](const HeaderTensor& tensor) {
    return std::tuple(tensor.begin, tensor.end);
  });

  const std::uint64_t data_bytes = fields.remaining();
  WeightsIndex index{.metadata = std::move(header.metadata)};
  index.data_begin = fields.position();
  std::uint64_t end = 0;
  for (const HeaderTensor& tensor : header.tensors) {
    index.tensors.push_back(checked(tensor, end, fields));
    end += index.tensors.back().bytes;
    index.tensors.back().offset += index.data_begin;
    if (end > data_bytes) {
      fields.refuse_at(tensor.offset,
                       fmt::format("tensor '{}' needs {} bytes of data, but the file has {}",
                                   printable(tensor.name), end, data_bytes));
    }
  }
  if (end != data_bytes) {
    fields.refuse_at(index.data_begin + end,
                     fmt::format("{} bytes follow the last tensor", data_bytes - end));
  }
  index.data_end = index.data_begin + end;
  return index;
}

}  // namespace tidemark::loaders::strategies
