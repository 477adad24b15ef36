#include "preload/os/text.hpp"

#include "preload/os/seccomp.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <string>

using namespace tidemark::preload;

TEST_CASE("numbers are written whole, each digit of them", "[text]") {
  char out[32];
  for (const std::uint32_t number :
       {0U, 1U, static_cast<std::uint32_t>(kEveryAbility), 0x80000001U, ~0U}) {
    CAPTURE(number);
    CHECK(*append_hexadecimal(out, number) == '\0');
    CHECK(std::stoull(out, nullptr, 16) == number);
    CHECK(append(out, std::uint64_t{number}) == out + std::to_string(number).size());
    CHECK(out == std::to_string(number));
  }
}
