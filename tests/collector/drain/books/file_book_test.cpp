// What is learned of files at the end: the values in a compressed archive are those of its arrays.
#include "collector/drain/books/file_book.hpp"

#include "tests/collector/drain/own_memory.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

using namespace tidemark;
using tidemark::tests::TemporaryFolder;
using trace::EventKind;

namespace {

constexpr std::size_t kArrayElements = std::size_t{1} << 19U;
constexpr std::uint64_t kDoubleBytes = kArrayElements * sizeof(double);
constexpr std::uint64_t kLongAfter = 3'000'000'000'000;  // Whatever the look before has cost.
constexpr std::uint32_t kArchive = 3;

std::vector<float> array_values(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(kArrayElements);
  for (float& value : values)
    value = normal(random);
  return values;
}

std::string array_of(const std::vector<float>& values) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (524288,), }";
  header.resize(117, ' ');
  header += '\n';
  std::string array("\x93NUMPY\x01\x00", 8);
  array += static_cast<char>(header.size());
  array += '\0';
  array += header;
  return array.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

std::string deflated(const std::string& bytes) {
  z_stream stream{};
  REQUIRE(::deflateInit2(&stream, 1, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(bytes.size() + 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  ::deflateEnd(&stream);
  return packed;
}

std::string number(std::uint64_t value, std::size_t width) {
  return {reinterpret_cast<const char*>(&value), width};
}

/// As numpy.savez_compressed writes it, but for what no reader here looks at: times, checksums.
std::string archive_of(const std::string& name, const std::string& array) {
  const std::string packed = deflated(array);
  const std::string facts = number(20, 2) + number(0, 2) + number(Z_DEFLATED, 2) + number(0, 8) +
                            number(packed.size(), 4) + number(array.size(), 4) +
                            number(name.size(), 2) + number(0, 2);
  const std::string local = "PK\x03\x04" + facts + name + packed;
  const std::string entry = "PK\x01\x02" + number(20, 2) + facts + std::string(14, '\0') + name;
  return local + entry + "PK\x05\x06" + number(0, 4) + number(1, 2) + number(1, 2) +
         number(entry.size(), 4) + number(local.size(), 4) + number(0, 2);
}

/// A host that read the archive, and has a block of float64.
struct UnpackingHost : tests::OwnMemory {
  void read_archive(const std::vector<float>& values) {
    read_file("weights.npz", archive_of("w.npy", array_of(values)));
  }
  void read_file(const std::string& name, const std::string& bytes) {
    const std::string path = folder.file(name);
    std::ofstream(path, std::ios::binary) << bytes;
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    main.open(kArchive, path, static_cast<std::uint64_t>(status.st_size), status.st_dev,
              status.st_ino);
    main.read(kArchive, static_cast<std::uint64_t>(status.st_size));
  }
  void hold_as_double(const std::vector<float>& values) {
    main.allocate(address, kDoubleBytes);
    auto* to = reinterpret_cast<double*>(memory);
    for (std::size_t i = 0; i < values.size(); ++i)
      to[i] = static_cast<double>(values[i]);
  }
  /// Twice: what one look has seen the next one believes.
  void look_twice() {
    for (int i = 0; i < 2; ++i) {
      pass_time(kLongAfter);
      Host& host = *assembler().processes().hosts().at(0);
      host.tables.values.cost_ns = 0;  // On a busy machine it may be anything.
      REQUIRE(assembler().are_values_due(host, now()));
      assembler().look_at_values(host, now());
    }
  }
  const std::vector<trace::ValueMatch>& matches() {
    assembler().files().look_into_files(0);
    return log().matches();
  }
  TemporaryFolder folder;
};

}  // namespace

TEST_CASE("a block with the values of a compressed array is told as its tensor", "[file_book]") {
  UnpackingHost host;
  host.read_archive(array_values(5));
  host.hold_as_double(array_values(5));
  host.look_twice();

  REQUIRE(host.matches().size() == 1);
  CHECK(host.matches()[0].type == "f64");
  CHECK(host.matches()[0].offset == 128);
}

TEST_CASE("an array that has no name in its file is called as the file", "[file_book]") {
  UnpackingHost host;
  host.read_file("embedding.npy", array_of(array_values(5)));
  host.assembler().files().look_into_files(0);
  REQUIRE(host.log().tensors().size() == 1);
  CHECK(host.log().tensors()[0].name == "embedding.npy");
}

TEST_CASE("a block with other values than a compressed array is none of its", "[file_book]") {
  UnpackingHost host;
  host.read_archive(array_values(5));
  host.hold_as_double(array_values(6));
  host.look_twice();
  CHECK(host.matches().empty());
}

TEST_CASE("a large file that has two names is one file", "[file_book]") {
  constexpr std::uint64_t kModelBytes = std::uint64_t{4} << 20U;
  constexpr std::uint64_t kDevice = 0x801;
  constexpr std::uint64_t kInode = 77;
  tests::OwnSession session;
  tests::RecordedThread main{session, 0, 0, static_cast<std::uint32_t>(::getpid())};
  const auto& files = session.log().files();
  main.open(3, "/hub/blobs/4f2a", kModelBytes, kDevice, kInode);
  REQUIRE(files.size() == 1);
  SECTION("it is opened by its second name, again and again") {
    main.open(4, "/hub/snapshots/model.safetensors", kModelBytes, kDevice, kInode);
    main.open(5, "/hub/snapshots/model.safetensors", kModelBytes, kDevice, kInode);
    main.read(5, 100);
    CHECK(files.size() == 1);
    CHECK(session.log().of_kind(EventKind::kRead).at(0).extra == 0);
  }
  SECTION("another file of that size") {
    main.open(4, "/hub/snapshots/model.safetensors", kModelBytes, kDevice, kInode + 1);
    CHECK(files.size() == 2);
  }
  SECTION("on another device") {
    main.open(4, "/hub/snapshots/model.safetensors", kModelBytes, kDevice + 1, kInode);
    CHECK(files.size() == 2);
  }
  SECTION("its number is another file's by then") {
    const std::uint32_t flags = GENERATE(wire::kFileChanged, wire::kFileWritable);
    main.open(4, "/hub/new.safetensors", kModelBytes, kDevice, kInode, flags);
    CHECK(files.size() == 2);
  }
  SECTION("its number is that of a larger file by then") {
    main.open(4, "/hub/new.safetensors", 2 * kModelBytes, kDevice, kInode);
    CHECK(files.size() == 2);
  }
  SECTION("its name is another file's by then") {
    main.open(4, "/hub/blobs/4f2a", kModelBytes, kDevice, kInode + 1);
    main.open(5, "/hub/old.safetensors", kModelBytes, kDevice, kInode);
    CHECK(files.size() == 2);
  }
}

TEST_CASE("a ring is likely when a file is opened that may be a model", "[file_book]") {
  tests::OwnSession session;
  tests::RecordedThread main{session, 0, 0, static_cast<std::uint32_t>(::getpid())};
  const HostSampling& sampling = session.assembler().processes().hosts().at(0)->sampling;
  main.open(kArchive, "/m/settings.json", 1000);
  CHECK(sampling.rings.expected_ns == 0);
  main.open(kArchive + 1, "/m/model.safetensors", std::uint64_t{4} << 20U);
  CHECK(sampling.rings.expected_ns == session.now());
}

TEST_CASE("a model that was named is looked into, whoever read it past every hook", "[file_book]") {
  const bool is_folder = GENERATE(false, true);
  CAPTURE(is_folder);
  UnpackingHost host;
  const std::string path = host.folder.file("embedding.npy");
  std::ofstream(path, std::ios::binary) << array_of(array_values(5));
  host.hold_as_double(array_values(5));
  host.look_twice();
  host.assembler().files().note_model(is_folder ? path.substr(0, path.find_last_of('/')) : path);
  host.assembler().files().look_into_files(0);
  REQUIRE(host.log().matches().size() == 1);
  CHECK(host.log().matches()[0].type == "f64");
  REQUIRE(host.log().tensors().size() == 1);
  CHECK(host.log().tensors()[0].name == "embedding.npy");
}

TEST_CASE("what is named as a model but is none of a size is not looked into", "[file_book]") {
  UnpackingHost host;
  const std::string small = host.folder.file("small.npy");
  std::ofstream(small, std::ios::binary) << "\x93NUMPY";
  for (const std::string& name : {small, std::string("512MiB"), std::string(), small + "/none"}) {
    CAPTURE(name);
    host.assembler().files().note_model(name);
    CHECK(host.matches().empty());
    CHECK(host.log().tensors().empty());
  }
}

TEST_CASE("of a folder that is named what lies beside a model that was read is none",
          "[file_book]") {
  UnpackingHost host;
  host.read_file("embedding.npy", array_of(array_values(5)));
  const std::string other = host.folder.file("other.npy");
  std::ofstream(other, std::ios::binary) << array_of(array_values(6));
  host.assembler().files().note_model(other.substr(0, other.find_last_of('/')));
  host.assembler().files().look_into_files(0);
  REQUIRE(host.log().tensors().size() == 1);
  CHECK(host.log().tensors()[0].name == "embedding.npy");
}
