#include "reference_loaders/executorch/ptd.hpp"

#include <cstring>
#include <numeric>

#include <flat_tensor_generated.h>

namespace tidemark::loaders::executorch {
namespace {

constexpr std::uint64_t kFlatbufferAlignment = 16;
constexpr std::uint64_t kSegmentAlignment = 128;
constexpr std::uint32_t kHeaderBytes = 40;
constexpr std::uint64_t kPaddedHeaderBytes = 48;
constexpr std::size_t kPrefixBytes = 8;  // root offset and "FT01", in front of the header

std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

std::uint64_t float_bytes(const PtdTensor& tensor) {
  return std::accumulate(tensor.sizes.begin(), tensor.sizes.end(), std::uint64_t{sizeof(float)},
                         [](std::uint64_t product, std::int64_t extent) {
                           return product * static_cast<std::uint64_t>(extent);
                         });
}

/// Offsets from the segment base, for now. @return bytes of all segments
std::uint64_t place(std::vector<PtdTensor>* tensors) {
  std::uint64_t end = 0;
  for (PtdTensor& tensor : *tensors) {
    tensor.scalar_type = kFloat32Scalar;
    tensor.offset = aligned(end, kSegmentAlignment);
    tensor.bytes = float_bytes(tensor);
    end = tensor.offset + tensor.bytes;
  }
  return end;
}

flatbuffers::Offset<flat_tensor::TensorLayout> layout_of(flatbuffers::FlatBufferBuilder* builder,
                                                         const PtdTensor& tensor) {
  const std::vector<std::int32_t> sizes(tensor.sizes.begin(), tensor.sizes.end());
  std::vector<std::uint8_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  return flat_tensor::CreateTensorLayoutDirect(*builder, tensor.scalar_type, &sizes, &order);
}

std::string flatbuffer(const std::vector<PtdTensor>& tensors) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<flat_tensor::DataSegment>> segments;
  std::vector<flatbuffers::Offset<flat_tensor::NamedData>> named;
  for (const PtdTensor& tensor : tensors) {
    named.push_back(flat_tensor::CreateNamedDataDirect(builder, tensor.key.c_str(),
                                                       static_cast<std::uint32_t>(segments.size()),
                                                       layout_of(&builder, tensor)));
    segments.push_back(flat_tensor::CreateDataSegment(builder, tensor.offset, tensor.bytes));
  }
  flat_tensor::FinishFlatTensorBuffer(
      builder, flat_tensor::CreateFlatTensorDirect(builder, 0, &segments, &named));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

template <typename T>
void append(std::string* bytes, T value) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// The header goes behind the flatbuffer's first eight bytes, so its root is that much further on.
void shift_root(std::string* file) {
  std::uint32_t root = 0;
  std::memcpy(&root, file->data(), sizeof root);
  root += static_cast<std::uint32_t>(kPaddedHeaderBytes);
  std::memcpy(file->data(), &root, sizeof root);
}

}  // namespace

std::string lay_out_ptd(std::vector<PtdTensor>* tensors) {
  const std::uint64_t segment_bytes = place(tensors);
  const std::string described = flatbuffer(*tensors);
  const std::uint64_t segment_base = aligned(
      kPaddedHeaderBytes + aligned(described.size(), kFlatbufferAlignment), kSegmentAlignment);
  std::string file = described.substr(0, kPrefixBytes) + "FH01";
  append(&file, kHeaderBytes);
  append(&file, kPaddedHeaderBytes);
  append(&file, std::uint64_t{described.size()});
  append(&file, segment_base);
  append(&file, segment_bytes);
  file.resize(kPrefixBytes + kPaddedHeaderBytes);
  file += described.substr(kPrefixBytes);
  file.resize(segment_base);
  shift_root(&file);
  for (PtdTensor& tensor : *tensors) {
    tensor.offset += segment_base;
  }
  return file;
}

}  // namespace tidemark::loaders::executorch
