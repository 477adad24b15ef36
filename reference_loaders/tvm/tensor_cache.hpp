#pragma once

#include "reference_loaders/tvm/ndarray.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// TVM's tensor cache, as MLC ships its models: an index in JSON (`tensor-cache.json`, earlier
/// `ndarray-cache.json`) and, beside it, raw files of about 32 MiB that hold the tensors.
///
///     {"metadata": {...},
///      "records": [{"dataPath": "params_shard_0.bin", "format": "raw-shard", "nbytes": 65536,
///                   "records": [{"name": "w", "shape": [64, 256], "dtype": "float32",
///                                "format": "raw", "nbytes": 65536, "byteOffset": 0}]}]}
///
/// A float32 record of the format "f32-to-bf16" lies in the shard as bfloat16.
namespace tidemark::loaders::tvm {

inline constexpr const char* kRawShard = "raw-shard";
inline constexpr const char* kRawTensor = "raw";
inline constexpr const char* kFloatsAsBfloat = "f32-to-bf16";

struct CacheRecord {
  std::string name;
  std::vector<std::int64_t> shape;
  DataType dtype;
  std::string format;
  std::uint64_t bytes = 0;   ///< In the shard.
  std::uint64_t offset = 0;  ///< From the shard's beginning.

  [[nodiscard]] bool is_bfloat() const { return dtype == kFloat32 && format == kFloatsAsBfloat; }
  /// Bytes of the loaded tensor.
  [[nodiscard]] std::uint64_t tensor_bytes() const { return is_bfloat() ? 2 * bytes : bytes; }

  friend bool operator==(const CacheRecord&, const CacheRecord&) = default;
};

struct CacheShard {
  std::string file;  ///< A plain name, beside the index.
  std::uint64_t bytes = 0;
  std::vector<CacheRecord> records;

  friend bool operator==(const CacheShard&, const CacheShard&) = default;
};

using CacheIndex = std::vector<CacheShard>;

/// Stricter than TVM: a shard lies beside the index and is named once, tensors lie within their
/// shard and take no more of it than there is, and no name appears twice.
/// @param source the index's name, for messages.
/// @throws BadInput with the offset where it is no JSON, else with the path of the field.
CacheIndex parse_cache_index(const std::string& json, const std::string& source);

/// The index as text, with the metadata that MLC's tools show.
std::string cache_index_json(const CacheIndex& index);

/// Most that the loader takes beside the tensors, in bytes, when it takes most in all: the string
/// that holds one shard after the other, and what decoding takes.
///
/// A std::string that has to grow at least doubles. So a shard that is a little larger than all
/// before it leaves a string of twice their size, and for a moment there are both.
std::uint64_t bytes_beside_tensors(const CacheIndex& index);

}  // namespace tidemark::loaders::tvm
