#include "collector/drain/books/taken_pages.hpp"

#include "preload/wire/kinds.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <cstdint>

#include <sys/mman.h>

using namespace tidemark;

namespace {

constexpr std::uint64_t kPagesAt = 0x10000;
constexpr std::uint64_t kPagesBytes = 0x3000;

template <typename Record>
std::uint64_t bytes_taken_by(const Record& record) {
  const wire::Words words = record.encode();
  RawRecord raw;
  raw.kind = Record::kKind;
  raw.address = words.address;
  raw.size = words.size;
  raw.stack = words.stack;
  raw.extra = words.extra;
  PageRanges taken;
  add_taken_pages(std::array{raw}, taken);
  return taken.bytes_in({kPagesAt, kPagesAt + kPagesBytes});
}

}  // namespace

TEST_CASE("an advice takes pages where the kernel drops or swaps them for it", "[taken_pages]") {
  constexpr std::uint32_t kGuardInstall = 102;
  for (const std::uint32_t advice :
       {std::uint32_t{MADV_DONTNEED}, std::uint32_t{MADV_FREE}, std::uint32_t{MADV_REMOVE},
        std::uint32_t{MADV_PAGEOUT}, kGuardInstall}) {
    CAPTURE(advice);
    CHECK(bytes_taken_by(wire::Advise{kPagesAt, kPagesBytes, advice}) == kPagesBytes);
  }
  for (const std::uint32_t advice :
       {std::uint32_t{MADV_NORMAL}, std::uint32_t{MADV_WILLNEED}, std::uint32_t{MADV_HUGEPAGE},
        std::uint32_t{MADV_DONTFORK}, std::uint32_t{MADV_COLD}}) {
    CAPTURE(advice);
    CHECK(bytes_taken_by(wire::Advise{kPagesAt, kPagesBytes, advice}) == 0);
  }
}

TEST_CASE("a mapping, a move and an unmapping take pages", "[taken_pages]") {
  CHECK(bytes_taken_by(wire::Unmap{kPagesAt, kPagesBytes}) == kPagesBytes);
  CHECK(bytes_taken_by(wire::Break{kPagesAt + kPagesBytes, kPagesAt, 0}) == kPagesBytes);
  CHECK(bytes_taken_by(wire::Break{kPagesAt, kPagesAt + kPagesBytes, 0}) == 0);
  CHECK(bytes_taken_by(wire::Protect{kPagesAt, kPagesBytes, 0, PROT_READ}) == 0);
}
