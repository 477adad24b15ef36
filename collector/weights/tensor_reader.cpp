#include "collector/weights/tensor_reader.hpp"

#include "collector/weights/formats/formats.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::weights {
namespace {

struct Format {
  std::string_view word;
  bool (*read)(const FileDescriptor&, TensorList&);
};

constexpr std::array kFormats{
    Format{"safetensors", read_safetensors},
    Format{"gguf", read_gguf},
    Format{"ggml", read_ggml},
    Format{"torch", read_torch_archive},
    Format{"npz", read_npz},
    Format{"npy", read_npy},
    Format{"tvm", read_tvm_params},
    Format{"executorch", read_ptd},
    Format{"onnx", read_onnx},
};

}  // namespace

std::vector<trace::Tensor> read_tensors(const FileDescriptor& file,
                                        std::uint64_t size,
                                        std::string_view word) {
  for (const Format& format : kFormats) {
    if (format.word == word) {
      TensorList tensors(size);
      return format.read(file, tensors) ? std::move(tensors.all()) : std::vector<trace::Tensor>();
    }
  }
  return {};
}

}  // namespace tidemark::weights
