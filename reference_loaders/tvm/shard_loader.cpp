#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/binary_file.hpp"
#include "reference_loaders/tvm/loaders.hpp"
#include "reference_loaders/tvm/tensor_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <tidemark/marks.h>

namespace tidemark::loaders::tvm {
namespace {

/// The two vectors beside the tensor are TVM's: three times what is encoded.
void decode_bfloat(const CacheRecord& record, const std::byte* encoded, const NDArray& tensor) {
  std::vector<std::uint16_t> buffer(record.bytes / 2);
  std::vector<std::uint32_t> decoded(record.bytes / 2);
  std::memcpy(buffer.data(), encoded, record.bytes);
  for (std::size_t i = 0; i < buffer.size(); ++i) {
    decoded[i] = std::uint32_t{buffer[i]} << 16;
  }
  std::memcpy(tensor.data().data(), decoded.data(), tensor.data().size());
}

NDArray load_record(const CacheRecord& record, const std::string& shard) {
  NDArray tensor = NDArray::empty(record.shape, record.dtype);
  const auto* const stored = reinterpret_cast<const std::byte*>(shard.data()) + record.offset;
  if (record.bytes == 0) {
    return tensor;
  }
  if (record.is_bfloat()) {
    decode_bfloat(record, stored, tensor);
  } else {
    std::memcpy(tensor.data().data(), stored, record.bytes);
  }
  return tensor;
}

/// The size is checked before anything is read: an index may promise anything.
void read_shard(const std::filesystem::path& file, const CacheShard& shard, std::string* data) {
  const Phase phase("read shard");
  if (const std::uint64_t bytes = model_file_bytes(file); bytes != shard.bytes) {
    throw BadInput(file.string(),
                   fmt::format("has {} bytes, but the index says {}", bytes, shard.bytes));
  }
  load_binary_from_file(file, data);
  if (data->size() != shard.bytes) {
    throw BadInput(file.string(), "changed while it was read");
  }
}

CacheIndex read_index(const std::filesystem::path& file) {
  const Phase phase("read index");
  std::string json;
  load_binary_from_file(file, &json);
  return parse_cache_index(json, file.string());
}

}  // namespace

LoadedCache load_shards(const std::filesystem::path& index_file) {
  const CacheIndex index = read_index(index_file);
  std::string raw_data;  // all shards, one after the other
  LoadedCache cache{{}, bytes_beside_tensors(index), 0};
  for (const CacheShard& shard : index) {
    cache.largest_shard_bytes = std::max(cache.largest_shard_bytes, shard.bytes);
    read_shard(index_file.parent_path() / shard.file, shard, &raw_data);
    const Phase phase("copy tensors");
    for (const CacheRecord& record : shard.records) {
      cache.params.insert_or_assign(record.name, load_record(record, raw_data));
    }
  }
  return cache;
}

}  // namespace tidemark::loaders::tvm
