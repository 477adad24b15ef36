#include "preload/os/own_rings.hpp"

#include "tests/support/catch.hpp"

#include <string>

using tidemark::preload::is_ring_idle;

TEST_CASE("a ring is idle where the kernel says that nothing went through it", "[own_rings]") {
  const std::string begin = "pos:\t0\nflags:\t02000002\nSqMask:\t0x7\n";
  CHECK(is_ring_idle(
      (begin + "SqHead:\t0\nSqTail:\t4\nCqMask:\t0xf\nCqTail:\t0\nSQEs:\t0\n").c_str()));
  CHECK_FALSE(is_ring_idle((begin + "SqHead:\t1\nSqTail:\t1\nCqTail:\t0\n").c_str()));
  CHECK_FALSE(is_ring_idle((begin + "SqHead:\t0\nSqTail:\t0\nCqTail:\t10\n").c_str()));
  CHECK_FALSE(is_ring_idle((begin + "SqHead:\t0\nCqTail:\t0").c_str()));  // It may go on.
  // Linux before 5.19, and a ring that somebody else holds just now.
  CHECK_FALSE(is_ring_idle((begin + "SqHead:\t0\n").c_str()));
  CHECK_FALSE(is_ring_idle((begin + "CachedSqHead:\t0\nCqTail:\t0\n").c_str()));
  CHECK_FALSE(is_ring_idle(""));
}
