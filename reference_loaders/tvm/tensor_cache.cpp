#include "reference_loaders/tvm/tensor_cache.hpp"

#include "reference_loaders/bad_input.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace tidemark::loaders::tvm {
namespace {

using Json = nlohmann::json;

/// Reads one index. Every part that is refused is named by its path: "records[0].records[2]".
class IndexParser {
 public:
  explicit IndexParser(const std::string& source) : source_(source) {}

  CacheIndex parse(const std::string& text);

 private:
  [[nodiscard]] Json parse_text(const std::string& text) const;
  CacheShard shard(const Json& json, const std::string& path);
  CacheRecord record(const Json& json, const std::string& path);
  void expect_fits(const CacheRecord& record,
                   const CacheShard& shard,
                   const std::string& path) const;

  template <typename T>
  T field(const Json& object, const std::string& path, const char* key) const;
  [[nodiscard]] const Json& list(const Json& object, const std::string& path) const;
  [[noreturn]] void refuse(const std::string& path, const std::string& what) const {
    throw BadInput(source_, path + ": " + what);
  }

  const std::string& source_;
  std::set<std::string> files_;
  std::set<std::string> names_;
};

Json IndexParser::parse_text(const std::string& text) const {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw BadInput(source_, error.byte,
                   "not a tensor cache's index: the JSON ends or is wrong here");
  } catch (const Json::out_of_range&) {  // and it does not say where
    throw BadInput(source_, "not a tensor cache's index: a number in the JSON is too large");
  }
}

template <typename T>
T IndexParser::field(const Json& object, const std::string& path, const char* key) const {
  constexpr bool kIsText = std::is_same_v<T, std::string>;
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() ||
      !(kIsText ? found->is_string() : found->is_number_unsigned())) {
    refuse(path, fmt::format("there is no '{}' that is {}", key,
                             kIsText ? "a text" : "a number from 0 on"));
  }
  return found->template get<T>();
}

const Json& IndexParser::list(const Json& object, const std::string& path) const {
  if (!object.is_object() || !object.contains("records") || !object["records"].is_array()) {
    refuse(path, "there is no list of 'records'");
  }
  return object["records"];
}

CacheIndex IndexParser::parse(const std::string& text) {
  const Json json = parse_text(text);
  CacheIndex index;
  for (const Json& one : list(json, "the index")) {
    index.push_back(shard(one, fmt::format("records[{}]", index.size())));
  }
  return index;
}

CacheShard IndexParser::shard(const Json& json, const std::string& path) {
  CacheShard shard{.file = field<std::string>(json, path, "dataPath"),
                   .bytes = field<std::uint64_t>(json, path, "nbytes"),
                   .records = {}};
  if (field<std::string>(json, path, "format") != kRawShard) {
    refuse(path, fmt::format("only the format '{}' can be loaded", kRawShard));
  }
  const bool is_plain = !shard.file.empty() && shard.file != "." && shard.file != ".." &&
                        shard.file.find_first_of(std::string("/\0", 2)) == std::string::npos;
  if (!is_plain) {
    refuse(path,
           fmt::format("'{}' is not the name of a file beside the index", printable(shard.file)));
  }
  if (!files_.insert(shard.file).second) {
    refuse(path, fmt::format("the file '{}' appears twice", printable(shard.file)));
  }
  std::uint64_t left = shard.bytes;
  for (const Json& one : list(json, path)) {
    const std::string of = fmt::format("{}.records[{}]", path, shard.records.size());
    shard.records.push_back(record(one, of));
    expect_fits(shard.records.back(), shard, of);
    const std::uint64_t taken = shard.records.back().bytes;
    if (taken > left) {
      refuse(of,
             fmt::format("the tensors take more than the {} bytes of their shard", shard.bytes));
    }
    left -= taken;
  }
  return shard;
}

CacheRecord IndexParser::record(const Json& json, const std::string& path) {
  CacheRecord record{.name = field<std::string>(json, path, "name"),
                     .shape = {},
                     .dtype = {},
                     .format = field<std::string>(json, path, "format"),
                     .bytes = field<std::uint64_t>(json, path, "nbytes"),
                     .offset = field<std::uint64_t>(json, path, "byteOffset")};
  const auto name = field<std::string>(json, path, "dtype");
  const auto dtype = dtype_named(name);
  if (!dtype) {
    refuse(path, fmt::format("'{}' is no element type", printable(name)));
  }
  record.dtype = *dtype;
  if (!json.contains("shape") || !json["shape"].is_array()) {
    refuse(path, "there is no 'shape'");
  }
  for (const Json& dimension : json["shape"]) {
    if (!dimension.is_number_unsigned() || dimension.get<std::uint64_t>() >> 63 != 0) {
      refuse(path, "a dimension is no number from 0 on");
    }
    record.shape.push_back(dimension.get<std::int64_t>());
  }
  if (!names_.insert(record.name).second) {
    refuse(path, fmt::format("the tensor '{}' appears twice", printable(record.name)));
  }
  return record;
}

void IndexParser::expect_fits(const CacheRecord& record,
                              const CacheShard& shard,
                              const std::string& path) const {
  const DataType stored = record.is_bfloat() ? DataType{kFloat32.code, 16, 1} : record.dtype;
  const auto expected = tensor_bytes(record.shape, stored);
  if (!expected || *expected != record.bytes) {
    refuse(path, fmt::format("tensor '{}' says {} bytes, but its shape and type make {}",
                             printable(record.name), record.bytes,
                             expected ? fmt::to_string(*expected) : "more than 64 bits can count"));
  }
  if (record.offset > shard.bytes || record.bytes > shard.bytes - record.offset) {
    refuse(path, fmt::format("tensor '{}' ends outside of its shard of {} bytes",
                             printable(record.name), shard.bytes));
  }
}

Json json_of(const CacheRecord& record) {
  return {{"name", record.name},     {"shape", record.shape},  {"dtype", record.dtype.name()},
          {"format", record.format}, {"nbytes", record.bytes}, {"byteOffset", record.offset}};
}

Json json_of(const CacheShard& shard) {
  Json records = Json::array();
  for (const CacheRecord& record : shard.records) {
    records.push_back(json_of(record));
  }
  return {{"dataPath", shard.file},
          {"format", kRawShard},
          {"nbytes", shard.bytes},
          {"records", std::move(records)}};
}

/// Capacity of a libstdc++ string that had `capacity` and is resized to `size`.
std::uint64_t grown(std::uint64_t capacity, std::uint64_t size) {
  return size <= capacity ? capacity : std::max(size, 2 * capacity);
}

}  // namespace

CacheIndex parse_cache_index(const std::string& json, const std::string& source) {
  return IndexParser(source).parse(json);
}

std::string cache_index_json(const CacheIndex& index) {
  Json shards = Json::array();
  std::uint64_t tensors = 0;
  std::uint64_t bytes = 0;
  for (const CacheShard& shard : index) {
    shards.push_back(json_of(shard));
    tensors += shard.records.size();
    bytes += shard.bytes;
  }
  return Json({{"metadata", {{"ParamSize", tensors}, {"ParamBytes", bytes}}},
               {"records", std::move(shards)}})
      .dump(1);
}

std::uint64_t bytes_beside_tensors(const CacheIndex& index) {
  std::uint64_t tensors = 0;
  std::uint64_t string = 0;
  std::uint64_t peak = 0;
  for (const CacheShard& shard : index) {
    const std::uint64_t next = grown(string, shard.bytes);
    peak = std::max(peak, tensors + next + (next > string ? string : 0));
    string = next;
    for (const CacheRecord& record : shard.records) {
      tensors += record.tensor_bytes();
      peak = std::max(peak, tensors + string + (record.is_bfloat() ? 3 * record.bytes : 0));
    }
  }
  return peak - tensors;
}

}  // namespace tidemark::loaders::tvm
