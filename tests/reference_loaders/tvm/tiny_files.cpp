#include "tests/reference_loaders/tvm/tiny_files.hpp"

#include "tests/reference_loaders/little_memory.hpp"
#include "tests/reference_loaders/model_files.hpp"

#include <cstdint>

namespace tidemark::loaders::test {
namespace {

/// float32 [2] = {1, -2}
constexpr const char* kTensor = R"(
      3fa1b496f0405edd 0000000000000000
      01000000 00000000 01000000  02 20 0100
      0200000000000000  0800000000000000
      0000803f 000000c0)";

}  // namespace

std::string tiny_executable_file() {
  static const std::string bytes = from_hex(R"(
      5c01000000000000
      1d1514422fde25d2
      0900000000000000 302e31312e64657630
      0100000000000000 01000000 00000000  00000000
      0100000000000000 0400000000000000 6d61696e

      0200000000000000
      00000000 )") + from_hex(kTensor) +
                                   from_hex(R"(
      01000000 0700000000000000 636f6e73745f31
      0200000000000000 0000000000000000 0000000000000000

      0100000000000000 0300000000000000 616464
      0100000000000000 0000000000000000
        0100000000000000 0100000000000000 6b 0100000000000000 76

      0100000000000000
      0300000000000000 0400000000000000 6d61696e 0100000000000000 32 0100000000000000 31
      0100000000000000 0100000000000000 78
      0100000000000000 0000000000000000
      0300000000000000 fb79379e00000000 0100000000000000 0100000000000000)");
  return bytes;
}

std::string tiny_relax_file() {
  static const std::string bytes = from_hex(R"(
      1e1514422fde25d2
      0400000000000000 302e3134

      0100000000000000
      01000000 0400000000000000 6d61696e
      0000000000000000 0100000000000000 0100000000000000 0200000000000000
      0100000000000000 0100000000000000 78

      0100000000000000 0500000000000000 0600000000000000 676c6f62616c

      0600000000000000
      01000000 ffffffffffffffff
      03000000 000000000000e03f
      05000000 02 20 0100
      41000000 0200000000000000 6869
      45000000 0200000000000000 0300000000000000 0400000000000000
      46000000 )") + from_hex(kTensor) +
                                   from_hex(R"(
      0100000000000000 0000000000000000
      0200000000000000 0700000000000000 0800000000000000)");
  return bytes;
}

bool survives_damage(const std::string& file,
                     const std::function<bool(const std::string&)>& survives) {
  return holds_in_little_memory([&] {
    bool holds = true;
    for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
      std::string flipped = file;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      holds &= survives(flipped);
    }
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 34, std::uint64_t{1} << 61,
          ~std::uint64_t{0} >> 1, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
      for (std::size_t offset = 0; offset + 8 <= file.size(); ++offset) {
        holds &= survives(with_u64(file, offset, value));
      }
    }
    return holds;
  });
}

std::string with_bytes(std::string bytes, std::size_t offset, const std::string& others) {
  return bytes.replace(offset, others.size(), others);
}

}  // namespace tidemark::loaders::test
