/// One reader for each format. Each adds what it finds to the list, in the order of the header.
/// @return each of them: false if the file does not follow its format.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/weights/formats/tensor_list.hpp"

#include <cstdint>
#include <string_view>

namespace tidemark::weights {

/// huggingface/safetensors, README "Format".
bool read_safetensors(const FileDescriptor& file, TensorList& out);
/// ggml's docs/gguf.md, versions 2 and 3.
bool read_gguf(const FileDescriptor& file, TensorList& out);
/// GPT-2's file in ggml before GGUF (examples/gpt-2/main.cpp): numbers, words, tensors.
bool read_ggml(const FileDescriptor& file, TensorList& out);
/// torch.save since 1.6: a ZIP file with a pickle and the storages
/// (caffe2/serialize/inline_container).
bool read_torch_archive(const FileDescriptor& file, TensorList& out);
/// numpy.savez: a ZIP file of arrays.
bool read_npz(const FileDescriptor& file, TensorList& out);
/// One array (numpy/lib/format.py).
bool read_npy(const FileDescriptor& file, TensorList& out);
/// The same for an array that begins at `at`.
bool read_npy_at(const FileDescriptor& file,
                 std::string_view name,
                 std::uint64_t at,
                 TensorList& out);
/// ExecuTorch's tensors beside a program (extension/flat_tensor).
bool read_ptd(const FileDescriptor& file, TensorList& out);
/// The initializers of a graph whose bytes are in the file itself (onnx/onnx.proto).
bool read_onnx(const FileDescriptor& file, TensorList& out);
/// A list of arrays (src/runtime/file_utils.cc of Apache TVM, SaveParams).
bool read_tvm_params(const FileDescriptor& file, TensorList& out);

}  // namespace tidemark::weights
