#include "reference_loaders/tvm/params_reader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/loaders.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/reference_loaders/tvm/tiny_files.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark::loaders;
using namespace tidemark::loaders::tvm;
using test::tiny_params_file;

namespace {

Params params_in(std::string bytes) {
  MemoryStringStream stream(&bytes);
  return read_params(stream, "model.params");
}

std::uint64_t bytes_in(const Params& params) {
  std::uint64_t bytes = 0;
  for (const auto& [name, tensor] : params) {
    bytes += tensor.data().size();
  }
  return bytes;
}

/// Either refused as bad input, or loaded into no more memory than the file has bytes.
bool params_is_refused_or_harmless(const std::string& bytes) {
  try {
    return bytes_in(params_in(bytes)) <= bytes.size();
  } catch (const BadInput&) {
    return true;
  } catch (const std::exception&) {
    return false;  // std::bad_alloc, std::length_error: something was believed
  }
}

}  // namespace

TEST_CASE("a params file written by hand is read", "[tvm]") {
  const Params params = params_in(tiny_params_file());

  REQUIRE(params.size() == 2);
  CHECK(params.at("a").dtype().name() == "float32");
  CHECK(params.at("a").shape()[0] == 2);
  CHECK(params.at("bc").dtype().name() == "int8");
  CHECK(params.at("bc").shape()[1] == 3);
  CHECK(params.at("bc").data()[2] == std::byte{3});
}

TEST_CASE("a file cut off anywhere is refused by both loaders", "[tvm][robustness]") {
  const test::TemporaryFolder directory;
  const auto file = directory.file("cut.params");
  for (std::size_t kept = 0; kept < tiny_params_file().size(); ++kept) {
    CAPTURE(kept);
    test::write_file(file, tiny_params_file().substr(0, kept));

    CHECK_THROWS_AS(load_blob(file), BadInput);
    CHECK_THROWS_AS(load_stream(file), BadInput);
  }
}

TEST_CASE("no damage crashes the reader or makes it allocate", "[tvm][robustness]") {
  CHECK(test::survives_damage(tiny_params_file(), params_is_refused_or_harmless));
}

TEST_CASE("the check above would notice a length that is believed", "[tvm][robustness]") {
  CHECK_FALSE(test::survives_damage("12345678", [](const std::string& bytes) {
    return bytes == "12345678" || !std::string(std::size_t{1} << 34, '\0').empty();
  }));
}

TEST_CASE("each wrong field is named with its offset", "[tvm][robustness]") {
  struct Wrong {
    std::size_t offset;
    std::uint64_t value;
    const char* says;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {0, 1, "offset 0: not a TVM params file"},
      {test::tiny::kNameCount, 3, "offset 16: 3 tensors are announced"},
      {test::tiny::kNameCount, 1, "offset 33: 2 tensors follow 1 names"},
      {test::tiny::kFirstNameLength, 1000, "offset 24: a name of 1000 bytes"},
      {test::tiny::kTensorCount, 1, "offset 43: 1 tensors follow 2 names"},
      {test::tiny::kFirstTensor, 1, "offset 51: not a tensor"},
      {test::tiny::kDeviceType, 2, "offset 67: tensor 'a' is on device type 2"},
      {test::tiny::kDeviceType, 0x100000001, "offset 71: tensor 'a' is on CPU 1"},
      {test::tiny::kNdim, 0x0001200200000bb8, "tensor 'a' has 3000 dimensions"},
      {test::tiny::kNdim, 0x00012002ffffffff, "offset 75: tensor 'a' has -1 dimensions"},
      {test::tiny::kShape, 3, "offset 91: tensor 'a' says 8 bytes, but its shape and type make 12"},
      {test::tiny::kShape, ~std::uint64_t{0}, "tensor 'a' has a negative dimension"},
      {test::tiny::kShape, std::uint64_t{1} << 62, "more bytes than 64 bits can count"},
      {test::tiny::kByteCount, 9, "offset 91: tensor 'a' says 9 bytes"},
  }));
  CAPTURE(wrong.offset, wrong.value);

  CHECK_THROWS_WITH(params_in(test::with_u64(tiny_params_file(), wrong.offset, wrong.value)),
                    Catch::Contains(wrong.says));
}

TEST_CASE("a tensor that points past the end is refused before it is allocated", "[tvm]") {
  constexpr std::uint64_t kFloats = std::uint64_t{1} << 40;
  std::string bytes = test::with_u64(tiny_params_file(), test::tiny::kShape, kFloats);
  bytes = test::with_u64(bytes, test::tiny::kByteCount, kFloats * 4);

  CHECK_THROWS_WITH(params_in(bytes), Catch::Contains("tensor 'a' needs 4398046511104 bytes"));
}

TEST_CASE("unknown element types are refused", "[tvm]") {
  const std::string dtype = GENERATE("03400100", "07080100", "02000100", "02200000");
  std::string bytes = tiny_params_file();
  bytes.replace(test::tiny::kDtype, 4, test::from_hex(dtype));

  CHECK_THROWS_WITH(params_in(bytes), Catch::Contains("unknown element type"));
}

TEST_CASE("a name that appears twice is refused", "[tvm]") {
  // "a" and "bc" become "a" and "a": one byte less.
  std::string bytes = tiny_params_file();
  bytes.replace(33, 10, test::from_hex("0100000000000000 61"));

  CHECK_THROWS_WITH(params_in(bytes), Catch::Contains("'a' appears twice"));
}

TEST_CASE("bytes after the last tensor are refused", "[tvm]") {
  CHECK_THROWS_WITH(params_in(tiny_params_file() + "xy"), Catch::Contains("2 bytes follow"));
}

TEST_CASE("a hostile name is shown short and printable", "[tvm]") {
  std::string bytes = tiny_params_file();
  bytes[32] = '\x1b';
  bytes[test::tiny::kFirstTensor] = 0;

  CHECK_THROWS_WITH(params_in(bytes), !Catch::Contains("\x1b"));
  CHECK(printable(std::string(1000, 'n')).size() < 80);
}
