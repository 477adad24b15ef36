#include "analyzer/text/size_text.hpp"

#include "tests/support/catch.hpp"

#include <cmath>
#include <random>

using namespace tidemark::analyzer;

TEST_CASE("sizes are printed with three digits in the unit that fits", "[size_text]") {
  CHECK(format_size(0) == "0 B");
  CHECK(format_size(1023) == "1023 B");
  CHECK(format_size(1024) == "1.00 KiB");
  CHECK(format_size(1536) == "1.50 KiB");
  CHECK(format_size((1 << 20) - 1) == "1.00 MiB");
  CHECK(format_size(10ULL << 30U) == "10.0 GiB");
  CHECK(format_size((10 << 20) - 1) == "10.0 MiB");
  CHECK(format_size(9'990'000) == "9.53 MiB");
  CHECK(format_size(UINT64_MAX) == "16.0 EiB");
  CHECK(format_signed_size(-2048) == "-2.00 KiB");
  CHECK(format_signed_size(INT64_MIN) == "-8.00 EiB");
}

TEST_CASE("sizes are read in binary and decimal units", "[size_text]") {
  CHECK(parse_size("1.5GiB").value() == 1'610'612'736);
  CHECK(parse_size("200MB").value() == 200'000'000);
  CHECK(parse_size("200 MiB").value() == 200 << 20);
  CHECK(parse_size("4K").value() == 4096);
  CHECK(parse_size("17").value() == 17);
  CHECK(parse_size(" 0.5 kB ").value() == 500);
  CHECK(parse_size("1.2xW", 1000).value() == 1200);
  CHECK(parse_size("2W", 1000).value() == 2000);
}

TEST_CASE("what is no size gets a sentence that quotes it", "[size_text]") {
  for (const char* text : {"", "GiB", "-1", "1.5 apples", "1e400", "nan", "inf", "99999999999TiB",
                           "1.2xW", "1..2", "0x10"}) {
    CAPTURE(text);
    const auto size = parse_size(text);
    REQUIRE_FALSE(size.ok());
    CHECK_THAT(size.error().message, Catch::StartsWith("'" + std::string(text) + "'"));
  }
}

TEST_CASE("a printed size reads back to within its last digit", "[size_text]") {
  std::mt19937_64 random(11);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t size = random() >> (14 + random() % 50);
    CAPTURE(size, format_size(size));
    const auto again = parse_size(format_size(size));
    REQUIRE(again.ok());
    const double error = std::abs(static_cast<double>(again.value()) - static_cast<double>(size));
    CHECK(error <= 0.051 * std::max(1024.0, static_cast<double>(size)));
  }
}

TEST_CASE("times are printed and read in the unit that fits", "[size_text]") {
  CHECK(format_time(90) == "90 ns");
  CHECK(format_time(12'300) == "12 us");
  CHECK(format_time(7'340'000) == "7.3 ms");
  CHECK(format_time(9'960'000) == "10 ms");
  CHECK(format_time(450'000'000) == "450 ms");
  CHECK(format_time(3'200'000'000) == "3.2 s");
  CHECK(format_time(125'000'000'000) == "2 min 05 s");
  CHECK(format_exact_time(450'000'000) == "450 ms");
  CHECK(format_exact_time(999'600'000) == "1.000 s");
  CHECK(format_exact_time(1'056'400'000) == "1.056 s");
  CHECK(format_exact_time(75'123'000'000) == "75.123 s");
  CHECK(format_exact_time(125'250'000'000) == "2 min 05.250 s");
  CHECK(parse_time("3.2s").value() == 3'200'000'000);
  CHECK(parse_time("450 ms").value() == 450'000'000);
  CHECK(parse_time("2").value() == 2'000'000'000);
  CHECK_FALSE(parse_time("soon").ok());
  CHECK_FALSE(parse_time("-1s").ok());
}

TEST_CASE("counts are printed in groups of three", "[size_text]") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1000) == "1,000");
  CHECK(format_count(1234567) == "1,234,567");
}
