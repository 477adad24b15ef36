#include "collector/symbols/symbols.hpp"
#include "tests/collector/scratch_folder.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <sys/stat.h>

using tidemark::Symbolizer;

namespace {

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("what is no ELF file has no symbols", "[symbols][robustness]") {
  const ScratchFolder folder;
  REQUIRE(::mkfifo(folder.path("fifo").c_str(), 0755) == 0);
  folder.file("empty", "");
  folder.file("text", "hello");
  folder.file("magic", "\177ELF");
  const auto name = GENERATE(as<std::string>{}, "missing", "", "fifo", "empty", "text", "magic");
  CAPTURE(name);
  Symbolizer symbolizer(folder.path(name));

  CHECK(symbolizer.locate(0x1234).empty());
  CHECK(symbolizer.locate(0x1234).empty());
  CHECK(symbolizer.debug_link().empty());
  CHECK(Symbolizer::build_id(folder.path(name)).empty());
}

TEST_CASE("offsets outside a file's code have no symbols", "[symbols][robustness]") {
  const auto offset =
      GENERATE(std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40, ~std::uint64_t{0});
  CAPTURE(offset);
  CHECK(Symbolizer(std::string(TIDEMARK_HOSTS) + "pie").locate(offset).empty());
}

TEST_CASE("damaged debug information is asked without harm", "[symbols][robustness]") {
  const auto seed = GENERATE(range(1U, 100U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::string bytes = contents_of(std::string(TIDEMARK_HOSTS) + "pie");
  for (int i = 0; i < 60; ++i) {
    bytes[64 + random() % (bytes.size() - 64)] = static_cast<char>(random());
  }
  const ScratchFolder folder;
  const std::string damaged = folder.file("damaged", bytes);
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t offset = 0x1000; offset < 0x2000; offset += 7) {
    offsets.push_back(offset);
  }
  std::size_t found = 0;
  for (const auto& locations : Symbolizer(damaged).locate(offsets)) {
    found += locations.size();
  }
  CHECK(found < 100000);
}
