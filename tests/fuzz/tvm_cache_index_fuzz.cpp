// Arbitrary bytes as the index of a tensor cache. Whatever they are, the parser refuses them or
// hands out tensors that lie in their shards, and what it understood can be written and read again.
#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/tensor_cache.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace tidemark::loaders;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

/// What the loader relies on when it copies.
void check_shard(const tvm::CacheShard& shard) {
  std::uint64_t taken = 0;
  for (const tvm::CacheRecord& record : shard.records) {
    require(record.offset <= shard.bytes && record.bytes <= shard.bytes - record.offset);
    require(tvm::tensor_bytes(record.shape, record.dtype) == record.tensor_bytes());
    require(record.bytes <= shard.bytes - taken);
    taken += record.bytes;
  }
  require(!shard.file.empty() && shard.file.find('/') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto index =
        tvm::parse_cache_index(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    for (const tvm::CacheShard& shard : index) {
      check_shard(shard);
    }
    require(tvm::parse_cache_index(tvm::cache_index_json(index), "fuzz") == index);
  } catch (const BadInput&) {
    // What most inputs deserve.
  }
  return 0;
}
