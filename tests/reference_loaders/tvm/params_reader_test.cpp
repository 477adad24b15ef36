#include "reference_loaders/tvm/params_reader.hpp"

#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/tvm/loaders.hpp"
#include "tests/reference_loaders/model_files.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <new>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tidemark::loaders;
using namespace tidemark::loaders::tvm;
using test::tiny_params_file;
namespace tiny = test::tiny;

namespace {

Params read(std::string bytes) {
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
bool is_refused_or_harmless(const std::string& bytes) {
  try {
    return bytes_in(read(bytes)) <= bytes.size();
  } catch (const BadInput&) {
    return true;
  } catch (const std::exception&) {
    return false;  // std::bad_alloc, std::length_error: something was believed
  }
}

/// Room for small things only, so that an allocation for a made-up length fails.
void limit_address_space() {
  constexpr rlim_t kRoom = rlim_t{64} << 20;
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t limit = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kRoom;
  const rlimit both{limit, limit};
  setrlimit(RLIMIT_AS, &both);
}

/// True when every variant of the tiny file is refused or harmless in a process with little memory.
template <typename ForEachVariant>
bool holds_in_little_memory(const ForEachVariant& for_each_variant) {
  const pid_t child = fork();
  if (child == 0) {
    limit_address_space();
    bool holds = true;
    try {
      for_each_variant([&](const std::string& bytes) { holds &= is_refused_or_harmless(bytes); });
    } catch (const std::exception&) {
      holds = false;
    }
    _exit(holds ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status == 0;
}

}  // namespace

TEST_CASE("a params file written by hand is read", "[tvm]") {
  const Params params = read(tiny_params_file());

  REQUIRE(params.size() == 2);
  CHECK(params.at("a").dtype().name() == "float32");
  CHECK(params.at("a").shape()[0] == 2);
  CHECK(params.at("bc").dtype().name() == "int8");
  CHECK(params.at("bc").shape()[1] == 3);
  CHECK(params.at("bc").data()[2] == std::byte{3});
}

TEST_CASE("a file cut off anywhere is refused by both loaders", "[tvm][robustness]") {
  const test::TempDirectory directory;
  const auto file = directory.file("cut.params");
  for (std::size_t kept = 0; kept < tiny_params_file().size(); ++kept) {
    CAPTURE(kept);
    test::write_file(file, tiny_params_file().substr(0, kept));

    CHECK_THROWS_AS(load_blob(file), BadInput);
    CHECK_THROWS_AS(load_stream(file), BadInput);
  }
}

TEST_CASE("no flipped bit crashes the reader or makes it allocate", "[tvm][robustness]") {
  CHECK(holds_in_little_memory([](const auto& check) {
    for (std::size_t bit = 0; bit < tiny_params_file().size() * 8; ++bit) {
      std::string flipped = tiny_params_file();
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      check(flipped);
    }
  }));
}

TEST_CASE("no number in place of another makes the reader allocate", "[tvm][robustness]") {
  CHECK(holds_in_little_memory([](const auto& check) {
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 34, std::uint64_t{1} << 61,
          std::uint64_t{1} << 62, ~std::uint64_t{0} >> 1, std::uint64_t{1} << 63,
          ~std::uint64_t{0}}) {
      for (std::size_t offset = 0; offset + 8 <= tiny_params_file().size(); ++offset) {
        check(test::with_u64(tiny_params_file(), offset, value));
      }
    }
  }));
}

TEST_CASE("the check above would notice a length that is believed", "[tvm][robustness]") {
  CHECK_FALSE(holds_in_little_memory(
      [](const auto& check) { check(std::string(std::size_t{1} << 34, '\0')); }));
}

TEST_CASE("each wrong field is named with its offset", "[tvm][robustness]") {
  struct Wrong {
    std::size_t offset;
    std::uint64_t value;
    const char* says;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {0, 1, "offset 0: not a TVM params file"},
      {tiny::kNameCount, 3, "offset 16: 3 tensors are announced"},
      {tiny::kNameCount, 1, "offset 33: 2 tensors follow 1 names"},
      {tiny::kFirstNameLength, 1000, "offset 24: a name of 1000 bytes"},
      {tiny::kTensorCount, 1, "offset 43: 1 tensors follow 2 names"},
      {tiny::kFirstTensor, 1, "offset 51: not a tensor"},
      {tiny::kDeviceType, 2, "offset 67: tensor 'a' is on device type 2"},
      {tiny::kDeviceType, 0x100000001, "offset 71: tensor 'a' is on CPU 1"},
      {tiny::kNdim, 0x0001200200000bb8, "tensor 'a' has 3000 dimensions"},
      {tiny::kNdim, 0x00012002ffffffff, "offset 75: tensor 'a' has -1 dimensions"},
      {tiny::kShape, 3, "offset 91: tensor 'a' says 8 bytes, but its shape and type make 12"},
      {tiny::kShape, ~std::uint64_t{0}, "tensor 'a' has a negative dimension"},
      {tiny::kShape, std::uint64_t{1} << 62, "more bytes than 64 bits can count"},
      {tiny::kByteCount, 9, "offset 91: tensor 'a' says 9 bytes"},
  }));
  CAPTURE(wrong.offset, wrong.value);

  CHECK_THROWS_WITH(read(test::with_u64(tiny_params_file(), wrong.offset, wrong.value)),
                    Catch::Contains(wrong.says));
}

TEST_CASE("a tensor that points past the end is refused before it is allocated", "[tvm]") {
  constexpr std::uint64_t kFloats = std::uint64_t{1} << 40;
  std::string bytes = test::with_u64(tiny_params_file(), tiny::kShape, kFloats);
  bytes = test::with_u64(bytes, tiny::kByteCount, kFloats * 4);

  CHECK_THROWS_WITH(read(bytes), Catch::Contains("tensor 'a' needs 4398046511104 bytes"));
}

TEST_CASE("unknown element types are refused", "[tvm]") {
  const std::string dtype = GENERATE("03400100", "07080100", "02000100", "02200000");
  std::string bytes = tiny_params_file();
  bytes.replace(tiny::kDtype, 4, test::from_hex(dtype));

  CHECK_THROWS_WITH(read(bytes), Catch::Contains("unknown element type"));
}

TEST_CASE("a name that appears twice is refused", "[tvm]") {
  // "a" and "bc" become "a" and "a": one byte less.
  std::string bytes = tiny_params_file();
  bytes.replace(33, 10, test::from_hex("0100000000000000 61"));

  CHECK_THROWS_WITH(read(bytes), Catch::Contains("'a' appears twice"));
}

TEST_CASE("bytes after the last tensor are refused", "[tvm]") {
  CHECK_THROWS_WITH(read(tiny_params_file() + "xy"), Catch::Contains("2 bytes follow"));
}

TEST_CASE("a hostile name is shown short and printable", "[tvm]") {
  std::string bytes = tiny_params_file();
  bytes[32] = '\x1b';
  bytes[tiny::kFirstTensor] = 0;

  CHECK_THROWS_WITH(read(bytes), !Catch::Contains("\x1b"));
  CHECK(printable(std::string(1000, 'n')).size() < 80);
}
