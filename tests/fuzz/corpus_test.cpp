/// Runs a fuzz target over the files of its corpus, without a fuzzer.
#include "tests/support/catch.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

TEST_CASE("every file of the corpus is survived", "[fuzz]") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TIDEMARK_CORPUS)) {
    CAPTURE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    CHECK(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                 bytes.size()) == 0);
    ++files;
  }
  CHECK(files > 0);
}
