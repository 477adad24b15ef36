/// Runs a fuzz target over random changes to the files of its corpus: not a fuzzer, but the same
/// few thousand inputs every time.
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TIDEMARK_CORPUS))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void change(Bytes& bytes, std::mt19937& random) {
  if (bytes.empty())
    return;
  const std::size_t at = random() % bytes.size();
  switch (random() % 5) {
    case 0:
      bytes[at] = static_cast<std::uint8_t>(random());
      break;
    case 1:
      bytes[at] ^= static_cast<std::uint8_t>(1U << (random() % 8));
      break;
    case 2:
      bytes[at] = random() % 2 == 0 ? 0xff : 0x80;
      break;
    case 3:
      bytes.resize(at);
      break;
    default: {
      const std::size_t from = random() % bytes.size();
      const std::size_t count =
          std::min<std::size_t>(random() % 16, bytes.size() - std::max(at, from));
      std::copy_n(Bytes(bytes).begin() + static_cast<std::ptrdiff_t>(from), count,
                  bytes.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

}  // namespace

TEST_CASE("random changes to the corpus are survived", "[fuzz]") {
  constexpr int kRounds = 400;
  for (const auto& path : corpus()) {
    CAPTURE(path.string());
    const Bytes original = read_file(path);
    std::mt19937 random(static_cast<unsigned>(original.size()));
    for (int round = 0; round < kRounds; ++round) {
      CAPTURE(round);
      Bytes bytes = original;
      for (auto changes = 1 + random() % 6; changes > 0; --changes)
        change(bytes, random);
      REQUIRE(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()) == 0);
    }
  }
}
