#include "reference_loaders/tvm/tensor_cache.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/loaders.hpp"
#include "reference_loaders/tvm/tensor_cache_writer.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/reference_loaders/tvm/tiny_files.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

using namespace tidemark::loaders;
using namespace tidemark::loaders::tvm;

namespace {

constexpr const char* kIndex = R"({"records": [
  {"dataPath": "s0.bin", "format": "raw-shard", "nbytes": 11, "records": [
    {"name": "a", "shape": [2], "dtype": "float32", "format": "raw", "nbytes": 8, "byteOffset": 0},
    {"name": "bc", "shape": [1, 3], "dtype": "int8", "format": "raw", "nbytes": 3, "byteOffset": 8}]},
  {"dataPath": "s1.bin", "format": "raw-shard", "nbytes": 4, "records": [
    {"name": "d", "shape": [2], "dtype": "float32", "format": "f32-to-bf16", "nbytes": 4,
     "byteOffset": 0}]}]})";

std::string with(const std::string& from, const std::string& to) {
  std::string index = kIndex;
  const auto at = index.find(from);
  REQUIRE(at != std::string::npos);
  return index.replace(at, from.size(), to);
}

/// A folder with an index and its two shards.
class TinyCache {
 public:
  explicit TinyCache(const std::string& index = kIndex) {
    test::write_file(file(), index);
    test::write_file(directory_.file("s0.bin"), test::from_hex("0000803f 000000c0 010203"));
    test::write_file(directory_.file("s1.bin"), test::from_hex("803f 00c0"));
  }

  [[nodiscard]] std::filesystem::path file() const { return directory_.file("tensor-cache.json"); }
  [[nodiscard]] std::filesystem::path shard(const std::string& name) const {
    return directory_.file(name);
  }

 private:
  test::TemporaryFolder directory_;
};

std::vector<float> floats(const NDArray& tensor) {
  std::vector<float> values(tensor.data().size() / sizeof(float));
  std::memcpy(values.data(), tensor.data().data(), tensor.data().size());
  return values;
}

CacheShard a_shard(std::uint64_t bytes) {
  return {.file = {},
          .bytes = bytes,
          .records = {{"t", {static_cast<std::int64_t>(bytes)}, {0, 8, 1}, kRawTensor, bytes, 0}}};
}

bool cache_index_is_refused_or_harmless(const std::string& index) {
  try {
    std::uint64_t tensors = 0;
    std::uint64_t shards = 0;
    for (const CacheShard& shard : parse_cache_index(index, "index")) {
      shards += shard.bytes;
      for (const CacheRecord& record : shard.records) {
        tensors += record.bytes;
      }
    }
    return tensors <= shards;
  } catch (const BadInput&) {
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

TEST_CASE("a tensor cache written by hand is loaded, bfloat16 as float32", "[tvm]") {
  const TinyCache cache;

  const Params params = load_shards(cache.file()).params;

  REQUIRE(params.size() == 3);
  CHECK(floats(params.at("a")) == std::vector{1.0F, -2.0F});
  CHECK(params.at("bc").data()[2] == std::byte{3});
  CHECK(floats(params.at("d")) == std::vector{1.0F, -2.0F});
}

TEST_CASE("an index that was read is written so that it reads the same", "[tvm]") {
  const CacheIndex index = parse_cache_index(kIndex, "index");

  CHECK(parse_cache_index(cache_index_json(index), "index") == index);
}

TEST_CASE("tensors are put into shards by the rule of TVM's tools", "[tvm]") {
  constexpr std::int64_t kMiB = (1 << 20) / sizeof(float);
  const std::vector<TensorSpec> model = {{"a", {10 * kMiB}}, {"b", {10 * kMiB}}, {"c", {16 * kMiB}},
                                         {"d", {11 * kMiB}}, {"e", {12 * kMiB}}, {"f", {1 * kMiB}}};

  std::ostringstream shards;
  for (const CacheShard& shard : cache_index_of(model)) {
    shards << shard.file << ":";
    for (const CacheRecord& record : shard.records) {
      shards << " " << record.name << "@" << (record.offset >> 20);
    }
    shards << "\n";
  }

  // c does not fit and is half the cap: a shard of its own, first. d and e do not fit with a and b.
  CHECK(shards.str() ==
        "params_shard_0.bin: c@0\n"
        "params_shard_1.bin: a@0 b@10 d@20\n"
        "params_shard_2.bin: e@0 f@12\n");
}

TEST_CASE("a made tensor cache has the announced size, all files together", "[tvm]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("model.json");
  const auto model = model_of(80'000'000);

  write_random_cache(file, model, 1);

  std::uint64_t bytes = 0;
  const auto files = cache_files(file);
  for (const auto& one : files) {
    bytes += std::filesystem::file_size(one);
  }
  CHECK(files.size() == 4);
  CHECK(bytes == cache_bytes(model));
}

TEST_CASE("shards of another model are not replaced, one's own are", "[tvm]") {
  const test::TemporaryFolder directory;
  const auto model = model_of(1'000'000);
  write_random_cache(directory.file("one.json"), model, 1);

  CHECK_THROWS_WITH(write_random_cache(directory.file("other.json"), model, 1),
                    Catch::Contains("a folder holds one tensor cache"));
  CHECK_NOTHROW(write_random_cache(directory.file("one.json"), model, 2));
  CHECK_FALSE(std::filesystem::exists(directory.file("other.json")));
}

TEST_CASE("a cache that cannot be finished leaves no shards behind", "[tvm]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("model.json");
  std::filesystem::create_directory(file + ".incomplete");  // the index cannot be written

  CHECK_THROWS(write_random_cache(file, model_of(1'000'000), 1));

  CHECK_FALSE(std::filesystem::exists(directory.file("params_shard_0.bin")));
}

TEST_CASE("what the loader takes beside the tensors is known from the index", "[tvm]") {
  SECTION("the largest shard, where it comes first") {
    CHECK(bytes_beside_tensors({a_shard(100), a_shard(60), a_shard(100)}) == 100);
  }
  SECTION("twice the first, where a later one is a little larger") {
    CHECK(bytes_beside_tensors({a_shard(100), a_shard(101), a_shard(100)}) == 200);
  }
  SECTION("and both strings for a moment, where that is most") {
    CHECK(bytes_beside_tensors({a_shard(100), a_shard(101)}) == 200);
    CHECK(bytes_beside_tensors({a_shard(100), a_shard(300), a_shard(0)}) == 300);
    CHECK(bytes_beside_tensors({a_shard(300), {.file = {}, .bytes = 301, .records = {}}}) == 900);
  }
  SECTION("three times what is encoded, for bfloat16") {
    CacheShard shard = a_shard(100);
    shard.records[0].dtype = kFloat32;
    shard.records[0].format = kFloatsAsBfloat;
    CHECK(bytes_beside_tensors({shard}) == 400);
  }
}

TEST_CASE("each wrong field of an index is named by its path", "[tvm][robustness]") {
  struct Wrong {
    const char* from;
    const char* to;
    const char* says;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {"{\"records\"", "[\"records\"", "offset 11: not a tensor cache's index"},
      {"\"records\": [\n", "\"recards\": [\n", "the index: there is no list of 'records'"},
      {"s0.bin", "", "records[0]: '' is not the name of a file"},
      {"s0.bin", "..", "records[0]: '..' is not the name of a file"},
      {"s0.bin", "../s0.bin", "records[0]: '../s0.bin' is not the name of a file"},
      {"s0.bin", "s\\u0000.bin", "records[0]: 's?.bin' is not the name of a file"},
      {"s1.bin", "s0.bin", "records[1]: the file 's0.bin' appears twice"},
      {"raw-shard", "zip", "records[0]: only the format 'raw-shard' can be loaded"},
      {"\"nbytes\": 11", "\"nbytes\": -1", "records[0]: there is no 'nbytes' that is a number"},
      {"\"nbytes\": 11", "\"nbytes\": 10", "records[0].records[1]: tensor 'bc' ends outside"},
      {"\"name\": \"a\"", "\"name\": 1",
       "records[0].records[0]: there is no 'name' that is a text"},
      {"\"bc\"", "\"a\"", "records[0].records[1]: the tensor 'a' appears twice"},
      {"int8", "int08", "'int08' is no element type"},
      {"[1, 3]", "[1, -3]", "a dimension is no number"},
      {"[1, 3]", "[1, 4]", "tensor 'bc' says 3 bytes, but its shape and type make 4"},
      {"[1, 3]", "[4294967296, 4294967296]", "make more than 64 bits can count"},
      {"[1, 3]", "3", "there is no 'shape'"},
      {"[1, 3]", "[1E999]", "a number in the JSON is too large"},
      {"\"byteOffset\": 8", "\"byteOffset\": 9", "tensor 'bc' ends outside of its shard of 11"},
      {"\"byteOffset\": 8", "\"byteOffset\": 18446744073709551615", "ends outside"},
  }));
  CAPTURE(wrong.from, wrong.to);

  CHECK_THROWS_WITH(parse_cache_index(with(wrong.from, wrong.to), "tensor-cache.json"),
                    Catch::StartsWith("tensor-cache.json") && Catch::Contains(wrong.says));
}

TEST_CASE("tensors that share the bytes of a shard are refused", "[tvm][robustness]") {
  // Else a small shard could be loaded a million times.
  const std::string index =
      with("\"int8\", \"format\": \"raw\", \"nbytes\": 3, \"byteOffset\": 8",
           "\"int32\", \"format\": \"raw\", \"nbytes\": 12, \"byteOffset\": 0");
  CHECK_THROWS_WITH(parse_cache_index(index, "index"), Catch::Contains("ends outside"));
  const std::string shared =
      with("[1, 3], \"dtype\": \"int8\", \"format\": \"raw\", \"nbytes\": 3, \"byteOffset\": 8",
           "[8], \"dtype\": \"int8\", \"format\": \"raw\", \"nbytes\": 8, \"byteOffset\": 0");
  CHECK_THROWS_WITH(parse_cache_index(shared, "index"),
                    Catch::Contains("take more than the 11 bytes of their shard"));
}

TEST_CASE("no damage crashes the index's parser or makes it allocate", "[tvm][robustness]") {
  CHECK(test::survives_damage(kIndex, cache_index_is_refused_or_harmless));
}

TEST_CASE("an index cut off anywhere is refused", "[tvm][robustness]") {
  const std::string whole = kIndex;
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    CAPTURE(kept);
    CHECK_THROWS_AS(parse_cache_index(whole.substr(0, kept), "index"), BadInput);
  }
}

TEST_CASE("a shard of another size, or none, is refused by its own name", "[tvm][robustness]") {
  const TinyCache cache;
  test::write_file(cache.shard("s1.bin"), "123");
  CHECK_THROWS_WITH(load_shards(cache.file()),
                    Catch::Contains("s1.bin: has 3 bytes, but the index says 4"));

  std::filesystem::remove(cache.shard("s1.bin"));
  CHECK_THROWS_WITH(load_shards(cache.file()), Catch::Contains("s1.bin: No such file"));
}

TEST_CASE("element types have the names that they are read by", "[tvm]") {
  for (const char* const name : {"float32", "float16", "uint32", "int8", "int8x4", "bfloat16"}) {
    CAPTURE(name);
    REQUIRE(dtype_named(name).has_value());
    CHECK(dtype_named(name)->name() == name);
  }
  for (const char* const name :
       {"", "float", "float032", "float32x", "float32x1", "float32 ", "int300", "handle64", "x8"}) {
    CAPTURE(name);
    CHECK_FALSE(dtype_named(name).has_value());
  }
}
