// What a file holds, by its bytes: small files that are what each kind begins with.

#include "collector/os/content/file_content.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace tidemark;
using namespace std::string_literals;
using namespace std::string_view_literals;
using tidemark::tests::TemporaryFolder;

namespace {

FileContent content_of(const TemporaryFolder& folder, std::string_view bytes) {
  const std::string path = folder.file("file", bytes);
  return look_into(open_regular_file(path), std::filesystem::file_size(path));
}

/// Whether its word may be one of FORMAT.md.
bool has_word(const FileContent& content) {
  constexpr std::size_t kLongest = 20;
  return content.word.size() <= kLongest && std::ranges::all_of(content.word, [](char letter) {
           return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                  letter == '_' || letter == '-';
         });
}

std::string padded(std::string_view bytes, std::size_t size = 8192) {
  std::string text(bytes);
  text.resize(size, '\xb5');
  return text;
}

std::string number(std::uint64_t value, std::size_t width) {
  std::string bytes;
  for (std::size_t i = 0; i < width; ++i) {
    bytes += static_cast<char>(i < sizeof value ? value >> 8 * i : 0);
  }
  return bytes;
}

struct Entry {
  std::string name;
  std::uint64_t unpacked = 100;
  bool is_packed = false;
};

/// As zipfile writes it, without the contents.
std::string zip(const std::vector<Entry>& entries) {
  std::string file = "PK\x03\x04" + padded("", 400);
  std::string directory;
  for (const Entry& entry : entries) {
    directory += "PK\x01\x02" + number(0, 6) + number(entry.is_packed ? 8 : 0, 2) + number(0, 12) +
                 number(entry.unpacked, 4) + number(entry.name.size(), 2) + number(0, 16) +
                 entry.name;
  }
  const std::string end = "PK\x05\x06" + number(0, 8) + number(directory.size(), 4) +
                          number(file.size(), 4) + number(0, 2);
  return file + directory + end;
}

std::string octal(std::uint64_t value, std::size_t digits) {
  std::string text(digits, '0');
  for (std::size_t i = digits; i-- > 0; value >>= 3U) {
    text[i] = static_cast<char>('0' + (value & 7U));
  }
  return text;
}

struct TarEntry {
  std::string name;
  std::string content;
  char type = '0';
  std::string magic = std::string(
      "ustar\0"
      "00",
      8);
};

/// As tar writes it.
std::string tar(const std::vector<TarEntry>& entries) {
  std::string file;
  for (const TarEntry& entry : entries) {
    std::string header(512, '\0');
    header.replace(0, entry.name.size(), entry.name);
    header.replace(100, 7, octal(0644, 7));
    header.replace(124, 11, octal(entry.content.size(), 11));
    header[156] = entry.type;
    header.replace(257, entry.magic.size(), entry.magic);
    header.replace(148, 8, "        ");
    std::uint64_t sum = 0;
    for (const char byte : header) {
      sum += static_cast<std::uint8_t>(byte);
    }
    header.replace(148, 7, octal(sum, 6) + '\0');
    file += header + entry.content;
    file.resize((file.size() + 511) / 512 * 512);
  }
  file.resize(file.size() + 1024);
  return file;
}

std::string onnx(std::size_t graph_bytes) {
  std::string file = "\x08\x08\x12\x07pytorch"s +
                     "\x1a\x03"
                     "2.0"s +
                     "\x3a";
  for (std::size_t rest = graph_bytes; rest != 0; rest >>= 7U) {
    file += static_cast<char>((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  }
  return file + std::string(graph_bytes, '\x0a') + "\x42\x02\x10\x11";
}

}  // namespace

TEST_CASE("the content of a file is told by its first bytes", "[file_content]") {
  const std::vector<std::pair<std::string, std::string_view>> files{
      {padded("GGUF\x03"), "gguf"},
      {padded("lmgg"), "ggml"},
      {padded(number(40, 8) + "{\"a\":{}}"), "safetensors"},
      {padded("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"), "torch"},
      {padded("\x1c\0\0\0TFL3"sv), "tflite"},
      {padded("\x40\0\0\0ET12"sv), "executorch"},
      {padded(number(0xF7E58D4F05049CB7, 8)), "tvm"},
      {padded(number(77, 8) + number(0xD225DE2F4214151D, 8)), "tvm"},
      {onnx(3000), "onnx"},
      {padded("\x89HDF\r\n\x1a\n"), "hdf5"},
      {padded(std::string(512, '\0') + "\x89HDF\r\n\x1a\n"), "hdf5"},
      {padded("\x93NUMPY\x01"), "npy"},
      {padded("\x80\x04\x95"), "pickle"},
      {padded("\x80\x02}q\x01"), "pickle"},
      {padded("X\n\0\0\0\x03\0\4\2\2"sv), "rds"},
      {padded("B\n\x02\0\0\0"sv), "rds"},
      {padded("RDX3\nX\n"), "rds"},
      {padded("X\n\0\0\0\x07"sv), ""},
      {padded("\xac\xed\0\x05sr"sv), "java_objects"},
      {padded("MATLAB 5.0 MAT-file, Platform: posix"), "mat"},
      {padded("#ASDF 1.0.0\n#ASDF_STANDARD 1.6.0\n"), "asdf"},
      {padded("\x9e\xa8"
              "b2frame\0"sv),
       "blosc2"},
      {padded("VOYA\x01"), "vectors"},
      {number(9, 4) + number(4, 4) + padded("", 36) + "usearch" + padded(""), "vectors"},
      {number(9, 4) + number(4, 4) + padded("", 32) + "usearch" + padded(""), ""},
      {number(9, 4) + number(0xffffffff, 4) + padded("usearch"), ""},
      {padded("100 20\nking \xb5", 8400), "vectors"},
      {padded("IxF2" + number(128, 4)), "vectors"},
      {padded("{\"learner\":{\"attributes\":{}"), "xgboost"},
      {padded("tree\nversion=v4\n"), "lightgbm"},
      {padded("\x7f"
              "ELF"),
       "program"},
      {padded("\xa7\x0d\r\n\0\0\0\0"sv), "program"},
      {padded("rust\0\0\0\x0a"sv), "program"},
      {padded("BC\xc0\xde"), "program"},
      {padded("MZ\x90\0"sv), "program"},
      {padded("\xda\xda\xfe\xca"), "runtime"},
      {padded("\x20\0\xda\x27\x14\0"sv), "runtime"},
      {padded("\x09\x01\x02\xde"), "runtime"},
      {padded(number(1, 4) + number(2, 4) + number(3, 4) + "11.3.244.8" + std::string(60, '\0')),
       "runtime"},
      {std::string(4086, '\0') + "SWAPSPACE2", "runtime"},
      {padded("\0\1\0\0\0\x0e"sv), "font"},
      {padded("SQLite format 3\0"sv), "database"},
      {padded(number(0, 16) + number(0xBEEFC0DE, 4)), "database"},
      {padded("") + number(0x88e241b785f4cff7, 8), "database"},
      {padded("PAR1"), "table"},
      {padded("RIFF1234WAVE"), "media"},
      {padded("\x1f\x8b\x08"), "archive"},
      {padded("\x78\x9c\xec"), "archive"},
      {padded("\x78\x9c\x06"), ""},  // deflate has no blocks of that type
      {padded(number(376, 8) + "{\"a\":"), "safetensors"},
      {"x^2 + y^2 is a text\nand no archive\n", "text"},
      {padded("070701000"), "archive"},
      {padded("QFI\xfb"), "disk"},
      {padded(std::string(0x8001, '\0') + "CD001", 0x9000), "disk"},
      {padded("gimp xcf v011"), "media"},
      {"one line of a text\nand another one\n", "text"},
      {"{\"tokenizer\": [1, 2, 3, 4, 5, 6]}", "text"},
      {"0.1725,-1.5e-3,0.5,1.25,-0.75", "text"},
      {"[[0.1725, -1.5e-3], [0.5, 1.25]]", "text"},
      {"0000000000000000000000000000", ""},
      {"0.1725,-1.5e-3,0.5,1.25,\x01\x02", ""},
      {padded(""), ""},
      {std::string(4096, '\0'), ""},
      {"", ""},
      {"G", ""},
  };
  const TemporaryFolder folder;
  for (const auto& [bytes, word] : files) {
    INFO(bytes.substr(0, 30) << " is " << word);
    CHECK(content_of(folder, bytes).word == word);
  }
}

TEST_CASE("archives are told by the names in them", "[file_content]") {
  const TemporaryFolder folder;
  CHECK(content_of(folder, zip({{"archive/data.pkl"}, {"archive/data/0", 9000}})).word == "torch");
  CHECK(content_of(
            folder,
            zip({{"n/data/weights/weight_0", 9000}, {"n/archive_format"}, {"n/.data/version"}}))
            .word == "torch");
  CHECK(content_of(folder, zip({{"n/weights/0", 9000}, {"n/archive_format"}})).word == "archive");
  CHECK(content_of(folder, zip({{"a.npy"}, {"b.npy"}})).word == "npz");
  // As torch.distributed.checkpoint writes them: an archive for each tensor, in one file.
  CHECK(content_of(folder, zip({{"word/document.xml"}}) + zip({{"archive/data.pkl"}})).word ==
        "torch");
  CHECK(content_of(folder, zip({{"archive/data.pkl"}}) + zip({{"word/document.xml"}})).word ==
        "archive");
  CHECK(content_of(folder, zip({{"config.json"}, {"model.weights.h5"}})).word == "keras");
  CHECK(content_of(folder, zip({{"META-INF/MANIFEST.MF"}, {"A.class"}})).word == "program");
  CHECK(content_of(folder, zip({{"word/document.xml"}})).word == "archive");
  CHECK(content_of(folder, "PK\x03\x04 and nothing more of it").word == "archive");
}

TEST_CASE("an archive is a bundle where most of it is weights by their names", "[file_content]") {
  const TemporaryFolder folder;
  CHECK(content_of(folder, zip({{"policy.pth", 9000}, {"data", 300}})).word == "bundle");
  CHECK(content_of(folder, zip({{"a/model.onnx", 9000}, {"a/vocabulary.txt", 8000}})).word ==
        "bundle");
  CHECK(content_of(folder, zip({{"photo.png", 9000}, {"weights.npy", 300}})).word == "archive");
  CHECK(content_of(folder, tar({{"weights/model.ckpt", padded("")}, {"a.yaml", "a: 1"}})).word ==
        "bundle");
  CHECK(content_of(folder, tar({{"src/a.c", padded("")}, {"src/w.npy", "few bytes"}})).word ==
        "archive");
  CHECK(content_of(folder, tar({{"src/", "", '5'}, {"src/a.c", padded("int a;\n")}})).word ==
        "archive");
}

TEST_CASE("a tar is a bundle where most of it begins like weights", "[file_content]") {
  const TemporaryFolder folder;
  const std::string weights = padded("GGUF\x03", 100'000);
  CHECK(content_of(folder, tar({{"sha256-11", weights}, {"README", padded("")}})).word == "bundle");
  CHECK(content_of(folder, tar({{"sha256-11", weights}, {"film.mkv", weights + weights}})).word ==
        "bundle");
  CHECK(content_of(folder, tar({{"b", padded("\x1a\x45\xdf\xa3", 100'000)}})).word == "archive");
  CHECK(content_of(folder, tar({{"libw.so", padded("\x7f"
                                                   "ELF",
                                                   100'000)}}))
            .word == "archive");
}

TEST_CASE("names of a tar's entries that are longer than its headers are known", "[file_content]") {
  const TemporaryFolder folder;
  const std::string name = std::string(150, 'a') + ".safetensors";
  CHECK(content_of(folder, tar({{"././@LongLink", name + '\0', 'L'},
                                {name.substr(0, 100), padded("")},
                                {"b", "c"}}))
            .word == "bundle");
  CHECK(content_of(folder, tar({{"PaxHeaders/a", "30 mtime=1.5\n171 path=" + name + "\n", 'x'},
                                {name.substr(0, 100), padded("")}}))
            .word == "bundle");
  CHECK(content_of(folder, tar({{"PaxHeaders/a", "x", 'x'}, {"a", padded("")}})).word == "archive");
}

TEST_CASE("a tar without the name of its format is told by its sum", "[file_content]") {
  const TemporaryFolder folder;
  CHECK(content_of(folder, tar({{"a", padded(""), '\0', ""}})).word == "archive");
  std::string broken = tar({{"a", padded(""), '\0', ""}});
  broken[5] = 'b';
  CHECK(content_of(folder, broken).word.empty());
}

TEST_CASE("what is packed is told, and how large it is when unpacked", "[file_content]") {
  const TemporaryFolder folder;
  const FileContent packed = content_of(folder, zip({{"a.npy", 9000, true}, {"b.npy", 1000}}));
  CHECK(packed.is_compressed);
  CHECK(packed.unpacked_bytes == 10000);
  const FileContent stored =
      content_of(folder, zip({{"a/data.pkl", 100, true}, {"a/data/0", 9000}}));
  CHECK_FALSE(stored.is_compressed);
  CHECK(stored.unpacked_bytes == 0);
  CHECK(content_of(folder, padded("\x28\xb5\x2f\xfd")).is_compressed);
  CHECK_FALSE(content_of(folder, padded("GGUF")).is_compressed);
}

TEST_CASE("HDF5 with a filter that packs is told", "[file_content]") {
  const TemporaryFolder folder;
  const std::string filter = number(1, 2) + number(8, 2) + number(1, 2) + number(1, 2) + "deflate";
  const std::string head = padded("\x89HDF\r\n\x1a\n");
  CHECK(content_of(folder, head + filter + '\0').is_compressed);
  CHECK_FALSE(content_of(folder, head + "we deflate\0"s).is_compressed);
  CHECK_FALSE(content_of(folder, head).is_compressed);
}

TEST_CASE("any bytes are looked into without a fall", "[file_content]") {
  const TemporaryFolder folder;
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
  std::vector<std::string> beginnings{"PK\x03\x04", "\x89HDF\r\n\x1a\n", "\x08\x08\x12", "9 9\n",
                                      ""};
  for (int round = 0; round < 400; ++round) {
    std::string bytes = beginnings[static_cast<std::size_t>(round) % beginnings.size()];
    const std::size_t size = random() % 3000;
    while (bytes.size() < size) {
      bytes += static_cast<char>(random());
    }
    std::string archive = round % 2 == 0 ? zip({{"a/data.pkl"}, {"b"}})
                                         : tar({{"a", "12 path=b\n", 'x'}, {"b", "GGUF"}});
    archive[random() % archive.size()] = static_cast<char>(random());
    CHECK(has_word(content_of(folder, bytes)));
    CHECK(has_word(content_of(folder, archive)));
    CHECK(
        has_word(content_of(folder, std::string_view(archive).substr(random() % archive.size()))));
  }
}
