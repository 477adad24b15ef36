#include "collector/process/memory_areas.hpp"

#include "tests/support/catch.hpp"

#include <algorithm>
#include <string>

#include <sys/sysmacros.h>
#include <unistd.h>

using namespace tidemark;

namespace {

constexpr const char* kMaps =
    "55d0a000-55d0b000 r--p 00000000 08:01 1234                       /usr/bin/a program\n"
    "55d0b000-55d0c000 rw-p 00001000 08:01 1234                       /usr/bin/a program\n"
    "55d0c000-55d0f000 rw-p 00000000 00:00 0 \n"
    "55d0f000-55d30000 rw-p 00000000 00:00 0                          [heap]\n"
    "7f000000-7f001000 rw-s 00000000 00:01 77                         /memfd:x (deleted)\n"
    "7f001000-7f002000 rw-p 00000000 00:00 0 \n";

}  // namespace

TEST_CASE("areas have their ranges, rights and names", "[memory_areas]") {
  const auto areas = parse_memory_areas(kMaps);
  REQUIRE(areas.size() == 6);
  CHECK(areas[0].pages.begin == 0x55d0a000);
  CHECK(areas[0].pages.end == 0x55d0b000);
  CHECK(areas[0].name == "/usr/bin/a program");
  CHECK(areas[0].is_private);
  CHECK_FALSE(areas[0].is_writable);
  CHECK(areas[1].is_writable);
  CHECK(areas[2].name.empty());
  CHECK(areas[3].name == "[heap]");
  CHECK_FALSE(areas[4].is_private);
  CHECK(areas[0].file == AreaFile{makedev(8, 1), 1234});
  CHECK(areas[2].file == AreaFile{});
  CHECK(areas[4].file == AreaFile{makedev(0, 1), 77});
}

TEST_CASE("a program's data is that of its file and what lies right behind it", "[memory_areas]") {
  const auto all = parse_memory_areas(kMaps);
  const auto areas = private_file_areas(all, {0x55d00000, 0x55d0e000, 0x7f010000});
  REQUIRE(areas.size() == 3);
  CHECK(areas[2].pages.begin == 0x55d0c000);
  CHECK(areas[2].pages.end == 0x55d0e000);
  CHECK(areas[2].path == "/usr/bin/a program");
  CHECK(private_file_areas(all, {0x55d10000}).size() == 2);  // what lies there is something else
}

TEST_CASE("zeroed data between two segments of a file is that file's", "[memory_areas]") {
  const std::string library =
      "7f000000-7f001000 r-xp 00000000 08:01 1                       /lib/patched.so\n"
      "7f001000-7f002000 rw-p 00001000 08:01 1                       /lib/patched.so\n"
      "7f002000-7f005000 rw-p 00000000 00:00 0 \n";
  const auto with_next = [&](const char* next) {
    return private_file_areas(parse_memory_areas(library + next), {0x7f008000});
  };
  const auto areas = with_next("7f005000-7f008000 r--p 00002000 08:01 1       /lib/patched.so\n");
  REQUIRE(areas.size() == 4);
  CHECK(areas[2].pages.begin == 0x7f002000);
  CHECK(areas[2].pages.end == 0x7f005000);
  CHECK(areas[2].path == "/lib/patched.so");
  CHECK(with_next("7f005000-7f008000 r--p 00000000 08:01 2       /lib/other.so\n").size() == 3);
  CHECK(with_next("7f006000-7f008000 r--p 00002000 08:01 1       /lib/patched.so\n").size() == 3);
}

TEST_CASE("lines that are none are passed over", "[memory_areas]") {
  CHECK(parse_memory_areas("").empty());
  CHECK(parse_memory_areas("x\n1-\n1-2\n1-2 r\n\n").empty());
  CHECK(parse_memory_areas("1-2 rw-p").size() == 1);
}

TEST_CASE("one's own areas are read", "[memory_areas]") {
  const auto areas = read_memory_areas(getpid());
  CHECK(std::ranges::any_of(areas, [](const MemoryArea& area) { return area.name == "[stack]"; }));
  CHECK(read_memory_areas(5'000'000).empty());
}
