#include "collector/drain/hosts/heap_pages.hpp"

#include "tests/support/catch.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

using namespace tidemark;

namespace {

constexpr std::uint64_t kPages = 64;
constexpr std::uint64_t kTouched = 40;

/// Memory of this process, of which kTouched pages are there.
class OwnArea {
 public:
  OwnArea() {
    void* mapped =
        mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(mapped != MAP_FAILED);
    madvise(mapped, kPages * kPage, MADV_NOHUGEPAGE);
    std::memset(mapped, 1, kTouched * kPage);
    area.pages.begin = reinterpret_cast<std::uint64_t>(mapped);
    area.pages.end = area.pages.begin + kPages * kPage;
    area.is_private = area.is_writable = true;
  }
  OwnArea(const OwnArea&) = delete;
  OwnArea& operator=(const OwnArea&) = delete;
  ~OwnArea() { munmap(reinterpret_cast<void*>(area.pages.begin), kPages * kPage); }

  static constexpr std::uint64_t kPage = 4096;
  MemoryArea area;
  AddressTable heap;
  MappingTable mappings;

  void add_block(std::uint64_t page) {
    LiveBlock none;
    heap.insert(area.pages.begin + page * kPage, {1, 64}, none);
  }
  void add_mapping(std::uint64_t first, std::uint64_t end, Mapping::Kind kind) {
    mappings.insert({.begin = area.pages.begin + first * kPage,
                     .end = area.pages.begin + end * kPage,
                     .kind = kind});
  }
  [[nodiscard]] std::uint64_t resident_pages() const {
    return resident_heap_bytes({&area, 1}, heap, mappings, PageMap(getpid())) / kPage;
  }
};

}  // namespace

TEST_CASE("what is resident of an area with a block is the heap's", "[heap_pages]") {
  OwnArea own;
  CHECK(own.resident_pages() == 0);
  own.add_block(20);
  CHECK(own.resident_pages() == kTouched);
  own.area.name = "[heap]";
  CHECK(own.resident_pages() == kTouched);
  own.area.name = "[anon:glibc: malloc]";
  CHECK(own.resident_pages() == kTouched);
}

TEST_CASE("what may be no heap's is passed over, whatever is in it", "[heap_pages]") {
  OwnArea own;
  own.add_block(20);
  const auto make = GENERATE(
      +[](MemoryArea& area) { area.name = "/usr/lib/libc.so.6"; },
      +[](MemoryArea& area) { area.name = "[stack]"; },
      +[](MemoryArea& area) { area.is_private = false; },
      +[](MemoryArea& area) { area.is_writable = false; });
  make(own.area);
  CHECK(own.resident_pages() == 0);
}

TEST_CASE("what the program has mapped there is not the heap's, what its allocator has is",
          "[heap_pages]") {
  OwnArea own;
  own.add_block(20);
  const auto kind = GENERATE(Mapping::Kind::kAnon, Mapping::Kind::kInternal);
  own.add_mapping(30, 50, kind);
  CHECK(own.resident_pages() == (kind == Mapping::Kind::kInternal ? kTouched : 30));
}
