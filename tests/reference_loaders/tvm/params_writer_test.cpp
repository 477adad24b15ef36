#include "reference_loaders/tvm/params_writer.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/complete_stream.hpp"
#include "reference_loaders/tvm/params_reader.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace tidemark::loaders;
using namespace tidemark::loaders::tvm;

namespace {

template <typename T>
NDArray an_ndarray(std::vector<std::int64_t> shape, DataType dtype, const std::vector<T>& values) {
  NDArray tensor = NDArray::empty(std::move(shape), dtype);
  REQUIRE(tensor.data().size() == values.size() * sizeof(T));
  std::memcpy(tensor.data().data(), values.data(), tensor.data().size());
  return tensor;
}

std::uint64_t weight_bytes_of(const std::vector<TensorSpec>& model) {
  return std::accumulate(model.begin(), model.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const TensorSpec& tensor) {
                           return sum + tensor_bytes(tensor.shape, kFloat32).value();
                         });
}

}  // namespace

TEST_CASE("a params file is written byte for byte as by hand", "[tvm]") {
  const Params params = {{"a", an_ndarray<float>({2}, kFloat32, {1.0F, -2.0F})},
                         {"bc", an_ndarray<std::int8_t>({1, 3}, {0, 8, 1}, {1, 2, 3})}};
  std::string written;
  MemoryStringStream stream(&written);

  write_params(stream, params);

  CHECK(written == test::tiny_params_file());
}

TEST_CASE("a model's tensors add up to the size asked for, to the byte", "[tvm]") {
  const std::uint64_t bytes = GENERATE(std::uint64_t{98'304}, 98'308, 1'000'000, 536'870'912,
                                       1'073'741'824, 5'000'000'000, 123'456'788);
  CAPTURE(bytes);

  const auto model = model_of(bytes);

  CHECK(weight_bytes_of(model) == bytes);
  CHECK(model.size() >= 24);
  CHECK(model.size() <= 25);
}

TEST_CASE("a size that no model can have is refused", "[tvm]") {
  CHECK_THROWS_AS(model_of(0), UsageError);
  CHECK_THROWS_AS(model_of(98'300), UsageError);
  CHECK_THROWS_AS(model_of(98'305), UsageError);
}

namespace {

void write_made_model(const std::filesystem::path& file,
                      const std::vector<TensorSpec>& model,
                      std::uint64_t seed) {
  write_complete_file(file, [&](Stream& stream) { write_random_params(stream, model, seed); });
}

}  // namespace

TEST_CASE("a made model has the announced size and only depends on its seed", "[tvm]") {
  const test::TemporaryFolder directory;
  const auto model = model_of(1'000'000);

  write_made_model(directory.file("one"), model, 1);
  write_made_model(directory.file("same"), model, 1);
  write_made_model(directory.file("other"), model, 2);

  const std::string one = test::read_file(directory.file("one"));
  CHECK(one.size() == params_file_bytes(model));
  CHECK(one == test::read_file(directory.file("same")));
  CHECK(one != test::read_file(directory.file("other")));
  CHECK_FALSE(std::filesystem::exists(directory.file("one.incomplete")));
}

TEST_CASE("a made model has 64-byte aligned tensors once loaded, and no two alike", "[tvm]") {
  std::string written;
  MemoryStringStream out(&written);
  write_random_params(out, model_of(1'000'000), 1);
  MemoryStringStream in(&written);

  const Params params = read_params(in, "made");

  REQUIRE(params.size() == 25);
  for (const auto& [name, tensor] : params) {
    CHECK(reinterpret_cast<std::uintptr_t>(tensor.data().data()) % 64 == 0);
    const bool is_first = name == "const_0";
    CHECK(is_first == std::ranges::equal(tensor.data(), params.at("const_0").data()));
  }
}

TEST_CASE("a file that cannot be written says so and leaves nothing behind", "[tvm]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("missing/model.params");

  CHECK_THROWS_WITH(write_made_model(file, model_of(1'000'000), 1),
                    Catch::Contains("cannot be written"));
  CHECK_FALSE(std::filesystem::exists(directory.file("missing")));
}

TEST_CASE("a full disk is noticed, not swallowed by a buffer", "[tvm]") {
  SimpleBinaryFileStream full("/dev/full", SimpleBinaryFileStream::Mode::kWrite);
  full.write("x", 1);

  CHECK_THROWS_WITH(full.close(), Catch::Contains("No space left"));
}
