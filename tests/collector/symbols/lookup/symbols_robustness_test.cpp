#include "collector/symbols/lookup/symbols.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <sys/stat.h>

using tidemark::Symbolizer;
using tidemark::tests::TemporaryFolder;

namespace {

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// In the text of `pie`, more or less.
std::vector<std::uint64_t> many_offsets() {
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t offset = 0x1000; offset < 0x2000; offset += 7) {
    offsets.push_back(offset);
  }
  return offsets;
}

/// How many of them the program has names for.
std::size_t located(const std::string& program) {
  const auto answers = Symbolizer(program).locate(many_offsets());
  return answers.size() - static_cast<std::size_t>(std::ranges::count_if(
                              answers, [](const auto& locations) { return locations.empty(); }));
}

}  // namespace

TEST_CASE("what is no ELF file has no symbols", "[symbols][robustness]") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo(folder.file("fifo").c_str(), 0755) == 0);
  folder.file("empty", "");
  folder.file("text", "hello");
  folder.file("magic", "\177ELF");
  const auto name = GENERATE(as<std::string>{}, "missing", "", "fifo", "empty", "text", "magic");
  CAPTURE(name);
  Symbolizer symbolizer(folder.file(name));

  CHECK(symbolizer.locate(0x1234).empty());
  CHECK(symbolizer.locate(0x1234).empty());
  CHECK(symbolizer.debug_link().empty());
  CHECK(Symbolizer::build_id(folder.file(name)).empty());
}

TEST_CASE("offsets outside a file's code have no symbols", "[symbols][robustness]") {
  const auto offset =
      GENERATE(std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40, ~std::uint64_t{0});
  CAPTURE(offset);
  const std::string program = std::string(TIDEMARK_HOSTS) + "pie";
  REQUIRE(located(program) > 100);
  CHECK(Symbolizer(program).locate(offset).empty());
}

TEST_CASE("damaged debug information is asked without harm", "[symbols][robustness]") {
  const std::string whole = contents_of(std::string(TIDEMARK_HOSTS) + "pie");
  REQUIRE(whole.size() > 64);
  const auto offsets = many_offsets();
  const TemporaryFolder folder;
  std::size_t still_located = 0;
  for (unsigned seed = 1; seed < 100; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::string bytes = whole;
    for (int i = 0; i < 60; ++i) {
      bytes[64 + random() % (bytes.size() - 64)] = static_cast<char>(random());
    }
    const std::string damaged = folder.file("damaged", bytes);
    const auto answers = Symbolizer(damaged).locate(offsets);
    REQUIRE(answers.size() == offsets.size());
    for (const auto& locations : answers) {
      // A function inlined more often than the program has bytes would be a circle of entries.
      CHECK(locations.size() < 100);
      still_located += locations.empty() ? 0U : 1U;
    }
  }
  // Sixty bytes of many thousands: most files have symbols left, and were looked into.
  CHECK(still_located > 99 * offsets.size() / 10);
}
