#pragma once

#include "reference_loaders/tvm/made_model.hpp"
#include "reference_loaders/tvm/tensor_cache.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tidemark::loaders::tvm {

/// MLC's `shard_cap_mb`.
inline constexpr std::uint64_t kShardCapBytes = std::uint64_t{32} << 20;

/// The index of `model` as TVM's `dump_tensor_cache` lays it out: tensors follow each other until
/// the next would reach the cap; one of half the cap or more that does not fit goes into a shard of
/// its own, before the one that is being filled. Shards are named as MLC does,
/// "params_shard_0.bin".
CacheIndex cache_index_of(const std::vector<TensorSpec>& model);

/// Bytes of the index and all shards that `write_random_cache` writes.
std::uint64_t cache_bytes(const std::vector<TensorSpec>& model);

/// Writes the shards of `model` with seeded random weights beside `file`, one after the other, and
/// then the index to `file`: a model is complete when its index is there.
/// @throws UsageError when a shard's name is taken by what the index at `file` does not name: one
///   folder holds one model.
/// @throws std::system_error when one cannot be written; nothing is left behind then.
void write_random_cache(const std::filesystem::path& file,
                        const std::vector<TensorSpec>& model,
                        std::uint64_t seed);

/// `file` and the shards that it names; `file` alone where it is no index.
std::vector<std::filesystem::path> cache_files(const std::filesystem::path& file);

}  // namespace tidemark::loaders::tvm
