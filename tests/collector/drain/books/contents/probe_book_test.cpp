// Arrays of a weight file are found anywhere in a large mapping, and nothing else is.
#include "collector/drain/books/contents/probe_book.hpp"

#include "collector/process/page_map.hpp"
#include "tests/collector/drain/own_memory.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

using namespace tidemark;
using tidemark::tests::TemporaryFolder;

namespace {

constexpr std::uint64_t kFloats = std::uint64_t{1} << 20U;
constexpr std::uint64_t kFileBytes = kFloats * sizeof(float);
constexpr std::uint64_t kHeapBytes = std::uint64_t{32} << 20U;
/// No multiple of what is looked at, and behind an object's header.
constexpr std::uint64_t kSomewhere = 3 * kFileBytes / 4 + 41'000 + 16;

constexpr std::uint64_t kAllTheTime = 3'000'000'000'000;  // Of a busy machine.

/// A file of float32 without a list of tensors, and a process with a large mapping.
struct ArrayHeap : tests::OwnMemory {
  explicit ArrayHeap(const wire::MappingArguments& how = tests::anonymous()) {
    for (std::uint64_t i = 0; i < kFloats; ++i)
      values.push_back(static_cast<float>(i * 7919 % 1'000'003) / 3);
    const std::string path = folder.file("weights");
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()), kFileBytes);
    weights::PlainFile file;
    file.id = trace::FileId{7};
    file.file = open_regular_file(path);
    file.size = kFileBytes;
    files.push_back(std::move(file));
    main.map(address, kHeapBytes, how);
  }
  /// Other values, all over the mapping.
  void fill() const {
    auto* to = reinterpret_cast<float*>(memory);
    for (std::uint64_t i = 0; i < kHeapBytes / sizeof(float); ++i)
      to[i] = static_cast<float>(i % 1'000'003) * -7;
  }
  void copy_to(std::uint64_t at, std::uint64_t first = 0, std::uint64_t count = kFloats) const {
    std::memcpy(memory + at, values.data() + first, count * sizeof(float));
  }
  void look_once(std::uint64_t max_ns = kAllTheTime) {
    look_at_new();  // A mapping counts from the first look at its pages on.
    sink.move_on_to(now());
    book.look(process(), max_ns);
  }
  /// Twice: what one look has seen the next one believes.
  void look() {
    look_once();
    look_once();
  }
  const std::vector<trace::PackedMatch>& told(
      const std::unordered_set<trace::AllocationNumber>& whole = {}) {
    book.end(process());
    weights::WordPlaces words;
    weights::PartSearch search(words, false);
    book.want_in(search);
    for (const weights::PlainFile& file : files) {
      words.read(file);
      search.note_read(file);
    }
    parts = book.take_parts(search, files, whole);
    return parts;
  }

  EventSink sink{log()};
  ProbeBook book{sink};
  TemporaryFolder folder;
  std::vector<float> values;
  std::vector<weights::PlainFile> files;
  std::vector<trace::PackedMatch> parts;
};

}  // namespace

TEST_CASE("an array anywhere in a mapping is told, with where it lies", "[probe_book]") {
  ArrayHeap host(GENERATE(tests::anonymous(), tests::shared()));
  host.fill();
  host.copy_to(kSomewhere);
  host.look();
  REQUIRE(host.told().size() == 1);
  const trace::PackedMatch& part = host.parts[0];
  CHECK(part.allocation == 0);
  CHECK(part.file == trace::FileId{7});
  CHECK(part.begin == kSomewhere);
  CHECK(part.bytes == kFileBytes);
  CHECK(part.offset == 0);
  CHECK(part.distance == 0);
  CHECK(part.type.empty());
  CHECK(part.from_ns == 0);
  CHECK(part.until_ns == trace::ValueMatch::kNever);
}

TEST_CASE("an array of a wider type is told as that", "[probe_book]") {
  ArrayHeap host;
  host.fill();
  std::vector<double> wide(host.values.begin(), host.values.end());
  std::memcpy(host.memory + kSomewhere, wide.data(), wide.size() * sizeof(double));
  host.look();
  REQUIRE(host.told().size() == 1);
  const trace::PackedMatch& part = host.parts[0];
  CHECK(part.begin == kSomewhere);
  CHECK(part.bytes == 2 * kFileBytes);
  CHECK(part.type == "f64");
  CHECK(part.file_type == "f32");
}

namespace {

/// The part of the file that an array has.
constexpr std::uint64_t kFirst = kFloats / 4;
constexpr std::uint64_t kCount = kFloats / 2;

}  // namespace

TEST_CASE("a part of the file is told to half a step at each end", "[probe_book]") {
  ArrayHeap host;
  host.fill();
  host.copy_to(kSomewhere, kFirst, kCount);
  host.look();
  REQUIRE(host.told().size() == 1);
  const trace::PackedMatch& part = host.parts[0];
  CHECK(part.begin - part.offset == kSomewhere - kFirst * sizeof(float));
  const auto missed = static_cast<double>(kSomewhere) - static_cast<double>(part.begin);
  CHECK(std::abs(missed) <= static_cast<double>(ProbeBook::kStep) / 2);
  CHECK(std::abs(static_cast<double>(part.bytes) - static_cast<double>(kCount * sizeof(float))) <=
        static_cast<double>(ProbeBook::kStep));
}

TEST_CASE("a tensor that a file lists is told from its begin to its end", "[probe_book]") {
  ArrayHeap host;
  host.fill();
  host.copy_to(kSomewhere, kFirst, kCount);
  host.look();
  const std::vector<trace::Tensor> tensors{{.name = "w",
                                            .type = "f32",
                                            .elements = kCount,
                                            .begin = kFirst * sizeof(float),
                                            .bytes = kCount * sizeof(float)}};
  host.files[0].borders = weights::borders_of(tensors);
  REQUIRE(host.told().size() == 1);
  CHECK(host.parts[0].begin == kSomewhere);
  CHECK(host.parts[0].bytes == kCount * sizeof(float));
}

TEST_CASE("an array that moves is told twice, each with its time", "[probe_book]") {
  constexpr std::uint64_t kElsewhere = kSomewhere + 4 * kFileBytes;
  ArrayHeap host;
  host.fill();
  host.copy_to(kSomewhere);
  host.look();
  const std::uint64_t there_ns = host.now();
  host.fill();
  host.copy_to(kElsewhere);
  host.look();
  REQUIRE(host.told().size() == 2);
  const trace::PackedMatch& before = host.parts[0];
  const trace::PackedMatch& after = host.parts[1];
  CHECK(before.begin == kSomewhere);
  CHECK(before.until_ns == there_ns);
  CHECK(after.begin == kElsewhere);
  CHECK(after.from_ns == there_ns);
  CHECK(after.until_ns == trace::ValueMatch::kNever);
}

TEST_CASE("what comes into a heap block is what it was asked for, and into a mapping what came",
          "[probe_book]") {
  ArrayHeap host;
  const bool is_block = GENERATE(true, false);
  CAPTURE(is_block);
  if (is_block) {
    host.main.unmap(host.address, kHeapBytes);
    host.main.allocate(host.address, ProbeBook::kFreshBlock);
  }
  std::memset(host.memory, 0, kHeapBytes);
  host.look();
  const std::uint64_t before_ns = host.now();
  host.copy_to(kSomewhere);
  host.look();
  REQUIRE(host.told().size() == 1);
  CHECK(host.parts[0].from_ns == (is_block ? 0 : before_ns));
}

TEST_CASE("of a mapping nothing is told that is not known to hold the file", "[probe_book]") {
  ArrayHeap host;
  SECTION("other values") {
    host.fill();
    host.look();
    CHECK(host.told().empty());
  }
  SECTION("zeros, of which the file has many") {
    std::ofstream(host.folder.file("zeros"), std::ios::binary) << std::string(kFileBytes, '\0');
    host.files[0].file = open_regular_file(host.folder.file("zeros"));
    std::memset(host.memory, 0, kHeapBytes);
    host.look();
    CHECK(host.told().empty());
  }
  SECTION("it went, and nobody knows when") {
    host.copy_to(kSomewhere);
    host.look_once();
    host.main.unmap(host.address, kHeapBytes);
    CHECK(host.told().empty());
  }
  SECTION("it is small") {
    host.main.unmap(host.address, kHeapBytes);
    host.main.map(host.address, ProbeBook::kLargeMapping - wire::kPageBytes, tests::anonymous());
    host.copy_to(0, 0, kFloats / 2);
    host.look();
    CHECK(host.told().empty());
  }
  SECTION("it is known to hold one array as a whole") {
    host.copy_to(kSomewhere);
    host.look();
    CHECK(host.told({0}).empty());
  }
}

TEST_CASE("a round that takes several looks finds the same", "[probe_book]") {
  ArrayHeap host;
  host.main.unmap(host.address, kHeapBytes);
  host.main.map(host.address, ProbeBook::kLargeMapping, tests::anonymous());
  host.main.map(host.address + kHeapBytes / 4, kHeapBytes / 2, tests::anonymous());
  host.fill();
  host.copy_to(kHeapBytes / 4 + kSomewhere);
  for (int look = 0; look < 2; ++look) {
    host.look_once(0);
    CHECK(host.process().tables.probes.round.next != 0);
  }
  host.look_once(0);
  CHECK(host.process().tables.probes.round.next == 0);
  REQUIRE(host.told().size() == 1);
  CHECK(host.parts[0].begin == kSomewhere);
  CHECK(host.parts[0].until_ns == trace::ValueMatch::kNever);
}

TEST_CASE("of a process that maps again and again no more than so many places are kept",
          "[probe_book]") {
  constexpr std::uint64_t kMaxCopies = ProbeBook::kMaxKept / (kHeapBytes / ProbeBook::kStep);
  ArrayHeap host;
  host.fill();
  host.copy_to(kSomewhere);
  for (std::uint64_t round = 0; round < kMaxCopies + 20; ++round) {
    host.look();
    host.main.unmap(host.address, kHeapBytes);
    host.main.map(host.address, kHeapBytes, tests::anonymous());
  }
  CHECK(host.told().size() <= kMaxCopies + 1);
  CHECK(host.parts.size() > kMaxCopies / 2);
}

TEST_CASE("what was never touched is not touched by a look", "[probe_book]") {
  ArrayHeap host;
  host.copy_to(kSomewhere);
  const auto resident = [&host] {
    return PageMap(getpid()).present_bytes(host.address, host.address + kHeapBytes);
  };
  const std::uint64_t before = resident();
  host.look();
  CHECK(before < 2 * kFileBytes);
  CHECK(resident() == before);
}

TEST_CASE("large mappings are looked into once a file was used that may have weights",
          "[probe_book]") {
  ArrayHeap host;
  host.pass_time(1'000'000);
  host.sink.move_on_to(host.now());
  CHECK_FALSE(host.book.is_due(host.process()));
  host.process().tables.values.last_use_ns = host.now();
  host.pass_time(20'000'000);
  host.sink.move_on_to(host.now());
  CHECK(host.book.is_due(host.process()));
  host.look();
  CHECK_FALSE(host.book.is_due(host.process()));
}
