/// W, the model bytes: which files are the weights, and how many bytes of them the program took.
#pragma once

#include "analyzer/load/file_use.hpp"
#include "collector/trace/types/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

enum class ModelSource {
  kUnknown,  ///< No file looks like weights; W is 0.
  kFiles,    ///< Found from file I/O by the rule below.
  kGiven,    ///< Said by --model.
};

struct ModelBytes {
  std::uint64_t bytes = 0;
  ModelSource source = ModelSource::kUnknown;
  std::vector<std::size_t> files;  ///< Indices into the file uses: the files taken.

  [[nodiscard]] bool is_known() const { return bytes > 0; }
};

/// True for the endings weight files have: .safetensors, .gguf, .pt, .onnx, .params and others.
bool has_weight_extension(std::string_view path);

/// The rule:
/// 1. Candidates are non-executable files of which at least 1 MiB and at least half was read, or as
///    much mapped.
/// 2. A file counts with the bytes read plus the bytes mapped, but never with more than its size;
///    when its size is unknown (a pipe), with the bytes read.
/// 3. If a candidate that counts with at least 1/16 of the largest has a weight extension, only
///    those with one are the model. Else every candidate that counts with at least 1/16 of it.
/// W is their sum.
ModelBytes find_model_bytes(std::span<const FileUse> files);

/// `tvm.params was read to 45 % only, so it is not taken for the model; --model /m/tvm.params says
/// that it is`, of the largest file with a weight extension that is at least 1 MiB and was read or
/// mapped, but is no candidate; empty where there is none. For where W is unknown.
std::string partly_read_sentence(std::span<const FileUse> files);

/// What `--model` says: a size, or a file, whose size is taken from the trace if it is in there,
/// else from the disk.
/// @return kUsage when the text is neither.
Result<ModelBytes> given_model_bytes(const std::string& text, std::span<const FileUse> files);

}  // namespace tidemark::analyzer
