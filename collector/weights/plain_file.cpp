#include "collector/weights/plain_file.hpp"

#include <algorithm>
#include <array>

namespace tidemark::weights {
namespace {

constexpr std::array<std::string_view, 14> kPlainContents{
    "gguf", "ggml", "safetensors", "torch", "tflite", "onnx",  "executorch",
    "tvm",  "npy",  "npz",         "hdf5",  "pickle", "mxnet", ""};

}  // namespace

bool is_plain(std::string_view content) {
  return std::ranges::find(kPlainContents, content) != kPlainContents.end();
}

std::vector<PlainFile::Floats> floats_of(std::span<const trace::Tensor> tensors,
                                         std::uint64_t file_bytes) {
  if (tensors.empty())
    return {{0, file_bytes}};
  std::vector<PlainFile::Floats> floats;
  for (const trace::Tensor& tensor : tensors) {
    if (tensor.type == "f32" && tensor.bytes == tensor.elements * sizeof(float))
      floats.push_back({tensor.begin, tensor.bytes});
  }
  return floats;
}

std::set<std::uint64_t> shifts_of(std::span<const trace::Tensor> tensors) {
  constexpr std::uint64_t kBytesOfWord = 4;
  if (tensors.empty())
    return {0, 1, 2, 3};
  std::set<std::uint64_t> shifts;
  for (const trace::Tensor& tensor : tensors)
    shifts.insert(tensor.begin % kBytesOfWord);
  return shifts;
}

}  // namespace tidemark::weights
