#include "collector/drain/tables/stacks/python_lines.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

using namespace tidemark;

namespace {

// A function of 18 lines with a comprehension, try, except and finally, as each version compiled
// it; the lines are what its own `co_lines` says, 0 for none.
constexpr const char* kTable310 =
    "0602020106ff04030401040108ff0c020201020108ff080502fa02fe10080601020206fe";
const std::vector<std::uint32_t> kLines310{3,  3,  3,  4,  3,  3,  3,  6,  6,  7,  7,  8,  8,
                                           7,  7,  7,  7,  9,  9,  9,  9,  9,  9,  10, 11, 10,
                                           10, 10, 10, 15, 15, 15, 15, 9,  7,  15, 15, 15, 15,
                                           15, 15, 15, 15, 16, 16, 16, 18, 16, 16, 16};

constexpr const char* kTable311 =
    "8000f00402090ff00002090fd81213f00302090ff10002090ff40002090f8041f00609050cdd08098821d80a0b8851"
    "f1"
    "03010910f400010910f000010910f000010910f8e50b0cf000020513f000020513f000020513d81011d81011f10301"
    "11"
    "12f000010913f000010913f50a00090a89038c0388038803f00d020513f8f8f8f005010910f51000090a89038c0388"
    "03"
    "8803f88d0189038c0388038803f8f8f8f002020c17f000020c17e01415f005020c17f100020c17f400020c17f00002"
    "05"
    "17";
const std::vector<std::uint32_t> kLines311{
    1,  3,  3,  4,  3,  3,  3,  3,  3,  3,  3,  3,  3,  6,  7,  7,  7,  7,  7,  7,  7,  8,  8,
    7,  7,  7,  7,  7,  7,  7,  7,  7,  0,  9,  9,  9,  9,  9,  9,  9,  9,  9,  10, 11, 10, 10,
    10, 10, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 9,  0,  0,  0,  7,  15,
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 0,  15, 15, 15, 15, 15, 15, 15, 15,
    15, 15, 15, 15, 15, 15, 15, 0,  0,  0,  16, 16, 18, 16, 16, 16, 16, 16, 16, 16, 16, 16};

std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

PythonLines lines_by(wire::LineFormat format,
                     std::uint32_t first_line,
                     std::span<const std::byte> table) {
  PythonLines lines(format, first_line);
  lines.append(table);
  return lines;
}

std::vector<std::uint32_t> lines_of(PythonLines& lines, std::size_t units) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    found.push_back(lines.line_at(unit));
  }
  return found;
}

}  // namespace

TEST_CASE("a line table of Python 3.11 says what Python says", "[python_lines]") {
  const auto table = bytes_of(kTable311);
  PythonLines lines = lines_by(wire::LineFormat::kLocations, 1, table);
  CHECK(lines_of(lines, kLines311.size()) == kLines311);
  CHECK(lines.line_at(static_cast<std::uint32_t>(kLines311.size())) == 0);
}

TEST_CASE("a line table of Python 3.10 says what Python says", "[python_lines]") {
  const auto table = bytes_of(kTable310);
  PythonLines lines = lines_by(wire::LineFormat::kRanges, 1, table);
  CHECK(lines_of(lines, kLines310.size()) == kLines310);
  CHECK(lines.line_at(static_cast<std::uint32_t>(kLines310.size())) == 0);
}

TEST_CASE("numbers of several bytes in a line table are read whole", "[python_lines]") {
  // Without columns: 1,000 lines further; 2,000 back.
  const auto table = bytes_of("e8501fe9613e");
  PythonLines lines = lines_by(wire::LineFormat::kLocations, 5000, table);
  CHECK(lines_of(lines, 4) == std::vector<std::uint32_t>{6000, 4000, 4000, 0});
}

TEST_CASE("without a table the first line stands for all", "[python_lines]") {
  PythonLines lines = lines_by(wire::LineFormat::kNone, 12, {});
  CHECK(lines.line_at(0) == 12);
  CHECK(lines.line_at(1000) == 12);
}

TEST_CASE("a line table of any bytes is read to its end", "[python_lines]") {
  std::vector<std::byte> table(300);
  for (std::uint32_t seed = 1; seed < 2000; ++seed) {
    std::uint32_t random = seed;
    for (std::byte& byte : table) {
      random = random * 1664525 + 1013904223;
      byte = static_cast<std::byte>(random >> 24);
    }
    for (const auto format : {wire::LineFormat::kLocations, wire::LineFormat::kRanges}) {
      PythonLines lines = lines_by(format, seed, table);
      CHECK(lines.line_at(random % 5000) <= 0x7fffffff);
    }
  }
}

TEST_CASE("a long line table says the same in whatever order places are asked for",
          "[python_lines]") {
  struct Long {
    wire::LineFormat format;
    std::string entry;  ///< Of two code units, a line further than the one before.
  };
  const auto& [format, entry] = GENERATE(
      values<Long>({{wire::LineFormat::kLocations, "d900"}, {wire::LineFormat::kRanges, "0401"}}));
  constexpr std::uint32_t kEntries = 20'000;
  std::vector<std::byte> table;
  for (std::uint32_t i = 0; i < kEntries; ++i) {
    const auto bytes = bytes_of(entry);
    table.insert(table.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::uint32_t> units(2 * std::size_t{kEntries});
  std::iota(units.begin(), units.end(), 0);
  std::shuffle(units.begin(), units.end(), std::mt19937(3));  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  PythonLines lines = lines_by(format, 7, table);
  const auto is_right = [&](std::uint32_t unit) { return lines.line_at(unit) == 8 + unit / 2; };
  CHECK(std::ranges::all_of(units, is_right));
  CHECK(lines.line_at(2 * kEntries) == 0);
  SECTION("and of what comes behind it later") {
    lines.append(bytes_of(entry));
    CHECK(is_right(2 * kEntries + 1));
    CHECK(is_right(0));
  }
}
