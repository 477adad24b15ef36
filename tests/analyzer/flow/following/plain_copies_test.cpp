#include "analyzer/flow/following/plain_copies.hpp"

#include "tests/support/catch.hpp"

using namespace tidemark::analyzer;

namespace {

PlainCopy copy(std::uint32_t source, std::uint32_t target, std::uint64_t bytes, std::uint64_t ns) {
  return {.source = source, .target = target, .bytes = bytes, .first_ns = ns, .last_ns = ns};
}

}  // namespace

TEST_CASE("copies between two blocks are one", "[anatomy]") {
  PlainCopies copies;
  copies.add(copy(1, 2, 10, 5));
  copies.add(copy(1, 2, 20, 7));
  copies.add(copy(1, 1, 20, 7));
  const auto found = copies.take();
  REQUIRE(found.size() == 1);
  CHECK(found[0].bytes == 30);
  CHECK(found[0].first_ns == 5);
  CHECK(found[0].last_ns == 7);
}

TEST_CASE("what went through a block that is gone is shared out among where it came from",
          "[anatomy]") {
  PlainCopies copies;
  copies.add(copy(1, 9, 30, 1));
  copies.add(copy(2, 9, 10, 2));
  copies.add(copy(9, 5, 40, 3));
  copies.end(9);
  const auto found = copies.take();
  REQUIRE(found.size() == 2);
  CHECK(found[0].source == 1);
  CHECK(found[0].target == 5);
  CHECK(found[0].bytes == 30);
  CHECK(found[1].bytes == 10);
  copies.end(5);
  CHECK(copies.take().empty());
}

TEST_CASE("what left a block before anything came is not of what came", "[anatomy]") {
  PlainCopies copies;
  copies.add(copy(9, 5, 40, 1));
  copies.add(copy(1, 9, 40, 2));
  copies.end(9);
  CHECK(copies.take().empty());
}

TEST_CASE("as many copies as there may be take bounded room", "[anatomy]") {
  PlainCopies copies;
  for (std::uint32_t i = 0; i < 200'000; ++i) {
    copies.add(copy(i, i + 1, 10, i));
  }
  CHECK(copies.take().size() == 65'536);
}
