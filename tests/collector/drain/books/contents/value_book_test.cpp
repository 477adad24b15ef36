#include "collector/drain/books/contents/value_book.hpp"

#include "tests/collector/drain/books/contents/weights_in_blocks.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <sys/mman.h>

using namespace tidemark;
using tests::kBlockBytes;
using tests::kElements;
using tests::kMuchLater;
using tests::see;
using tests::Told;
using tests::Weights;

TEST_CASE("a block that holds a tensor in another type is told", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.widen(0);
  host.look();
  const std::uint64_t seen_ns = host.now() - kMuchLater;
  host.look();
  host.main.free(host.address);
  host.look();
  REQUIRE(host.told().size() == 1);
  CHECK(host.log().matches()[0].allocation == 0);
  CHECK(host.log().matches()[0].type == "f64");
  CHECK(host.log().matches()[0].at_ns == seen_ns);
}

TEST_CASE("what a host saw in a block right before it freed it is told", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.main.allocate(host.address + kBlockBytes, kBlockBytes);
  const bool held_something_else = GENERATE(false, true);
  if (held_something_else) {
    host.overwrite(0);
    host.look();
  }
  host.widen(0);
  see(host, Told(host, 0, kBlockBytes));
  host.main.free(host.address);
  host.look();
  REQUIRE(host.told().size() == 1);
  CHECK(host.log().matches()[0].allocation == 0);
}

TEST_CASE("a look from outside before the host's own comes first", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.widen(0);
  host.look_once(kMuchLater);
  host.pass_time(kMuchLater);
  host.overwrite(0);
  see(host, Told(host, 0, kBlockBytes));
  host.main.free(host.address);
  host.look();
  REQUIRE(host.told().size() == 1);
  CHECK(host.log().matches()[0].until_ns < host.now());
}

TEST_CASE("what a host says of a block that it has not, or wrongly, is nothing", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.widen(0);
  Told told(host, 0, kBlockBytes);
  const std::string what =
      GENERATE("another address", "too little behind it", "too many first bytes",
               "another place further inside", "a place that ends too early", "zeros");
  CAPTURE(what);
  if (what == "another address")
    told.said.address += 64;
  if (what == "too little behind it")
    told.payload.resize(100);
  if (what == "too many first bytes")
    told.said.first_bytes += 8;
  if (what == "another place further inside")
    told.said.inner_at += 4096;
  if (what == "a place that ends too early")
    told.said.inner_bytes = 64;
  if (what == "zeros")
    std::ranges::fill(told.payload, std::byte{0});
  see(host, told);
  host.main.free(host.address);
  host.look();
  CHECK(host.told().empty());
}

TEST_CASE("a block that is filled later is told, and one that is never filled is not",
          "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.main.allocate(host.address + kBlockBytes, kBlockBytes);
  host.look();
  host.widen(0, kElements / 4);
  host.look();
  host.widen(0);
  host.look();
  REQUIRE(host.told().size() == 1);
  CHECK(host.log().matches()[0].allocation == 0);
}

TEST_CASE("a block that is filled with one number before its values come held nothing else",
          "[value_book]") {
  const bool is_wide = GENERATE(true, false);
  CAPTURE(is_wide);
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  if (is_wide)
    std::fill_n(reinterpret_cast<double*>(host.memory), kElements, 0.0467633);
  else
    std::fill_n(reinterpret_cast<float*>(host.memory), 2 * kElements, 0.0467633F);
  host.look();
  host.widen(0);
  host.look();
  REQUIRE(host.told().size() == 1);
  CHECK(host.log().matches()[0].from_ns == 0);
}

TEST_CASE("blocks of a tensor's size without one are told with their last look", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.main.allocate(host.address + kBlockBytes, kBlockBytes);
  host.main.allocate(host.address + 2 * kBlockBytes, kBlockBytes - 4096);
  host.look();
  host.widen(0);
  const bool is_overwritten = GENERATE(true, false);
  if (is_overwritten)
    host.overwrite(kBlockBytes);
  const std::uint64_t last_ns = host.now() + kMuchLater;
  host.look();
  REQUIRE(host.told().size() == 1);
  REQUIRE(host.log().mismatches().size() == 1);
  CHECK(host.log().mismatches()[0].allocation == 1);
  CHECK(host.log().mismatches()[0].at_ns == last_ns);
}

TEST_CASE("blocks of a scaled tensor's size without one are told, too", "[value_book]") {
  constexpr std::uint64_t kBytes = kElements * sizeof(float);
  Weights host;
  weights::PlainFile file;
  file.id = trace::FileId{1};
  const std::string path = host.folder.file("floats");
  std::vector<float> floats;
  for (std::uint64_t i = 0; i < kElements; ++i)
    floats.push_back(static_cast<float>(i * 400'009 % 1'000'003) / 3);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(floats.data()), static_cast<std::streamsize>(kBytes));
  file.file = open_regular_file(path);
  file.size = kBytes;
  file.floats = {{0, kBytes}};
  host.main.allocate(host.address, kBytes);
  host.main.allocate(host.address + kBlockBytes, kBytes);
  const bool are_scaled = GENERATE(true, false);
  CAPTURE(are_scaled);
  for (std::uint64_t i = 0; i < kElements; ++i)
    reinterpret_cast<float*>(host.memory)[i] = floats[i] * (are_scaled ? 0.37F : floats[i]);
  host.overwrite(kBlockBytes);
  host.look();

  host.book.tell({host.index, {&file, 1}});

  REQUIRE(host.log().packed().size() == (are_scaled ? 1 : 0));
  REQUIRE(host.log().mismatches().size() == (are_scaled ? 1 : 0));
  if (are_scaled) {
    CHECK(host.log().mismatches()[0].allocation == 1);
  }
}

TEST_CASE("where tensors were left out, no block is said to hold none", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.main.allocate(host.address + kBlockBytes, kBlockBytes);
  host.widen(0);
  host.overwrite(kBlockBytes);
  host.look();
  CHECK(host.book.is_complete());
  const std::string path = host.folder.file("weights");
  const std::vector<trace::Tensor> none;
  for (std::size_t i = 0; i < weights::ValueIndex::kMaxFiles; ++i)
    host.index.add(trace::FileId{1}, open_regular_file(path), none);
  REQUIRE(host.told().size() == 1);
  CHECK(host.log().mismatches().empty());
  CHECK_FALSE(host.book.is_complete());
}

TEST_CASE("without a block that holds a tensor none is told", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.look();
  CHECK(host.told().empty());
  CHECK(host.log().mismatches().empty());
}

TEST_CASE("a tensor that was overwritten is told as long as it was seen", "[value_book]") {
  const bool by_zeros = GENERATE(true, false);
  CAPTURE(by_zeros);
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.widen(0);
  host.look();
  const std::uint64_t last_ns = host.now();  // the second of the two looks
  if (by_zeros)
    std::memset(host.memory, 0, kBlockBytes);
  else
    host.overwrite(0);
  host.look();
  host.widen(0);
  const std::uint64_t other_ns = host.now();
  host.look();
  REQUIRE(host.told().size() == 2);
  CHECK(host.log().matches()[0].from_ns == 0);
  CHECK(host.log().matches()[0].until_ns == last_ns);
  CHECK(host.log().matches()[1].from_ns == other_ns);
  CHECK(host.log().matches()[1].until_ns == trace::ValueMatch::kNever);
}

TEST_CASE("pages that nobody has touched stay untouched", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.look();
  host.memory[0] = 1;
  host.look();
  std::vector<unsigned char> there(kBlockBytes / 4096);
  REQUIRE(mincore(host.memory, kBlockBytes, there.data()) == 0);
  CHECK(std::ranges::count_if(there, [](unsigned char page) { return (page & 1) != 0; }) == 1);
}

TEST_CASE("blocks that stay the same are looked into more rarely", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.widen(0);
  host.look();
  host.look();
  host.overwrite(0);
  SECTION("too soon after it was the same twice") {
    host.look_once(11'000'000);
    host.look_once(1);
    REQUIRE(host.told().size() == 1);
    CHECK(host.log().matches()[0].until_ns == trace::ValueMatch::kNever);
  }
  SECTION("when it is due") {
    host.look();
    REQUIRE(host.told().size() == 1);
    CHECK(host.log().matches()[0].until_ns != trace::ValueMatch::kNever);
  }
}

TEST_CASE("while files of weights are in use blocks are looked into more often", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.widen(0);
  for (int i = 0; i < 6; ++i)
    host.look();
  host.overwrite(0);
  host.look_once(200'000'000);
  host.look_once(11'000'000);
  REQUIRE(host.told().back().until_ns == trace::ValueMatch::kNever);  // not yet
  host.book.expect_weights(host.recorded());
  host.look_once(4'000'000);
  host.look_once(4'000'000);
  CHECK(host.told().back().until_ns != trace::ValueMatch::kNever);
}

TEST_CASE("when the peak rises, what it is made of is looked into at once", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, 2 * kBlockBytes);
  host.widen(0);
  for (int i = 0; i < 6; ++i)
    host.look();
  host.overwrite(0);
  const std::uint64_t more = GENERATE(16 * kBlockBytes, kBlockBytes / 4);
  host.main.allocate(host.address + 4 * kBlockBytes, more);
  host.look_once(11'000'000);
  host.look_once(11'000'000);
  CHECK((host.told().back().until_ns == trace::ValueMatch::kNever) == (more < kBlockBytes));
}

TEST_CASE("what stood where a block had been, by the time of a look, is not told of it",
          "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.widen(0);
  host.look_once(kMuchLater);
  host.main.free(host.address);
  host.look();
  CHECK(host.told().empty());
}

TEST_CASE("what a block held when it was looked into, and until it went, is told of it",
          "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.widen(0);
  host.look_once(kMuchLater);
  host.pass_time(kMuchLater);
  host.main.free(host.address);
  host.look();
  CHECK(host.told().size() == 1);
}

TEST_CASE("what a block held last is told, however often it was filled", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  for (char fill = 0; fill < 9; ++fill) {
    host.overwrite(0, fill);
    host.look();
  }
  const std::uint64_t other_ns = host.now();
  host.widen(0);
  host.look();
  REQUIRE(host.told().size() == 1);
  CHECK(host.log().matches()[0].from_ns == other_ns);
  CHECK(host.log().matches()[0].until_ns == trace::ValueMatch::kNever);
}

TEST_CASE("what was not spent on looks is for the time when weights are loaded", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.widen(0);
  host.look();
  host.overwrite(0);
  // Three quarters of what may be spent, half of which is for other times.
  host.recorded().tables.values.spent_ns = host.now() / 200 / 4 * 3;
  host.look_once(500'000'000);
  host.look_once(500'000'000);
  REQUIRE(host.told().back().until_ns == trace::ValueMatch::kNever);
  host.book.expect_weights(host.recorded());
  host.look_once(6'000'000);  // What is saved up while they are read is free, too.
  SECTION("until it is spent") {
    host.recorded().tables.values.spent_ns = host.now();
    host.look_once(500'000'000);
    CHECK(host.told().back().until_ns == trace::ValueMatch::kNever);
  }
  SECTION("as it is needed") {
    host.look_once(500'000'000);
    CHECK(host.told().back().until_ns != trace::ValueMatch::kNever);
  }
}

TEST_CASE("blocks whose bytes were seen to come from a file are looked into as rarely as may be",
          "[value_book]") {
  Weights host;
  host.main.open(3, host.folder.file("weights"), kElements * sizeof(float));
  host.main.allocate(host.address, kBlockBytes);
  host.look();
  host.widen(0);
  const bool is_of_file = GENERATE(true, false);
  if (is_of_file)
    host.main.read_at(3, host.address, kBlockBytes, 0);
  host.look_once(200'000'000);
  host.look_once(11'000'000);
  CHECK(host.told().size() == (is_of_file ? 0 : 1));
  host.look();
  CHECK(host.told().back().until_ns == trace::ValueMatch::kNever);
}

TEST_CASE("a block that is there when its process ends is told", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, kBlockBytes);
  host.widen(0);
  host.look_once(kMuchLater);
  host.book.end(host.recorded());
  CHECK(host.told().size() == 1);
}

TEST_CASE("small blocks are not looked into", "[value_book]") {
  Weights host;
  host.main.allocate(host.address, wire::kLargeTouch - 1);
  host.widen(0);
  host.look();
  CHECK(host.told().empty());
}

namespace {

/// A file of float32 without a list of tensors, and a collector's heap with an array of these as
/// float64 behind a header.
struct CollectorsHeap : Weights {
  static constexpr std::uint64_t kMapped = 4 * kBlockBytes + 16384;
  static constexpr std::uint64_t kFloats = 4 * kElements;

  explicit CollectorsHeap(const wire::MappingArguments& how = tests::anonymous()) {
    for (std::uint64_t i = 0; i < kFloats; ++i)
      floats.push_back(static_cast<float>(i * 7919 % 1000003) / 3);
    const std::string path = folder.file("raw");
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(floats.data()),
               static_cast<std::streamsize>(kFloats * sizeof(float)));
    weights::PlainFile file;
    file.id = trace::FileId{7};
    file.file = open_regular_file(path);
    file.size = kFloats * sizeof(float);
    files.push_back(std::move(file));
    main.map(address, kMapped, how);
  }
  void fill(std::uint64_t header) const {
    auto* to = reinterpret_cast<double*>(memory + header);
    for (std::uint64_t i = 0; i < kFloats; ++i)
      to[i] = static_cast<double>(floats[i]);
  }
  const std::vector<trace::PackedMatch>& packed() {
    weights::ValueIndex no_tensors;
    book.tell({no_tensors, files});
    return log().packed();
  }

  std::vector<float> floats;
  std::vector<weights::PlainFile> files;
};

}  // namespace

TEST_CASE("an array in a collector's or a shared mapping is told, behind whatever header",
          "[value_book]") {
  const std::uint64_t header = GENERATE(0U, 2968U, 13488U);
  CollectorsHeap host(GENERATE(tests::anonymous(), tests::shared()));
  host.fill(header);
  host.look_at_new();
  host.look();
  REQUIRE(host.packed().size() == 1);
  const trace::PackedMatch& match = host.log().packed()[0];
  CHECK(match.allocation == 0);
  CHECK(match.file == trace::FileId{7});
  CHECK(match.type == "f64");
  CHECK(match.file_type == "f32");
  CHECK(match.distance == 0);
}

TEST_CASE("a mapping that has a file's bytes twice is told by its parts", "[value_book]") {
  constexpr std::uint64_t kBytes = CollectorsHeap::kFloats * sizeof(float);
  CollectorsHeap host;
  host.main.unmap(host.address, CollectorsHeap::kMapped);
  host.main.map(host.address, 2 * kBytes, tests::anonymous());
  const auto look = [&host] {
    host.OwnMemory::look_at_new();
    host.OwnMemory::look();
    for (int looks = 0; looks < 2; ++looks) {
      host.look_once(kMuchLater);
      host.book.look_at_parts(host.recorded());
    }
  };
  // A runtime's heap grows: what is touched of it is as long as the file at first.
  std::memcpy(host.memory, host.floats.data(), kBytes);
  look();
  const bool is_twice = GENERATE(true, false);
  CAPTURE(is_twice);
  if (is_twice) {
    std::memcpy(host.memory + kBytes, host.floats.data(), kBytes);
    look();
  }
  host.book.end(host.recorded());
  const auto& packed = host.packed();
  REQUIRE(packed.size() == (is_twice ? 2 : 1));
  CHECK(packed[0].is_part() == is_twice);
  for (std::size_t i = 0; is_twice && i < packed.size(); ++i) {
    CHECK(packed[i].begin == i * kBytes);
    CHECK(packed[i].bytes == kBytes);
  }
}

TEST_CASE("an array in a mapping is told whose ends were unmapped, as for a block that is aligned",
          "[value_book]") {
  CollectorsHeap host;
  constexpr std::uint64_t kPages = 8192;
  host.main.unmap(host.address, kPages);
  host.main.unmap(host.address + CollectorsHeap::kMapped - 4096, 4096);
  host.fill(kPages);
  SECTION("at its ends alone") {
    host.OwnMemory::look();
    host.look();
    REQUIRE(host.packed().size() == 1);
    CHECK(host.log().packed()[0].allocation == 0);
    CHECK(host.log().packed()[0].type == "f64");
  }
  SECTION("and in the middle: it is no one array") {
    host.main.unmap(host.address + CollectorsHeap::kMapped / 2 / 4096 * 4096, 4096);
    host.OwnMemory::look();
    host.look();
    CHECK(host.packed().empty());
  }
}

TEST_CASE("smaller mappings are looked into if they came since a file of weights was used",
          "[value_book]") {
  CollectorsHeap host;
  host.main.unmap(host.address, CollectorsHeap::kMapped);
  host.fill(0);
  host.look_once(20'000'000);
  const bool is_new = GENERATE(true, false);
  CAPTURE(is_new);
  if (is_new)
    host.book.expect_weights(host.recorded());
  host.main.map(host.address, 2 * ValueBook::kLarge, tests::anonymous());
  host.look_at_new();
  host.look();
  host.book.expect_weights(host.recorded());
  host.look();
  CHECK(host.packed().size() == (is_new ? 1 : 0));
}

TEST_CASE("of a collector's mapping nothing is told where it holds other values, or went",
          "[value_book]") {
  CollectorsHeap host;
  SECTION("other values further inside") {
    host.fill(2968);
    host.overwrite(kBlockBytes);
    host.look_at_new();
    host.look();
    CHECK(host.packed().empty());
  }
  SECTION("it has gone since, and nobody knows when") {
    host.fill(2968);
    host.look_at_new();
    host.look_once(kMuchLater);
    host.main.unmap(host.address, CollectorsHeap::kMapped);
    host.look_once(kMuchLater);
    CHECK(host.packed().empty());
  }
  SECTION("it is small") {
    host.main.unmap(host.address, CollectorsHeap::kMapped);
    host.main.map(host.address, 2 * ValueBook::kLarge, tests::anonymous());
    host.fill(0);
    host.look_at_new();
    host.look();
    CHECK(host.packed().empty());
  }
}

TEST_CASE("of a shared object that is mapped from its middle on, nothing is told as its beginning",
          "[value_book]") {
  wire::MappingArguments how = tests::shared();
  how.offset = 4096;
  CollectorsHeap host(how);
  host.fill(0);
  host.look_at_new();
  host.look();
  CHECK(host.packed().empty());
}

TEST_CASE("what a process has no pages of is gone from its own memory, and stays in shared memory",
          "[value_book]") {
  const bool is_shared = GENERATE(false, true);
  CollectorsHeap host(is_shared ? tests::shared() : tests::anonymous());
  host.fill(0);
  host.look_at_new();
  host.look();
  REQUIRE(madvise(host.memory, CollectorsHeap::kMapped, MADV_DONTNEED) == 0);
  host.look();
  REQUIRE(host.packed().size() == 1);
  CHECK((host.log().packed()[0].until_ns > host.now()) == is_shared);
}
