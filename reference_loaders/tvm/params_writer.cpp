#include "reference_loaders/tvm/params_writer.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/complete_file.hpp"
#include "reference_loaders/random_weights.hpp"
#include "reference_loaders/size.hpp"
#include "reference_loaders/tvm/params_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace tidemark::loaders::tvm {
namespace {

constexpr std::uint64_t kMatrices = 24;
constexpr std::uint64_t kColumns = 1024;
constexpr std::size_t kChunkFloats = std::size_t{64} * 1024;
static_assert(kChunkFloats % RandomWeights::kLanes == 0, "chunks must join into one row");

template <typename T>
void write_value(Stream& stream, const T& value) {
  stream.write(&value, sizeof value);
}

void write_names(Stream& stream, const std::vector<std::string>& names) {
  write_value(stream, kListMagic);
  write_value(stream, std::uint64_t{0});
  write_value(stream, std::uint64_t{names.size()});
  for (const std::string& name : names) {
    write_value(stream, std::uint64_t{name.size()});
    stream.write(name.data(), name.size());
  }
  write_value(stream, std::uint64_t{names.size()});
}

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

}  // namespace

void write_params(Stream& stream, const Params& params) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : params) {
    names.push_back(name);
  }
  write_names(stream, names);
  for (const auto& [name, tensor] : params) {
    write_ndarray_head(stream, tensor.shape(), tensor.dtype());
    stream.write(tensor.data().data(), tensor.data().size());
  }
}

std::vector<TensorSpec> model_of(std::uint64_t weight_bytes) {
  constexpr std::uint64_t kRowBytes = kColumns * sizeof(float);
  if (weight_bytes < kMatrices * kRowBytes || weight_bytes % sizeof(float) != 0) {
    throw UsageError(
        fmt::format("a TVM model of {} bytes cannot be made: give a multiple of 4, at least {}",
                    weight_bytes, format_size(kMatrices * kRowBytes)));
  }
  const std::uint64_t rows = weight_bytes / kRowBytes;
  std::vector<TensorSpec> model;
  for (std::uint64_t index = 0; index < kMatrices; ++index) {
    const std::uint64_t own = rows / kMatrices + (index < rows % kMatrices ? 1 : 0);
    model.push_back({fmt::format("const_{}", index),
                     {static_cast<std::int64_t>(own), static_cast<std::int64_t>(kColumns)}});
  }
  if (const std::uint64_t rest = weight_bytes % kRowBytes / sizeof(float); rest > 0) {
    model.push_back({fmt::format("const_{}", kMatrices), {static_cast<std::int64_t>(rest)}});
  }
  return model;
}

std::uint64_t params_file_bytes(const std::vector<TensorSpec>& model) {
  constexpr std::uint64_t kListHeadBytes = 32;  // magic, reserved and the two counts
  std::uint64_t bytes = kListHeadBytes;
  for (const TensorSpec& tensor : model) {
    bytes += kNameHeadBytes + tensor.name.size() + kNDArrayHeadBytes;
    bytes += tensor.shape.size() * sizeof(std::int64_t);
    bytes += tensor_bytes(tensor.shape, kFloat32).value();
  }
  return bytes;
}

void write_random_params(Stream& stream, const std::vector<TensorSpec>& model, std::uint64_t seed) {
  std::vector<std::string> names;
  names.reserve(model.size());
  for (const TensorSpec& tensor : model) {
    names.push_back(tensor.name);
  }
  write_names(stream, names);
  for (std::uint64_t index = 0; index < model.size(); ++index) {
    const auto& shape = model[index].shape;
    write_ndarray_head(stream, shape, kFloat32);
    write_random_payload(stream, tensor_bytes(shape, kFloat32).value(), {seed, index});
  }
}

void write_random_params_file(const std::filesystem::path& file,
                              const std::vector<TensorSpec>& model,
                              std::uint64_t seed) {
  CompleteFile target(file);
  SimpleBinaryFileStream stream(target.incomplete(), SimpleBinaryFileStream::Mode::kWrite);
  write_random_params(stream, model, seed);
  stream.close();
  target.commit();
}

}  // namespace tidemark::loaders::tvm
