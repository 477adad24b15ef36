#include "tests/reference_loaders/model_files.hpp"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tidemark::loaders::test {

std::string from_hex(const std::string& digits) {
  std::string bytes;
  std::string pair;
  for (const char digit : digits) {
    if (std::isspace(static_cast<unsigned char>(digit)) != 0) {
      continue;
    }
    pair += digit;
    if (pair.size() == 2) {
      bytes += static_cast<char>(std::stoi(pair, nullptr, 16));
      pair.clear();
    }
  }
  return bytes;
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_file(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string with_u64(std::string bytes, std::size_t offset, std::uint64_t value) {
  std::memcpy(&bytes.at(offset + sizeof value - 1) - (sizeof value - 1), &value, sizeof value);
  return bytes;
}

std::string tiny_params_file() {
  static const std::string bytes = from_hex(R"(
      b79c04054f8de5f7 0000000000000000
      0200000000000000
      0100000000000000 61
      0200000000000000 6263
      0200000000000000

      3fa1b496f0405edd 0000000000000000
      01000000 00000000 01000000  02 20 0100
      0200000000000000  0800000000000000
      0000803f 000000c0

      3fa1b496f0405edd 0000000000000000
      01000000 00000000 02000000  00 08 0100
      0100000000000000 0300000000000000  0300000000000000
      01 02 03)");
  return bytes;
}

}  // namespace tidemark::loaders::test
