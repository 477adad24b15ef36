#include "reference_loaders/burn/pytorch_loaders.hpp"

#include "reference_loaders/burn/nested_tree.hpp"
#include "reference_loaders/burn/resnet.hpp"
#include "reference_loaders/burn/serde.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <tidemark/marks.h>

namespace tidemark::loaders::burn {
namespace {

/// candle's `Tensor`: the whole file is in these before burn sees the first.
struct CandleTensor {
  StoredTensor info;
  Buffer data;
};

std::vector<CandleTensor> read_candle_tensors(Checkpoint& checkpoint) {
  const Phase phase("read tensors");
  std::vector<CandleTensor> tensors;
  tensors.reserve(checkpoint.tensors().size());
  for (const StoredTensor& info : checkpoint.tensors()) {
    tensors.push_back({info, checkpoint.read(info)});
  }
  return tensors;
}

/// A Rust `Vec` of exactly the elements that lie in `bytes`.
template <typename T>
GrowingVec<T> to_vec(std::span<const std::byte> bytes) {
  const std::size_t count = bytes.size() / sizeof(T);
  auto values = GrowingVec<T>::with_capacity(count);
  if (T* first = values.extend(count); count > 0) {
    std::memcpy(first, bytes.data(), bytes.size());
  }
  return values;
}

/// Element by element into the type of the record's precision, which is that of the file here:
/// burn would make float32 of halves and int32 of int64, and no loader would give the same checksum
/// as another.
template <typename T>
GrowingVec<T> convert(GrowingVec<T> values) {
  const GrowingVec<T> own = std::move(values);  // freed on return; a parameter lives on after it
  auto converted = GrowingVec<T>::with_capacity(own.size());
  for (const T value : own) {
    converted.push(value);
  }
  return converted;
}

template <typename Form>
NestedValue serialize(std::span<const std::byte> bytes, Dtype dtype) {
  return with_carrier(
      dtype, [&]<typename T>(T) { return Form::template serialize<T>(convert(to_vec<T>(bytes))); });
}

template <typename Vec, typename Values>
NestedValue nested_vec(const Values& values) {
  Vec vec;
  for (const auto value : values) {
    vec.push({static_cast<std::uint64_t>(value)});
  }
  return {std::move(vec)};
}

/// burn's `Param {id, param: {value, shape}}`. The type is a field of later versions; here it
/// spares the module that would know it.
template <typename Form>
NestedValue param_of(const CandleTensor& tensor, std::uint64_t number) {
  NestedMap data;
  data.insert("value", serialize<Form>(tensor.data.bytes(), tensor.info.dtype));
  data.insert("shape", nested_vec<NestedValue::Vec>(tensor.info.shape));
  data.insert("dtype", {static_cast<std::uint8_t>(tensor.info.dtype)});
  NestedMap param;
  param.insert("id", {nested_string(fmt::format("00000000-0000-4000-8000-{:012x}", number))});
  param.insert("param", {std::move(data)});
  return {std::move(param)};
}

bool is_param(NestedMap& map) {
  NestedValue* id = map.find("id");
  return id != nullptr && id->get<NestedString>() != nullptr;
}

/// First pass: every tensor becomes part of one tree, and is dropped when it is.
template <typename Form>
void unflatten(std::vector<CandleTensor> tensors, NestedTree& tree) {
  const Phase phase("unflatten");
  std::uint64_t number = 0;
  for (CandleTensor& tensor : tensors) {
    const CandleTensor own = std::move(tensor);
    tree.insert(own.info.name, param_of<Form>(own, number++));
  }
}

/// The way of a linear layer's weight through burn's adapter for PyTorch: into a tensor,
/// transposed, into a record again, and out of it once more.
template <typename Form>
void transpose_linear(RecordItem& item) {
  const Phase phase("transpose linear");
  const auto rows = static_cast<std::size_t>(item.shape[0]);
  const auto columns = static_cast<std::size_t>(item.shape[1]);
  Module tensor;
  {
    std::vector<RecordItem> alone;
    alone.push_back(std::move(item));
    tensor = from_items(std::move(alone));
  }
  ModuleTensor& weight = tensor.front();
  Buffer transposed = Buffer::of(weight.data.bytes().size());
  transpose(weight.data.bytes(), transposed.bytes(), rows, columns, traits(weight.dtype).bytes);
  weight.data = Buffer();
  NestedValue again = serialize<Form>(transposed.bytes(), weight.dtype);
  transposed = Buffer();
  item = {.name = std::move(weight.name),
          .dtype = weight.dtype,
          .shape = {weight.shape[1], weight.shape[0]},
          .elements = Form::deserialize(std::move(again), weight.dtype)};
}

template <typename Form>
RecordItem item_of(const std::string& name, NestedMap& param) {
  auto& data = std::get<NestedMap>(param.find("param")->content);
  RecordItem item{.name = name,
                  .dtype = static_cast<Dtype>(*data.find("dtype")->get<std::uint8_t>())};
  for (NestedValue& dimension : *data.find("shape")->get<NestedValue::Vec>()) {
    item.shape.push_back(static_cast<std::int64_t>(*dimension.get<std::uint64_t>()));
  }
  item.elements = Form::deserialize(std::move(*data.find("value")), item.dtype);
  if (is_linear_weight(item.name, item.shape)) {
    transpose_linear<Form>(item);
  }
  return item;
}

/// Second pass: the tree becomes items, one param after the other.
template <typename Form>
std::vector<RecordItem> deserialize(NestedTree& tree, std::size_t count) {
  const Phase phase("deserialize");
  std::vector<RecordItem> items;
  items.reserve(count);
  tree.take_leaves([&](const std::string& name, NestedValue leaf) {
    items.push_back(item_of<Form>(name, std::get<NestedMap>(leaf.content)));
  });
  return items;
}

template <typename Form>
Module load_eagerly(Checkpoint& checkpoint) {
  const std::size_t count = checkpoint.tensors().size();
  std::vector<RecordItem> items;
  {
    const std::string source = checkpoint.name();
    NestedTree tree(source, is_param, count);
    unflatten<Form>(read_candle_tensors(checkpoint), tree);
    items = deserialize<Form>(tree, count);
  }
  return from_items(std::move(items));
}

ModuleTensor apply(const StoredTensor& info, const Buffer& bytes) {
  ModuleTensor tensor{info.name, info.dtype, info.shape, Buffer::of(bytes.bytes().size())};
  if (is_linear_weight(info.name, info.shape)) {
    transpose(bytes.bytes(), tensor.data.bytes(), static_cast<std::size_t>(info.shape[0]),
              static_cast<std::size_t>(info.shape[1]), traits(info.dtype).bytes);
    std::swap(tensor.shape[0], tensor.shape[1]);
  } else {
    std::ranges::copy(bytes.bytes(), tensor.data.bytes().begin());
  }
  return tensor;
}

}  // namespace

Module load_nested(Checkpoint& checkpoint) {
  return load_eagerly<NodeForm>(checkpoint);
}

Module load_typed(Checkpoint& checkpoint) {
  return load_eagerly<TypedForm>(checkpoint);
}

Module load_bytes(Checkpoint& checkpoint) {
  return load_eagerly<ByteForm>(checkpoint);
}

Module load_lazy(Checkpoint& checkpoint) {
  const Phase phase("apply");
  Module module;
  module.reserve(checkpoint.tensors().size());
  for (const StoredTensor& info : checkpoint.tensors()) {
    module.push_back(apply(info, checkpoint.read(info)));
  }
  return module;
}

}  // namespace tidemark::loaders::burn
