// Programs whose memory is in the hands of another allocator than libc's. Nothing of such an
// allocator may be called by a hook, as it may allocate, or wait for a lock that its caller holds.
#include "tests/end_to_end/fixture.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

using namespace tidemark;
using namespace tidemark::tests;

namespace {

/// The first of `places` that is there; empty, loudly, where none is.
std::string installed(const std::string& name, const std::vector<std::string>& places) {
  for (const std::string& place : places) {
    if (std::filesystem::exists(place))
      return place;
  }
  SKIP_TEST(name << " is not installed");
  return {};
}

std::string debian_library(const std::string& file) {
  return installed(file, {"/usr/lib/x86_64-linux-gnu/" + file});
}

/// Debian 12 has version 2, 13 version 3.
std::string mimalloc() {
  const std::string path = "/usr/lib/x86_64-linux-gnu/libmimalloc.so.";
  return installed("mimalloc", {path + "2", path + "3"});
}

/// clang's hardened allocator, of whatever clang is here.
std::string scudo() {
  std::vector<std::string> places;
  for (const auto& folder : std::filesystem::directory_iterator("/usr/lib")) {
    const std::filesystem::path clang = folder.path() / "lib/clang";
    if (!std::filesystem::exists(clang))
      continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(clang)) {
      const std::string file = entry.path().filename();
      if (file == "libclang_rt.scudo-x86_64.so" || file == "libclang_rt.scudo_standalone-x86_64.so")
        places.push_back(entry.path());
    }
  }
  return installed("scudo", places);
}

/// `words` with `allocator` in front of libc's functions: in the host alone, not in tidemark.
Words with_allocator(const std::string& allocator, const Words& words) {
  Words all{"/usr/bin/env", "LD_PRELOAD=" + allocator};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace

TEST_CASE_METHOD(EndToEnd, "what an allocator takes for itself does not count beside its blocks") {
  const auto name = GENERATE(as<std::string>{}, "libtcmalloc_minimal.so.4", "libjemalloc.so.2");
  CAPTURE(name);
  const std::string allocator = debian_library(name);
  if (allocator.empty()) {
    CHECK(allocator.empty());
    return;
  }
  const Recording recording = record(with_allocator(allocator, host("mixed_sizes")));
  REQUIRE(recording.host.status == 0);
  for (const nlohmann::json& stack : report(recording.trace).at("at_peak")) {
    CAPTURE(stack.dump());
    CHECK((stack.at("lane") == "heap" ||
           std::string(stack.at("stack").at(0).at("function")).starts_with("(written data of")));
  }
}

TEST_CASE_METHOD(EndToEnd, "programs with another allocator run as without tidemark") {
  const auto name = GENERATE(as<std::string>{}, "libtcmalloc_minimal.so.4", "libtcmalloc.so.4",
                             "libjemalloc.so.2", "mimalloc", "scudo");
  CAPTURE(name);
  const std::string allocator = name == "scudo"      ? scudo()
                                : name == "mimalloc" ? mimalloc()
                                                     : debian_library(name);
  if (allocator.empty()) {
    CHECK(allocator.empty());
    return;
  }
  SECTION("with one thread") {
    const Recording recording = record_unchanged(with_allocator(allocator, host("mixed_sizes")));
    CHECK(recording.events.loss().records_dropped == 0);
    CHECK(recording.events.session().unmatched_releases == 0);
    CHECK(recording.events.count(trace::EventKind::kAllocate) > 40);
  }
  SECTION("with threads that come and go") {
    const Recording recording =
        record_unchanged(with_allocator(allocator, host("many_threads", {"400"})));
    CHECK(recording.events.allocations(3001) == 4000);
    CHECK(recording.events.releases(3001) == 4000);
  }
  SECTION("with forks") {
    const Recording recording = record_unchanged(with_allocator(allocator, host("forks")));
    CHECK(recording.events.allocations(5002) == 2000);
    CHECK(recording.events.allocations(5003) == 3000);
  }
  // LLVM 14's scudo ends this program itself, without tidemark: 16 times in 300.
  if (name != "scudo") {
    SECTION("with libraries that come and go") {
      const Recording recording =
          record_unchanged(with_allocator(allocator, host("loads_libraries")));
      CHECK(recording.events.allocations(2291) >= 1);
    }
  }
  SECTION("with the operators of C++") {
    record_unchanged(with_allocator(allocator, host("growing_containers")));
  }
  // mimalloc's operators, compiled as C, end the program instead.
  if (name != "mimalloc") {
    SECTION("with an operator that throws") {
      const Recording recording =
          record_unchanged(with_allocator(allocator, host("throws_then_allocates")));
      CHECK(recording.events.allocations(3131) == 1000);
      CHECK(recording.events.releases(3131) == 1000);
    }
  }
  SECTION("where nobody of us wrote it") {
    const Recording recording =
        record_unchanged(with_allocator(allocator, {"/bin/ls", "/usr/lib"}));
    CHECK(recording.host.status == 0);
    CHECK(recording.events.count(trace::EventKind::kAllocate) > 40);
  }
}

TEST_CASE_METHOD(EndToEnd,
                 "a program that maps memory under its allocator's lock does not wait for itself") {
  const auto way = GENERATE(as<std::string>{}, "locks_everything", "locks_everything_bare");
  CAPTURE(way);
  REQUIRE(run_alone(host(way)).status == 3);
  const Recording recording = record(host(way));
  CHECK(recording.host.out == "done\n");
  CHECK(recording.host.status == 3);
  CHECK(recording.host.err.find("came back") == std::string::npos);
  CHECK(recording.events.session().heap_invisible);
  // 500 blocks of 300,000 bytes, in steps of 1 MiB that nobody touches.
  CHECK(recording.events.count(trace::EventKind::kAllocate) >= 140);
}

TEST_CASE_METHOD(EndToEnd, "every pthread key is the program's") {
  const Recording recording = record_unchanged(host("takes_every_key"));
  CHECK(recording.host.out == "1024 keys, the first is 0\n");
  CHECK(recording.events.allocations(3071) == 1);
}

TEST_CASE_METHOD(EndToEnd,
                 "threads that end with robust mutexes locked are told of as without tidemark") {
  const Recording recording = record_unchanged(host("robust_mutexes"));
  CHECK(recording.host.out == "400 owners died, 200 others\n");
  CHECK(recording.events.allocations(3081) == 200);
}

TEST_CASE_METHOD(EndToEnd, "an allocator that has the older hash table alone keeps its blocks") {
  const Recording recording = record_unchanged(host("asks_small_allocator"));
  CHECK(recording.host.out == "the library's\n");
  CHECK(recording.events.allocations(3141) == 1);
  CHECK(recording.events.releases(3141) == 1);
  // By the allocator's own strdup, which calls none of its other functions, and by libc's strndup.
  for (const std::uint64_t size : {3142U, 3143U}) {
    CHECK(recording.events.allocations(size) == 1);
    CHECK(recording.events.releases(size) == 1);
  }
  CHECK(recording.events.session().unmatched_releases == 0);
}

TEST_CASE_METHOD(EndToEnd, "blocks of an allocator that is called by names of its own") {
  const auto [names, file] =
      GENERATE(table<std::string, std::string>({{"tc", "libtcmalloc_minimal.so.4"},
                                                {"tc", "libtcmalloc.so.4"},
                                                {"x", "libjemalloc.so.2"},
                                                {"mi", "mimalloc"}}));
  CAPTURE(names, file);
  const std::string allocator = names == "mi" ? mimalloc() : debian_library(file);
  if (allocator.empty()) {
    CHECK(allocator.empty());
    return;
  }
  const Recording recording =
      record_unchanged(with_allocator(allocator, host("named_allocators", {names})));
  CHECK(recording.host.out == "0 wrong\n");
  for (std::uint64_t size = 3151; size <= 3159; ++size) {
    CAPTURE(size);
    CHECK(recording.events.allocations(size) == 300);
    CHECK(recording.events.blocks_left(size) == 0);
  }
  CHECK(recording.events.session().unmatched_releases == 0);
}

TEST_CASE_METHOD(EndToEnd, "an allocator beside libc's heap counts by its blocks, once") {
  const Recording recording = record_unchanged(host("named_allocators_beside_libc", {"large"}));
  CHECK(recording.host.out == "0 wrong\n");
  CHECK(recording.events.allocations(64 * kMiB) == 4);
  CHECK(recording.events.blocks_left(64 * kMiB) == 0);
  CHECK(recording.events.peak(trace::Lane::kHeap) >= 256 * kMiB);
  CHECK(recording.events.peak(trace::Lane::kAnon) < 16 * kMiB);
}

TEST_CASE_METHOD(EndToEnd, "each plugin keeps to the allocator that the loader gives it") {
  // Copies of plugins' own show by their mappings; the one that the program started with, by
  // blocks.
  const auto [name, copies, blocks] = GENERATE(table<std::string, std::string, std::size_t>(
      {{"plugins_with_allocators", "1 2\n", 0},
       {"plugins_with_allocators_beside_one", "0 0\n", 2}}));
  CAPTURE(name);
  const Recording recording = record_unchanged(host(
      name, {library("libe2e_allocating_plugin_1.so"), library("libe2e_allocating_plugin_2.so")}));
  CHECK(recording.host.out == copies);
  CHECK(recording.events.allocations(3161) == blocks);
  CHECK(recording.events.releases(3161) == blocks);
  CHECK((recording.events.peak(trace::Lane::kAnon) >= 16'384) == (blocks == 0));
}

TEST_CASE_METHOD(EndToEnd, "a program that asks for an allocator that is not there gets memory") {
  const auto names = GENERATE(as<std::string>{}, "mi", "tc", "x");
  CAPTURE(names);
  const Recording recording = record(host("named_allocators", {names}));
  CHECK(recording.host.out == "0 wrong\n");
  for (std::uint64_t size = 3151; size <= 3159; ++size) {
    CAPTURE(size);
    CHECK(recording.events.allocations(size) == 300);
    CHECK(recording.events.blocks_left(size) == 0);
  }
}
