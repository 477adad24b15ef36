#include "analyzer/text/change_text.hpp"

#include "tests/support/catch.hpp"

using namespace tidemark::analyzer;

TEST_CASE("changes are percent of the value before", "[diff]") {
  CHECK(format_change(1000, 500) == "-50.0%");
  CHECK(format_change(1000, 1125) == "+12.5%");
  CHECK(format_change(1000, 1000) == "0%");
  CHECK(format_change(1000, 1042) == "+4.20%");
  CHECK(format_change(100'000, 100'005) == "+0.01%");
  CHECK(format_change(100, 12'000) == "+11900.0%");
}

TEST_CASE("a change never rounds to none or to all", "[diff]") {
  CHECK(format_change(1'000'000, 999'999) == "<0.01%");
  CHECK(format_change(1'000'000, 1'000'001) == "<0.01%");
  CHECK(format_change(1'000'000, 1) == "-99.9%");
  CHECK(format_change(1'000'000, 0) == "-100.0%");
}

TEST_CASE("from nothing there is no percentage", "[diff]") {
  CHECK(format_change(0, 10) == "new");
  CHECK(format_change(0, 0).empty());
}

TEST_CASE("differences have a sign unless they are none", "[diff]") {
  CHECK(format_size_change(1024, 3072) == "+2.00 KiB");
  CHECK(format_size_change(3072, 1024) == "-2.00 KiB");
  CHECK(format_size_change(7, 7) == "0 B");
  CHECK(format_time_change(2'000'000, 500'000) == "-1.5 ms");
}
