// What is packed in a numpy archive is unpacked, as far as its bytes allow.
#include "collector/weights/unpacked_arrays.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

using namespace tidemark;
using tidemark::tests::TemporaryFolder;

namespace {

std::string bytes_of_data(const std::string& name) {
  std::ifstream in(std::string(TIDEMARK_TEST_DATA) + "/weights/" + name, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::optional<weights::UnpackedArrays> unpack(
    const std::string& content, std::uint64_t max_bytes = weights::UnpackedArrays::kMaxBytes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("packed.npz");
  std::ofstream(path, std::ios::binary) << content;
  return weights::unpack_arrays(open_regular_file(path), content.size(), max_bytes);
}

}  // namespace

TEST_CASE("the arrays of a compressed archive are there once unpacked", "[weights]") {
  const auto arrays = unpack(bytes_of_data("packed_arrays.npz"));

  REQUIRE(arrays);
  REQUIRE(arrays->tensors.size() == 2);
  CHECK(arrays->tensors[0].name == "b");
  CHECK(arrays->tensors[0].type == "i64");
  CHECK(arrays->tensors[1].name == "w");
  CHECK(arrays->tensors[1].shape == std::vector<std::uint64_t>{5, 6});
  const std::uint64_t begin = arrays->tensors[1].begin;
  CHECK(begin == 128 + 7 * 8 + 128);
  CHECK(arrays->tensors[1].bytes == 30 * sizeof(float));
  CHECK(arrays->size == begin + arrays->tensors[1].bytes);
  std::array<float, 3> last{};
  REQUIRE(::pread(arrays->file.number(), last.data(), sizeof last,
                  static_cast<off_t>(begin + 27 * sizeof(float))) == sizeof last);
  CHECK(last == std::array<float, 3>{27, 28, 29});
}

TEST_CASE("an archive that packs nothing is read as it is", "[weights]") {
  CHECK_FALSE(unpack(bytes_of_data("arrays.npz")));
  CHECK_FALSE(unpack("no archive at all"));
}

TEST_CASE("as much is unpacked as there is room for", "[weights]") {
  constexpr std::uint64_t kRoom = 16;
  const auto arrays = unpack(bytes_of_data("packed_arrays.npz"), kRoom);
  REQUIRE(arrays);
  CHECK(arrays->tensors.size() < 2);
}

TEST_CASE("a damaged archive is unpacked as far as it goes", "[weights]") {
  const std::string whole = bytes_of_data("packed_arrays.npz");
  const auto intact = unpack(whole);
  REQUIRE(intact);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(~damaged[at]);
    const auto arrays = unpack(damaged);
    CAPTURE(at);
    CHECK((!arrays || arrays->size <= weights::UnpackedArrays::kMaxBytes));
    for (const auto& tensor : arrays ? arrays->tensors : decltype(arrays->tensors){})
      CHECK(tensor.begin + tensor.bytes <= arrays->size);
  }
}
