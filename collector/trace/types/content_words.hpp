/// The words for file contents (listed in FORMAT.md), in groups that decide whether a file may be a
/// model; and the file name endings of weights.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace tidemark::trace {

constexpr auto kWeightContents = std::to_array<std::string_view>(
    {"gguf", "ggml", "safetensors", "torch", "tflite", "onnx", "executorch", "tvm", "mxnet",
     "xgboost", "lightgbm", "catboost", "fasttext", "nnue", "keras"});
/// Arrays of any meaning; `bundle`: an archive that mostly is files of weights.
constexpr auto kArrayContents =
    std::to_array<std::string_view>({"hdf5", "npy", "npz", "pickle", "rds", "java_objects", "mat",
                                     "asdf", "blosc2", "vectors", "svm", "bundle"});
constexpr auto kForeignContents = std::to_array<std::string_view>(
    {"program", "runtime", "font", "database", "table", "media", "disk"});
/// May hold anything, mostly no weights or arrays.
constexpr std::string_view kArchiveContent = "archive";

constexpr auto kWeightEndings = std::to_array<std::string_view>(
    {".params",   ".ro",        ".bin",         ".pt",      ".pth",        ".ckpt",
     ".gguf",     ".ggml",      ".safetensors", ".onnx",    ".pte",        ".ptd",
     ".mpk",      ".npz",       ".npy",         ".h5",      ".msgpack",    ".burnpack",
     ".bpk",      ".tflite",    ".pb",          ".weights", ".model",      ".tmodel",
     ".keras",    ".onnx_data", ".onnx.data",   ".nnue",    ".caffemodel", ".pdiparams",
     ".pdparams", ".t7",        ".traineddata", ".pt2",     ".tensors",    ".mnn",
     ".mlmodel"});
/// Serialised objects of a language, mostly compressed: models, and anything else.
constexpr auto kObjectEndings = std::to_array<std::string_view>(
    {".rds", ".RData", ".rda", ".pkl", ".pickle", ".joblib", ".sav"});
/// Compressors of one file, which append their ending to its name.
constexpr auto kPackedEndings =
    std::to_array<std::string_view>({".gz", ".zst", ".xz", ".bz2", ".lz4", ".lzma", ".br", ".Z"});
constexpr auto kArchiveEndings = std::to_array<std::string_view>(
    {".tar", ".tgz", ".tbz2", ".txz", ".tzst", ".zip", ".7z", ".rar", ".cpio"});

constexpr bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

constexpr bool ends_with_one_of(std::string_view path, std::span<const std::string_view> endings) {
  return std::ranges::any_of(endings,
                             [path](std::string_view ending) { return path.ends_with(ending); });
}

/// `w.bin` for `w.bin.gz`.
constexpr std::string_view unpacked_name(std::string_view path) {
  return ends_with_one_of(path, kPackedEndings) ? path.substr(0, path.rfind('.')) : path;
}

/// `variables.data-00000-of-00001`, as TensorFlow names the values of a checkpoint.
constexpr bool is_checkpoint_part(std::string_view path) {
  constexpr std::string_view kForm = ".data-00000-of-00001";
  if (path.size() < kForm.size())
    return false;
  path.remove_prefix(path.size() - kForm.size());
  return std::ranges::equal(path, kForm, [](char one, char form) {
    const bool is_digit = form == '0' || form == '1';
    return is_digit ? one >= '0' && one <= '9' : one == form;
  });
}

/// True for .safetensors, .gguf, .pt, .onnx, .params and others, packed or not.
constexpr bool has_weight_ending(std::string_view path) {
  return ends_with_one_of(unpacked_name(path), kWeightEndings) || is_checkpoint_part(path);
}

constexpr bool has_object_ending(std::string_view path) {
  return ends_with_one_of(unpacked_name(path), kObjectEndings);
}

/// True if the name is that of a compressed file or an archive.
constexpr bool has_archive_ending(std::string_view path) {
  return ends_with_one_of(path, kPackedEndings) || ends_with_one_of(path, kArchiveEndings);
}

/// True for contents that may be weights: weights or arrays.
constexpr bool is_computed_with(std::string_view word) {
  return is_one_of(word, kWeightContents) || is_one_of(word, kArrayContents);
}

}  // namespace tidemark::trace
