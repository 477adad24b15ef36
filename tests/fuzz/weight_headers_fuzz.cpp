// Arbitrary bytes as a file of weights, for every reader in turn. Whatever they are, a reader ends,
// and what it lists lies in the file, in bounded memory.
#include "collector/os/file_descriptor.hpp"
#include "collector/weights/formats/tensor_list.hpp"
#include "collector/weights/tensor_reader.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace tidemark;

/// FORMAT.md's words of the formats that have a reader.
constexpr std::array<std::string_view, 9> kWords{
    "safetensors", "gguf", "ggml", "torch", "npz", "npy", "tvm", "executorch", "onnx"};

void require(bool holds) {
  if (!holds)
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FileDescriptor file(memfd_create("weights", MFD_CLOEXEC));
  require(file.is_open() && write(file.number(), data, size) == static_cast<ssize_t>(size));
  for (const std::string_view word : kWords) {
    const auto tensors = weights::read_tensors(file, size, word);
    require(tensors.size() <= weights::TensorList::kMaxTensors);
    for (const trace::Tensor& tensor : tensors) {
      require(tensor.elements != 0);
      require(tensor.begin <= size && tensor.bytes <= size - tensor.begin);
      require(tensor.name.size() <= weights::TensorList::kMaxNameBytes);
    }
  }
  return 0;
}
