#include "collector/drain/books/contents/value_book.hpp"

#include "tests/collector/drain/own_memory.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <sys/mman.h>

using namespace tidemark;
using tidemark::tests::TemporaryFolder;

namespace {

constexpr std::uint64_t kElements = std::uint64_t{1} << 18U;
constexpr std::uint64_t kBlockBytes = kElements * sizeof(double);
constexpr std::uint64_t kMuchLater = 3'000'000'000'000;  // Whatever the look before has cost.

/// A file of one tensor of float32, and heap blocks that hold it as float64.
struct Weights : tests::OwnMemory {
  Weights() {
    for (std::uint64_t i = 0; i < kElements; ++i)
      values.push_back(static_cast<float>(i) / 3);
    const std::string path = folder.file("weights");
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(kElements * sizeof(float)));
    const trace::Tensor tensor{
        .name = "w", .type = "f32", .elements = kElements, .bytes = kElements * sizeof(float)};
    index.add(trace::FileId{0}, open_regular_file(path), std::span(&tensor, 1));
  }
  void widen(std::uint64_t at, std::uint64_t count = kElements) const {
    auto* to = reinterpret_cast<double*>(memory + at);
    for (std::uint64_t i = 0; i < count; ++i)
      to[i] = static_cast<double>(values[i]);
  }
  void overwrite(std::uint64_t at, char first = 0) const {
    for (std::uint64_t i = 0; i < kBlockBytes; ++i)
      memory[at + i] = static_cast<char>(first + static_cast<char>(i % 251));
  }
  void look_once(std::uint64_t later_ns) {
    pass_time(later_ns);
    sink.move_on_to(now());
    recorded().tables.values.cost_ns = 0;  // On a busy machine it may be anything.
    book.look(recorded(), now());
  }
  /// Twice: what one look has seen the next one believes.
  void look(std::uint64_t later_ns = kMuchLater) {
    look_once(later_ns);
    look_once(later_ns);
  }
  Host& recorded() { return *assembler().processes().hosts().at(0); }
  const std::vector<trace::ValueMatch>& told() {
    book.tell(index);
    return log().matches();
  }

  EventSink sink{log()};
  ValueBook book{sink};
  TemporaryFolder folder;
  std::vector<float> values;
  weights::ValueIndex index;
};

}  // namespace

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

namespace {

/// What a host tells of a block of `size` bytes before it frees it.
struct Told {
  wire::LastValues said;
  std::vector<std::byte> payload;

  Told(const Weights& host, std::uint64_t at, std::uint64_t size) {
    constexpr std::uint64_t kAround = 512;
    said.address = host.address + at;
    said.inner_at = wire::values_place(size) - kAround;
    said.first_bytes = wire::kFirstValueBytes;
    said.inner_bytes = wire::kInnerValueBytes + 2 * kAround;
    const auto* const bytes = reinterpret_cast<const std::byte*>(host.memory + at);
    payload.assign(bytes, bytes + said.first_bytes);
    payload.insert(payload.end(), bytes + said.inner_at, bytes + said.inner_at + said.inner_bytes);
  }
};

void see(Weights& host, const Told& told) {
  Source source;
  source.host = &host.recorded();
  host.sink.move_on_to(host.now());
  host.book.see(source, told.said, {told.payload, {}});
}

}  // namespace

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

  CollectorsHeap() {
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
    main.map(address, kMapped, tests::anonymous());
  }
  void fill(std::uint64_t header) const {
    auto* to = reinterpret_cast<double*>(memory + header);
    for (std::uint64_t i = 0; i < kFloats; ++i)
      to[i] = static_cast<double>(floats[i]);
  }
  const std::vector<trace::PackedMatch>& packed() {
    book.tell_packed(files);
    return log().packed();
  }

  std::vector<float> floats;
  std::vector<weights::PlainFile> files;
};

}  // namespace

TEST_CASE("an array in a collector's mapping is told, behind whatever header", "[value_book]") {
  const std::uint64_t header = GENERATE(0U, 2968U, 13488U);
  CollectorsHeap host;
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

namespace {

/// Heap blocks of which one holds the others, one behind the other.
struct Arrays : Weights {
  static constexpr std::uint64_t kParts = 3;
  static constexpr std::uint64_t kPartBytes = kBlockBytes;

  [[nodiscard]] std::uint64_t at(std::uint64_t part) const { return part * kPartBytes; }
  static constexpr std::uint64_t kWholeAt = 4 * kPartBytes;

  void load() {
    for (std::uint64_t part = 0; part < kParts; ++part) {
      main.allocate(address + at(part), kPartBytes);
      auto* to = reinterpret_cast<std::uint64_t*>(memory + at(part));
      for (std::uint64_t i = 0; i < kElements; ++i)
        to[i] = (i + 1) * 0x9e3779b97f4a7c15ULL + part;
    }
    look();
  }
  void join(std::uint64_t parts = kParts) const {
    std::memcpy(memory + kWholeAt, memory, parts * kPartBytes);
  }
  void ask_for_whole() { main.allocate(address + kWholeAt, kParts * kPartBytes); }
  const std::vector<trace::Joined>& joined() {
    book.tell_joined();
    return log().joined();
  }
};

}  // namespace

TEST_CASE("blocks that a larger one holds one behind the other are told", "[value_book]") {
  Arrays host;
  host.load();
  host.ask_for_whole();
  host.join();
  host.look();
  REQUIRE(host.joined().size() == Arrays::kParts);
  for (std::uint64_t part = 0; part < Arrays::kParts; ++part) {
    const trace::Joined& joined = host.log().joined()[part];
    CHECK(joined.allocation == part);
    CHECK(joined.of == Arrays::kParts);
    CHECK(joined.begin == host.at(part));
    CHECK(joined.bytes == Arrays::kPartBytes);
    CHECK(joined.until_ns == trace::ValueMatch::kNever);
  }
}

TEST_CASE("a larger block that is being filled is told of once it is full", "[value_book]") {
  Arrays host;
  host.load();
  host.ask_for_whole();
  host.join(1);
  host.look();
  host.join();
  host.look();
  CHECK(host.joined().size() == Arrays::kParts);
}

TEST_CASE("blocks that were overwritten or went are not told to be in a larger one",
          "[value_book]") {
  Arrays host;
  host.load();
  host.ask_for_whole();
  SECTION("overwritten since") {
    host.join();
    host.look();
    host.overwrite(host.at(1));
    host.look();
    REQUIRE(host.joined().size() == Arrays::kParts);
    CHECK(host.log().joined()[0].until_ns == trace::ValueMatch::kNever);
    CHECK(host.log().joined()[1].until_ns < host.now());
  }
  SECTION("freed before") {
    host.join();
    host.main.free(host.address + host.at(1));
    host.look();
    CHECK(host.joined().empty());
  }
  SECTION("the larger one was freed, and nobody knows when") {
    host.join();
    host.look_once(kMuchLater);
    host.main.free(host.address + Arrays::kWholeAt);
    host.look_once(kMuchLater);
    CHECK(host.joined().empty());
  }
}
