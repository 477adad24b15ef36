#include "analyzer/load/model_bytes.hpp"

#include "analyzer/text/shown_text.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <system_error>

namespace tidemark::analyzer {
namespace {

constexpr std::uint64_t kSmallestModelFile = std::uint64_t{1} << 20U;
constexpr std::uint64_t kShardFraction = 16;

constexpr std::array<std::string_view, 24> kWeightExtensions{
    ".params",  ".ro",       ".bin", ".pt",     ".pth", ".ckpt",    ".safetensors", ".gguf",
    ".ggml",    ".onnx",     ".pte", ".ptd",    ".mpk", ".npz",     ".npy",         ".h5",
    ".msgpack", ".burnpack", ".bpk", ".tflite", ".pb",  ".weights", ".model",       ".tmodel"};

std::uint64_t counted_bytes(const FileUse& file) {
  return file.size == 0 ? file.bytes_read
                        : std::min(file.size, file.bytes_read + file.bytes_mapped);
}

bool is_candidate(const FileUse& file) {
  const std::uint64_t taken = std::max(file.bytes_read, file.bytes_mapped);
  return !file.executable && taken >= kSmallestModelFile && taken >= file.size / 2;
}

bool is_taken_in_part(const FileUse& file) {
  return !file.executable && file.used() && file.size >= kSmallestModelFile &&
         has_weight_extension(file.path) && !is_candidate(file);
}

std::vector<std::size_t> candidates(std::span<const FileUse> files) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (is_candidate(files[i])) {
      found.push_back(i);
    }
  }
  return found;
}

void keep_weights(std::vector<std::size_t>& found, std::span<const FileUse> files) {
  std::uint64_t largest = 0;
  for (const std::size_t i : found) {
    largest = std::max(largest, counted_bytes(files[i]));
  }
  const auto is_small = [&](std::size_t i) {
    return counted_bytes(files[i]) < largest / kShardFraction;
  };
  const auto is_named_so = [files](std::size_t i) { return has_weight_extension(files[i].path); };
  // A tokenizer named `.model` beside weights without an ending does not make them no weights.
  if (std::ranges::any_of(found, [&](std::size_t i) { return is_named_so(i) && !is_small(i); })) {
    std::erase_if(found, [&](std::size_t i) { return !is_named_so(i); });
  } else {
    std::erase_if(found, is_small);
  }
}

}  // namespace

bool has_weight_extension(std::string_view path) {
  return std::ranges::any_of(kWeightExtensions,
                             [path](std::string_view ending) { return path.ends_with(ending); });
}

ModelBytes find_model_bytes(std::span<const FileUse> files) {
  ModelBytes model;
  model.files = candidates(files);
  keep_weights(model.files, files);
  for (const std::size_t i : model.files) {
    model.bytes += counted_bytes(files[i]);
  }
  model.source = model.files.empty() ? ModelSource::kUnknown : ModelSource::kFiles;
  return model;
}

std::string partly_read_sentence(std::span<const FileUse> files) {
  const FileUse* largest = nullptr;
  for (const FileUse& file : files) {
    if (is_taken_in_part(file) && (largest == nullptr || file.size > largest->size)) {
      largest = &file;
    }
  }
  if (largest == nullptr) {
    return {};
  }
  const FileUse& file = *largest;
  const std::uint64_t taken = std::max(file.bytes_read, file.bytes_mapped);
  const double percent =
      std::floor(100 * static_cast<double>(taken) / static_cast<double>(file.size));
  return fmt::format(
      "{} was {} to {} % only, so it is not taken for the model; --model {} says that it is",
      file.path.substr(file.path.find_last_of('/') + 1),
      file.bytes_read >= file.bytes_mapped ? "read" : "mapped",
      percent < 1 ? "less than 1" : fmt::format("{:.0f}", percent), file.path);
}

Result<ModelBytes> given_model_bytes(const std::string& text, std::span<const FileUse> files) {
  if (const auto size = parse_size(text); size.ok()) {
    return ModelBytes{.bytes = size.value(), .source = ModelSource::kGiven, .files = {}};
  }
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(text, error).lexically_normal().string();
  // Paths of a trace are as they are shown; of what was asked for it is not known.
  const std::string shown = shown_text(text);
  const std::string shown_absolute = shown_text(absolute);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const FileUse& file = files[i];
    if (file.size > 0 && (file.path == shown || file.path == shown_absolute)) {
      return ModelBytes{.bytes = file.size, .source = ModelSource::kGiven, .files = {i}};
    }
  }
  const std::uintmax_t bytes = std::filesystem::file_size(text, error);
  if (error) {
    return Error{ErrorCode::kUsage, fmt::format("--model '{}' is neither a size nor a file: {}",
                                                text, error.message())};
  }
  return ModelBytes{.bytes = bytes, .source = ModelSource::kGiven, .files = {}};
}

}  // namespace tidemark::analyzer
