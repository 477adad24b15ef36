#include "reference_loaders/executorch/ptd.hpp"

#include "reference_loaders/bad_input.hpp"
#include "tests/reference_loaders/executorch/tiny_model.hpp"
#include "tests/reference_loaders/little_memory.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstring>

#include <flat_tensor_generated.h>

using namespace tidemark::loaders;
using namespace tidemark::loaders::executorch;
using test::tensors_in;
using test::tiny_ptd;
using test::with_u64;

namespace {

std::uint64_t u64_at(const std::string& bytes, std::size_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Either refused as bad input, or tensors that lie in the file.
bool file_is_refused_or_harmless(const std::string& bytes) {
  try {
    return std::ranges::all_of(tensors_in(bytes), [&](const PtdTensor& tensor) {
      return tensor.offset <= bytes.size() && tensor.bytes <= bytes.size() - tensor.offset;
    });
  } catch (const BadInput&) {
    return true;
  } catch (const std::exception&) {
    return false;  // std::bad_alloc: something was believed
  }
}

/// A file whose flatbuffer is `builder`'s, finished, with `segment_bytes` zeros as segments.
std::string file_around(const flatbuffers::FlatBufferBuilder& builder, std::size_t segment_bytes) {
  const std::string table(reinterpret_cast<const char*>(builder.GetBufferPointer()),
                          builder.GetSize());
  std::string file = tiny_ptd().substr(0, 56) + table.substr(8);
  std::uint32_t root = 0;
  std::memcpy(&root, table.data(), sizeof root);
  root += 48;
  std::memcpy(file.data(), &root, sizeof root);
  file = with_u64(file, 24, table.size());
  file = with_u64(file, 32, file.size());
  file = with_u64(file, 40, segment_bytes);
  return file + std::string(segment_bytes, '\0');
}

/// A file with one tensor of these properties, in one segment of `segment_bytes`.
std::string with_tensor(std::int8_t scalar_type,
                        const std::vector<std::int32_t>& sizes,
                        const std::vector<std::uint8_t>& order,
                        std::size_t segment_bytes) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector segments = {flat_tensor::CreateDataSegment(builder, 0, segment_bytes)};
  const auto layout = flat_tensor::CreateTensorLayoutDirect(builder, scalar_type, &sizes, &order);
  const std::vector named = {flat_tensor::CreateNamedDataDirect(builder, "a", 0, layout)};
  flat_tensor::FinishFlatTensorBuffer(
      builder, flat_tensor::CreateFlatTensorDirect(builder, 0, &segments, &named));
  return file_around(builder, segment_bytes);
}

/// A file of so many keys that all end at the same byte: each begins, with its length, four bytes
/// into the one before it.
std::string with_nested_keys(std::uint32_t count) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<std::uint32_t> words(count + 1);  // the last one is the zero at the end of all keys
  for (std::uint32_t at = 0; at < count; ++at) {
    words[at] = 4 * (count - 1 - at);
  }
  const auto nested = builder.CreateVector(words);
  const std::vector segments = {flat_tensor::CreateDataSegment(builder, 0, 4)};
  const std::vector<std::int32_t> sizes = {1};
  const std::vector<std::uint8_t> order = {0};
  const auto layout =
      flat_tensor::CreateTensorLayoutDirect(builder, kFloat32Scalar, &sizes, &order);
  std::vector<flatbuffers::Offset<flat_tensor::NamedData>> named;
  for (std::uint32_t at = 0; at < count; ++at) {
    // Offsets of a builder are distances from the end of what it makes.
    const flatbuffers::Offset<flatbuffers::String> key(nested.o - 4 * (at + 1));
    named.push_back(flat_tensor::CreateNamedData(builder, key, 0, layout));
  }
  flat_tensor::FinishFlatTensorBuffer(
      builder, flat_tensor::CreateFlatTensorDirect(builder, 0, &segments, &named));
  return file_around(builder, 4);
}

}  // namespace

TEST_CASE("a .ptd file has the header that ExecuTorch writes", "[executorch][ptd]") {
  const std::string file = tiny_ptd();

  CHECK(file.substr(4, 8) == "FT01FH01");
  CHECK(u64_at(file, 12) % (std::uint64_t{1} << 32) == 40);
  CHECK(u64_at(file, 16) == 48);
  CHECK(u64_at(file, 32) % 128 == 0);
  CHECK(u64_at(file, 32) + u64_at(file, 40) == file.size());
  CHECK(u64_at(file, 40) == 128 + 3 * sizeof(float));  // the last tensor is not padded
}

TEST_CASE("tensors of a .ptd file are found where they are", "[executorch][ptd]") {
  const std::string file = tiny_ptd();
  const auto tensors = tensors_in(file);

  REQUIRE(tensors.size() == 2);
  CHECK(tensors[0].key == "a");
  CHECK(tensors[0].sizes == std::vector<std::int64_t>{2});
  CHECK(tensors[1].sizes == std::vector<std::int64_t>{1, 3});
  CHECK(tensors[1].offset % 128 == 0);
  CHECK(tensors[1].offset + tensors[1].bytes == file.size());
}

TEST_CASE("a .ptd file cut off anywhere is refused", "[executorch][ptd][robustness]") {
  const std::string whole = tiny_ptd();
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    CAPTURE(kept);
    CHECK_THROWS_AS(tensors_in(whole.substr(0, kept)), BadInput);
  }
}

TEST_CASE("any flipped bit of a .ptd file is refused or harmless, in little memory",
          "[executorch][ptd][robustness]") {
  CHECK(test::holds_in_little_memory([] {
    std::string file = tiny_ptd();
    for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
      const auto mask = static_cast<char>(1U << bit % 8);
      file[bit / 8] = static_cast<char>(file[bit / 8] ^ mask);
      if (!file_is_refused_or_harmless(file)) {
        return false;
      }
      file[bit / 8] = static_cast<char>(file[bit / 8] ^ mask);
    }
    return true;
  }));
}

TEST_CASE("sizes in the header that the file does not have are refused", "[executorch][ptd]") {
  const std::uint64_t huge = ~std::uint64_t{0};
  for (const std::size_t field : {16U, 24U, 32U, 40U}) {
    CAPTURE(field);
    CHECK_THROWS_AS(tensors_in(with_u64(tiny_ptd(), field, huge)), BadInput);
    CHECK_THROWS_AS(tensors_in(with_u64(tiny_ptd(), field, tiny_ptd().size() + 1)), BadInput);
  }
}

TEST_CASE("a tensor that is not what its layout says is refused", "[executorch][ptd]") {
  CHECK(tensors_in(with_tensor(kFloat32Scalar, {2, 3}, {0, 1}, 24)).size() == 1);
  CHECK_THROWS_AS(tensors_in(with_tensor(kFloat32Scalar, {2, 3}, {1, 0}, 24)), BadInput);
  CHECK_THROWS_AS(tensors_in(with_tensor(kFloat32Scalar, {2, 3}, {0}, 24)), BadInput);
  CHECK_THROWS_AS(tensors_in(with_tensor(kFloat32Scalar, {2, 3}, {0, 1}, 20)), BadInput);
  CHECK_THROWS_AS(tensors_in(with_tensor(kFloat32Scalar, {-2, -3}, {0, 1}, 24)), BadInput);
  CHECK_THROWS_AS(tensors_in(with_tensor(99, {2, 3}, {0, 1}, 24)), BadInput);
  const std::vector<std::int32_t> huge(16, 1 << 30);
  CHECK_THROWS_AS(tensors_in(with_tensor(kFloat32Scalar, huge, {}, 24)), BadInput);
}

TEST_CASE("keys that lie on the same bytes cannot ask for more memory than the file",
          "[executorch][ptd]") {
  CHECK_THROWS_WITH(tensors_in(with_nested_keys(300)), Catch::Contains("on top of each other"));
}

TEST_CASE("a key that appears twice is refused", "[executorch][ptd]") {
  std::vector<PtdTensor> tensors(2);
  tensors[0].key = "a";
  tensors[1].key = "a";
  std::string file = lay_out_ptd(&tensors);
  file.resize(tensors[1].offset + tensors[1].bytes);

  CHECK_THROWS_WITH(tensors_in(file), Catch::Contains("'a' appears twice"));
}
