#include "reference_loaders/tvm/ndarray_writer.hpp"

#include "reference_loaders/tvm/field_writer.hpp"
#include "reference_loaders/tvm/params_format.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tidemark::loaders::tvm {
namespace {

constexpr std::size_t kChunkFloats = std::size_t{64} * 1024;
static_assert(kChunkFloats % RandomWeights::kLanes == 0, "chunks must join into one row");

void write_ndarray_head(Stream& stream, std::span<const std::int64_t> shape, DataType dtype) {
  write_value(stream, kNDArrayMagic);
  write_value(stream, std::uint64_t{0});
  write_value(stream, kDeviceCpu);
  write_value(stream, std::int32_t{0});
  write_value(stream, static_cast<std::int32_t>(shape.size()));
  write_value(stream, dtype);
  stream.write(shape.data(), shape.size_bytes());
  write_value(stream, tensor_bytes(shape, dtype).value());
}

}  // namespace

void write_ndarray(Stream& stream, const NDArray& tensor) {
  write_ndarray_head(stream, tensor.shape(), tensor.dtype());
  stream.write(tensor.data().data(), tensor.data().size());
}

void write_random_ndarray(Stream& stream, const TensorSpec& tensor, const RandomWeights& weights) {
  write_ndarray_head(stream, tensor.shape, kFloat32);
  write_random_payload(stream, tensor.bytes(), weights);
}

void write_random_payload(Stream& stream, std::uint64_t bytes, RandomWeights weights) {
  std::vector<float> chunk(kChunkFloats);
  for (std::uint64_t left = bytes / sizeof(float); left > 0;) {
    const auto count = std::min<std::uint64_t>(left, chunk.size());
    const std::span<float> piece(chunk.data(), count);
    weights.fill(piece);
    stream.write(piece.data(), piece.size_bytes());
    left -= count;
  }
}

std::uint64_t ndarray_file_bytes(const TensorSpec& tensor) {
  return kNDArrayHeadBytes + tensor.shape.size() * sizeof(std::int64_t) + tensor.bytes();
}

}  // namespace tidemark::loaders::tvm
