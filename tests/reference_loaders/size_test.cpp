#include "reference_loaders/size.hpp"

#include "reference_loaders/bad_input.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <utility>

using namespace tidemark::loaders;

TEST_CASE("sizes are read in decimal and in binary units", "[size]") {
  using Expected = std::pair<std::string, std::uint64_t>;
  const auto [text, bytes] =
      GENERATE(values<Expected>({{"0", 0},
                                 {"4096", 4096},
                                 {"17B", 17},
                                 {"1kB", 1000},
                                 {"1KiB", 1024},
                                 {"200MB", 200'000'000},
                                 {"512MiB", 536'870'912},
                                 {"512 mib", 536'870'912},
                                 {"5GB", 5'000'000'000},
                                 {"1.5GiB", 1'610'612'736},
                                 {".5KiB", 512},
                                 {"2TiB", 2'199'023'255'552},
                                 {"9007199254740993", 9007199254740993},
                                 {"9223372036854775807", 9223372036854775807}}));
  CAPTURE(text);

  CHECK(parse_size(text) == bytes);
}

TEST_CASE("what is not a size is refused with an example of one", "[size]") {
  const std::string text =
      GENERATE("", " ", "GiB", "-1", "+1", "1e9", "1.2.3GB", ".", "1..5GB", "5QB", "5GB!", "5G B",
               "0x10", "nan", "inf", "9223372036854775808", "18446744073709551616", "8388608TiB",
               "99999999999999999999999999.5TB");
  CAPTURE(text);

  CHECK_THROWS_AS(parse_size(text), UsageError);
  CHECK_THROWS_WITH(parse_size(text), Catch::Contains("512MiB"));
}

TEST_CASE("sizes are shown in the unit that people expect", "[size]") {
  CHECK(format_size(0) == "0 B");
  CHECK(format_size(1023) == "1023 B");
  CHECK(format_size(1024) == "1.00 KiB");
  CHECK(format_size(512 << 20) == "512.0 MiB");
  CHECK(format_size((std::uint64_t{1} << 30) - 1) == "1.00 GiB");
  CHECK(format_size(5'000'000'000) == "4.66 GiB");
  CHECK(format_size(~std::uint64_t{0}) == "16.0 EiB");
}
