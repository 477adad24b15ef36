#include "reference_loaders/bad_input.hpp"
#include "reference_loaders/burn/zip_reader.hpp"
#include "reference_loaders/burn/zip_writer.hpp"
#include "tests/reference_loaders/model_files.hpp"
#include "tests/support/catch.hpp"

using namespace tidemark::loaders;
using namespace tidemark::loaders::burn;

namespace {

/// "a/b" with the two bytes "xy", whose CRC-32 is 8fe62899, byte for byte as PyTorch's writer has
/// it.
std::string zip_by_hand() {
  return test::from_hex(R"(
      504b0304 0000 0808 0000 0000 0000 00000000 00000000 00000000 0300 1f00
      612f62  4642 1b00 5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a
      7879
      504b0708 9928e68f 02000000 02000000

      504b0102 0000 0000 0808 0000 0000 0000 9928e68f 02000000 02000000
      0300 0000 0000 0000 0000 00000000 00000000  612f62

      504b0606 2c00000000000000 1e03 2d00 00000000 00000000
      0100000000000000 0100000000000000 3100000000000000 5200000000000000
      504b0607 00000000 8300000000000000 01000000
      504b0506 0000 0000 0100 0100 31000000 52000000 0000)");
}

std::string written(std::uint64_t in_64_from = 0xffffffff) {
  std::string file;
  StringSink sink(&file);
  ZipWriter zip(sink, in_64_from);
  zip.add("a/b", "xy");
  zip.finish();
  return file;
}

/// The payload of "a/b".
std::string read(const std::string& file) {
  const auto source = open_memory(file, "model.pt");
  const ZipIndex index = ZipIndex::read(*source);
  const ZipEntry* entry = index.find("a/b");
  return entry != nullptr ? read_entry(*source, index, *entry) : "no entry";
}

}  // namespace

TEST_CASE("a zip file is written byte for byte as by hand", "[burn][zip]") {
  CHECK(written() == zip_by_hand());
}

TEST_CASE("a zip file written by hand is read", "[burn][zip]") {
  CHECK(read(zip_by_hand()) == "xy");
}

TEST_CASE("sizes and offsets of 64 bits are written and read", "[burn][zip]") {
  const std::string in_64 = written(0);

  CHECK(in_64.size() > zip_by_hand().size());
  CHECK(in_64.find("xy") % 64 == 0);
  CHECK(read(in_64) == "xy");
}

TEST_CASE("a comment may follow the zip directory", "[burn][zip]") {
  std::string file = zip_by_hand() + "PK\x05\x06 and more";
  file[zip_by_hand().size() - 2] = 13;

  CHECK(read(file) == "xy");
}

TEST_CASE("more entries than 16 bits can count are read", "[burn][zip]") {
  std::string file;
  StringSink sink(&file);
  ZipWriter zip(sink);
  for (int number = 0; number < 70'000; ++number) {
    zip.add(std::to_string(number), std::string());
  }
  zip.finish();

  CHECK(ZipIndex::read(*open_memory(file, "many")).size() == 70'000);
}

TEST_CASE("what is wrong in a zip file is named with its offset", "[burn][zip][robustness]") {
  struct Wrong {
    std::size_t offset;
    std::string bytes;
    const char* says;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {64, "XY", "offset 64: the CRC-32 is"},
      {0, "X", "offset 0: no zip entry where the directory has one"},
      {26, "\xff\xff", "offset 0: an entry of 2 bytes does not fit"},
      {82, "X", "offset 82: no entry of the zip directory"},
      {82 + 8, "\x09", "offset 82: an encrypted entry"},
      {82 + 10, "\x08", "offset 82: an entry compressed with method 8"},
      {82 + 20, "\x03", "a stored entry has 2 bytes, but takes 3"},
      {82 + 28, "\xff", "does not fit into the 49 left"},
      {82 + 42, "\x51", "an entry of 2 bytes at offset 81 runs into the zip directory"},
      {131 + 32, "\x02", "a directory of 2 entries"},
      {131 + 40, "\xff\xff\xff\xff", "does not fit"},
      {131, "X", "offset 131: no zip64 directory end"},
      {187 + 8, "\xff", "offset 195: the zip64 directory end cannot be at offset 255"},
      {207, "X", "the end of its directory is missing"},
  }));
  CAPTURE(wrong.offset);
  std::string file = zip_by_hand();
  file.replace(wrong.offset, wrong.bytes.size(), wrong.bytes);

  CHECK_THROWS_WITH(read(file), Catch::Contains(wrong.says));
  CHECK_THROWS_AS(read(file), BadInput);
}
