#include "reference_loaders/tvm/tensor_cache_writer.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/complete_stream.hpp"
#include "reference_loaders/tvm/ndarray_writer.hpp"
#include "reference_loaders/tvm/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tidemark::loaders::tvm {
namespace {

class Packer {
 public:
  void add(const TensorSpec& tensor) {
    const std::uint64_t bytes = tensor.bytes();
    CacheRecord record{tensor.name, tensor.shape, kFloat32, kRawTensor, bytes, 0};
    if (open_.bytes + bytes >= kShardCapBytes) {
      if (2 * bytes >= kShardCapBytes) {
        close({.file = {}, .bytes = bytes, .records = {std::move(record)}});
        return;
      }
      close(std::exchange(open_, {}));
    }
    record.offset = open_.bytes;
    open_.bytes += bytes;
    open_.records.push_back(std::move(record));
  }

  CacheIndex finish() {
    close(std::exchange(open_, {}));
    return std::move(index_);
  }

 private:
  void close(CacheShard shard) {
    if (!shard.records.empty()) {
      shard.file = fmt::format("params_shard_{}.bin", index_.size());
      index_.push_back(std::move(shard));
    }
  }

  CacheIndex index_;
  CacheShard open_;
};

/// Shards without an index are useless, so they are removed if the index is not written.
class WrittenShards {
 public:
  WrittenShards() = default;
  WrittenShards(const WrittenShards&) = delete;
  WrittenShards& operator=(const WrittenShards&) = delete;
  ~WrittenShards() {
    for (const auto& file : files_) {
      std::error_code ignored;
      std::filesystem::remove(file, ignored);
    }
  }

  const std::filesystem::path& add(std::filesystem::path file) {
    return files_.emplace_back(std::move(file));
  }
  void keep() { files_.clear(); }

 private:
  std::vector<std::filesystem::path> files_;
};

void require_own_names(const std::filesystem::path& file, const CacheIndex& index) {
  const auto own = cache_files(file);
  for (const CacheShard& shard : index) {
    const auto path = file.parent_path() / shard.file;
    if (std::filesystem::exists(path) && std::ranges::find(own, path) == own.end()) {
      throw UsageError(
          fmt::format("{} is there and not named by {}; a folder holds one tensor cache, so remove "
                      "it or choose another folder",
                      path.string(), file.string()));
    }
  }
}

}  // namespace

CacheIndex cache_index_of(const std::vector<TensorSpec>& model) {
  Packer packer;
  for (const TensorSpec& tensor : model) {
    packer.add(tensor);
  }
  return packer.finish();
}

std::uint64_t cache_bytes(const std::vector<TensorSpec>& model) {
  const CacheIndex index = cache_index_of(model);
  std::uint64_t bytes = cache_index_json(index).size();
  for (const CacheShard& shard : index) {
    bytes += shard.bytes;
  }
  return bytes;
}

void write_random_cache(const std::filesystem::path& file,
                        const std::vector<TensorSpec>& model,
                        std::uint64_t seed) {
  const CacheIndex index = cache_index_of(model);
  require_own_names(file, index);
  // Weights are those of the tensor's place in the model, which a shard of its own does not keep.
  std::map<std::string_view, std::uint64_t> places;
  for (const TensorSpec& tensor : model) {
    places.emplace(tensor.name, places.size());
  }
  std::filesystem::remove(file);  // its shards are about to change
  WrittenShards written;
  for (const CacheShard& shard : index) {
    write_complete_file(written.add(file.parent_path() / shard.file), [&](Stream& stream) {
      for (const CacheRecord& record : shard.records) {
        write_random_payload(stream, record.bytes, {seed, places.at(record.name)});
      }
    });
  }
  const std::string json = cache_index_json(index);
  write_complete_file(file, [&](Stream& stream) { stream.write(json.data(), json.size()); });
  written.keep();
}

std::vector<std::filesystem::path> cache_files(const std::filesystem::path& file) {
  std::vector<std::filesystem::path> files = {file};
  std::ifstream stream(file, std::ios::binary);
  const std::string json{std::istreambuf_iterator<char>(stream), {}};
  try {
    for (const CacheShard& shard : parse_cache_index(json, file.string())) {
      files.push_back(file.parent_path() / shard.file);
    }
  } catch (const BadInput&) {
    // The loader says it better.
  }
  return files;
}

}  // namespace tidemark::loaders::tvm
