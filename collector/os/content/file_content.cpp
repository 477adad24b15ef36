#include "collector/os/content/file_content.hpp"

#include "collector/os/content/tar_content.hpp"
#include "collector/os/content/zip_content.hpp"
#include "collector/os/file_bytes.hpp"
#include "collector/trace/types/content_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace tidemark {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeadBytes = std::size_t{64} << 10U;

struct Magic {
  std::size_t at;
  std::string_view bytes;
  std::string_view word;
  bool is_compressed = false;
};

/// Magic numbers at a fixed place. If one is a prefix of another, the longer one comes first.
constexpr std::array kMagics{
    // Weights.
    Magic{0, "GGUF"sv, "gguf"},
    Magic{0, "lmgg"sv, "ggml"},
    Magic{0, "fmgg"sv, "ggml"},
    Magic{0, "tjgg"sv, "ggml"},
    Magic{0, "algg"sv, "ggml"},
    Magic{0, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv, "torch"},
    Magic{4, "TFL3"sv, "tflite"},
    Magic{4, "ET12"sv, "executorch"},
    Magic{4, "FT01"sv, "executorch"},
    Magic{0, "\xb7\x9c\x04\x05\x4f\x8d\xe5\xf7"sv, "tvm"},  // a list of arrays
    Magic{8, "\x1d\x15\x14\x42\x2f\xde\x25\xd2"sv, "tvm"},  // executables of the virtual machine
    Magic{8, "\x1e\x15\x14\x42\x2f\xde\x25\xd2"sv, "tvm"},
    Magic{0, "\x12\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv, "mxnet"},
    Magic{0, "\xba\x16\x4f\x2f"sv, "fasttext"},
    Magic{0, "{\"learner\""sv, "xgboost"},
    Magic{0, "{L\0\0\0\0\0\0\0\x07learner"sv, "xgboost"},
    Magic{0, "tree\nversion=v"sv, "lightgbm"},
    Magic{0, "CBM1"sv, "catboost"},
    Magic{0, "svm_type "sv, "svm"},
    Magic{0, "solver_type "sv, "svm"},
    Magic{0, "\x20\x2f\xf3\x7a"sv, "nnue"},
    // Arrays of any meaning.
    Magic{0, "\x93NUMPY"sv, "npy"},
    Magic{0, "X\n\0\0\0\x02"sv, "rds"},  // R's saveRDS, as XDR,
    Magic{0, "X\n\0\0\0\x03"sv, "rds"},
    Magic{0, "B\n\x02\0\0\0"sv, "rds"},  // and as it is in memory,
    Magic{0, "B\n\x03\0\0\0"sv, "rds"},
    Magic{0, "RDX2\nX\n"sv, "rds"},  // and R's save
    Magic{0, "RDX3\nX\n"sv, "rds"},
    Magic{0, "\xac\xed\0\x05"sv, "java_objects"},
    Magic{0, "MATLAB 5.0 MAT-file"sv, "mat"},
    Magic{0, "#ASDF 1."sv, "asdf"},
    Magic{2, "b2frame\0"sv, "blosc2", true},
    Magic{0, "VOYA"sv, "vectors"},
    // Programs.
    Magic{0,
          "\x7f"
          "ELF"sv,
          "program"},
    Magic{0, "!<arch>\n"sv, "program"},
    Magic{0, "\xca\xfe\xba\xbe"sv, "program"},
    Magic{0, "\xcf\xfa\xed\xfe"sv, "program"},
    Magic{0, "\0asm"sv, "program"},
    Magic{0, "#!/"sv, "program"},
    Magic{0, "FOR1"sv, "program"},
    Magic{0, "MZ\x90\0"sv, "program"},
    Magic{0, "BC\xc0\xde"sv, "program"},  // LLVM's bitcode
    Magic{0, "rust\0\0\0"sv, "program"},  // metadata of a crate
    Magic{0, "gpch"sv, "program"},        // headers precompiled by gcc,
    Magic{0, "CPCH"sv, "program"},        // and by clang
    Magic{0, "Caml1999"sv, "program"},
    Magic{0, "\x1bLua"sv, "program"},
    Magic{0, "PERFILE2"sv, "runtime"},
    Magic{0, "\xf5\xf5\xdc\xdc"sv, "program"},
    // Files of a language runtime or the system.
    Magic{0, "\xda\xda\xfe\xca"sv, "runtime"},  // lib/modules of a JDK
    Magic{0, "\xa2\xab\x0b\xf0"sv, "runtime"},  // shared classes of a JDK
    Magic{0, "\xa8\xab\x0b\xf0"sv, "runtime"},  // the same, layered on top
    Magic{2, "\xda\x27\x14\0"sv, "runtime"},    // ICU
    Magic{0, "\x09\x01\x02\xde"sv, "runtime"},  // the locale archive
    Magic{0, "\xde\x12\x04\x95"sv, "runtime"},  // gettext
    Magic{0, "\x20\x07\x09\x20"sv, "runtime"},  // a locale's characters,
    Magic{0, "\x17\x10\x05\x20"sv, "runtime"},  // and their order
    Magic{0, "TZif"sv, "runtime"},              // time zones
    Magic{0, "glibc-ld.so.cache"sv, "runtime"},
    Magic{0, "DUMPEDGNUEMACS"sv, "runtime"},
    Magic{4086, "SWAPSPACE2"sv, "runtime"},
    Magic{0, "OTTO"sv, "font"},
    Magic{0, "ttcf"sv, "font"},
    Magic{0, "wOFF"sv, "font"},
    Magic{0, "wOF2"sv, "font"},
    Magic{0,
          "\x01"
          "fcp"sv,
          "font"},
    // Records that are looked up and changed.
    Magic{0, "SQLite format 3\0"sv, "database"},
    Magic{8, "DUCK"sv, "database"},
    Magic{16, "\xde\xc0\xef\xbe"sv, "database"},  // LMDB
    Magic{12, "\x62\x31\x05\x00"sv, "database"},  // Berkeley DB: tree, hash
    Magic{12, "\x61\x15\x06\x00"sv, "database"},
    Magic{0, "REDIS0"sv, "database"},
    Magic{0, "PACK\0\0\0"sv, "database"},  // git
    Magic{0, "\xfftOc"sv, "database"},
    Magic{0, "DIRC\0\0\0"sv, "database"},
    Magic{0, "LPKSHHRH"sv, "database"},  // systemd's journal
    // Tables of data.
    Magic{0, "PAR1"sv, "table"},
    Magic{0, "ARROW1"sv, "table"},
    Magic{0, "FEA1"sv, "table"},
    Magic{0, "ORC"sv, "table"},
    Magic{0, "Obj\x01"sv, "table"},
    // Pictures, sound, films, papers.
    Magic{0, "\x89PNG\r\n\x1a\n"sv, "media"},
    Magic{0, "\xff\xd8\xff"sv, "media"},
    Magic{0, "GIF8"sv, "media"},
    Magic{0, "II*\0"sv, "media"},
    Magic{0, "MM\0*"sv, "media"},
    Magic{0, "RIFF"sv, "media"},
    Magic{0, "OggS"sv, "media"},
    Magic{0, "fLaC"sv, "media"},
    Magic{0, "ID3"sv, "media"},
    Magic{4, "ftyp"sv, "media"},
    Magic{0, "\x1a\x45\xdf\xa3"sv, "media"},
    Magic{0, "%PDF-"sv, "media"},
    Magic{0, "FORM"sv, "media"},
    Magic{0, ".snd"sv, "media"},
    Magic{0, "8BPS"sv, "media"},
    Magic{0, "gimp xcf"sv, "media"},
    Magic{0, "\x76\x2f\x31\x01"sv, "media"},  // OpenEXR
    Magic{0, "P4\n"sv, "media"},
    Magic{0, "P5\n"sv, "media"},
    Magic{0, "P6\n"sv, "media"},
    Magic{0, "P7\n"sv, "media"},
    // Disks and file systems.
    Magic{0, "QFI\xfb"sv, "disk"},
    Magic{0, "KDMV"sv, "disk"},
    Magic{0, "vhdxfile"sv, "disk"},
    Magic{64, "\x7f\x10\xda\xbe"sv, "disk"},
    Magic{0, "hsqs"sv, "disk"},
    Magic{512, "EFI PART"sv, "disk"},
    Magic{0x8001, "CD001"sv, "disk"},
    // Archives, which may hold anything.
    Magic{0, "070701"sv, "archive"},
    Magic{0, "070707"sv, "archive"},
    Magic{0, "\xed\xab\xee\xdb"sv, "archive", true},  // RPM
    Magic{0, "MSCF"sv, "archive", true},
    Magic{0, "LZIP"sv, "archive", true},
    Magic{0, "\x1f\x8b\x08"sv, "archive", true},
    Magic{0, "\x28\xb5\x2f\xfd"sv, "archive", true},
    Magic{0,
          "\xfd"
          "7zXZ\0"sv,
          "archive", true},
    Magic{0, "BZh"sv, "archive", true},
    Magic{0, "\x04\x22\x4d\x18"sv, "archive", true},
    Magic{0, "7z\xbc\xaf\x27\x1c"sv, "archive", true},
    Magic{0, "Rar!\x1a\x07"sv, "archive", true},
};

bool stands_at(std::string_view head, const Magic& magic) {
  return head.size() > magic.at && head.substr(magic.at).starts_with(magic.bytes);
}

/// The header's length, then the header, in JSON.
bool is_safetensors(std::string_view head, std::uint64_t size) {
  constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
  const std::uint64_t header = number_at(head, 0, 8);
  return head.size() > 9 && header >= 2 && header <= kMaxHeaderBytes && header + 8 <= size &&
         head[8] == '{' && (head[9] == '"' || head[9] == '}' || head[9] == ' ');
}

/// A varint of protocol buffers at `at`, which moves behind it; false where it has no end.
bool take_varint(std::string_view bytes, std::size_t& at, std::uint64_t& value) {
  constexpr unsigned kMaxNumberBits = 64;
  value = 0;
  for (unsigned shift = 0; shift < kMaxNumberBits && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(bytes[at++]);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) {
      return true;
    }
  }
  return false;
}

/// A ModelProto (onnx.proto): its version first, and a graph that takes most of the file.
bool is_onnx(std::string_view head, std::uint64_t size) {
  constexpr std::uint64_t kVersion = 1;
  constexpr std::uint64_t kGraph = 7;
  constexpr std::uint64_t kLastField = 26;
  if (!head.starts_with('\x08')) {
    return false;
  }
  std::size_t at = 0;
  std::uint64_t tag = 0;
  std::uint64_t value = 0;
  while (take_varint(head, at, tag) && take_varint(head, at, value)) {
    const std::uint64_t field = tag >> 3U;
    const bool is_number = (tag & 7U) == 0;
    const bool is_text = (tag & 7U) == 2;
    if (field == 0 || field > kLastField || (!is_number && !is_text) ||
        (is_text && value > size - at)) {
      return false;
    }
    if (field == kGraph && is_text) {
      return value >= size / 2;
    }
    if (field == kVersion && (!is_number || value > 100)) {
      return false;
    }
    at += is_text ? static_cast<std::size_t>(value) : 0;
    if (at > head.size()) {
      return false;
    }
  }
  return false;
}

/// Protocols 2 to 5, by the opcodes that what is worth keeping begins with.
bool is_pickle(std::string_view head) {
  constexpr std::string_view kFirst = "}](c\x95Xq\x8a\x8cK"sv;
  return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5 &&
         kFirst.find(head[2]) != std::string_view::npos;
}

/// `3000000 300\n` followed by as many vectors, as word2vec writes them, as text or in binary.
bool is_word_vectors(std::string_view head, std::uint64_t size) {
  std::uint64_t words = 0;
  std::uint64_t numbers = 0;
  const char* const end = head.data() + std::min<std::size_t>(head.size(), 40);
  const auto count = std::from_chars(head.data(), end, words);
  if (count.ec != std::errc{} || count.ptr == end || *count.ptr != ' ') {
    return false;
  }
  const auto width = std::from_chars(count.ptr + 1, end, numbers);
  if (width.ec != std::errc{} || width.ptr == end || *width.ptr != '\n') {
    return false;
  }
  return words > 0 && words < (std::uint64_t{1} << 32U) && numbers > 1 && numbers <= 65536 &&
         size >= words * numbers * 2 && size <= words * (numbers * 24 + 400);
}

/// An index of faiss: four letters, then the width of its vectors.
bool is_faiss(std::string_view head) {
  const auto is_letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  const std::uint64_t width = number_at(head, 4, 4);
  return head.size() > 33 && head[0] == 'I' && "xwHB"sv.find(head[1]) != std::string_view::npos &&
         is_letter(head[2]) && is_letter(head[3]) && width > 0 && width <= 65536;
}

/// An index of usearch: number and size of the vectors, the vectors, and then its own header.
bool is_usearch(const FileDescriptor& file, std::string_view head, std::uint64_t size) {
  constexpr std::string_view kMagic = "usearch"sv;
  const std::uint64_t vectors = number_at(head, 0, 4);
  const std::uint64_t bytes = number_at(head, 4, 4);
  if (vectors == 0 || bytes == 0 || vectors > size / bytes) {
    return false;
  }
  return bytes_of(file, 8 + vectors * bytes, kMagic.size()) == kMagic;
}

bool is_python_code(std::string_view head) {
  return head.size() > 16 && (head[1] == 0x0d || head[1] == 0x0e) && head.substr(2, 2) == "\r\n"sv;
}

bool is_font(std::string_view head) {
  return head.size() > 12 && head.starts_with("\0\1\0\0\0"sv) && head[5] > 0 && head[5] < 64;
}

/// A snapshot of V8's heap after start-up: some numbers, then its version, padded with zeros.
bool is_v8_snapshot(std::string_view head) {
  constexpr std::size_t kVersionBytes = 64;
  for (const std::size_t at : {std::size_t{8}, std::size_t{12}, std::size_t{16}, std::size_t{20}}) {
    const std::string_view text = head.substr(std::min(at, head.size()), kVersionBytes);
    const std::size_t end = text.find('\0');
    if (text.size() < kVersionBytes || end == std::string_view::npos || end < 7) {
      continue;
    }
    const bool is_padded = text.find_first_not_of('\0', end) == std::string_view::npos;
    if (is_padded && text.find_first_not_of("0123456789.") == end &&
        std::ranges::count(text.substr(0, end), '.') >= 2) {
      return true;
    }
  }
  return false;
}

/// `0.25,-1.5e-3,...`: a row of decimals, as in a table with long lines.
bool is_row_of_decimals(std::string_view text) {
  constexpr std::string_view kOfNumbers = "0123456789+-.eE";
  constexpr std::string_view kBetween = ",; \t[]";
  const auto is_of_row = [&](char c) {
    return kOfNumbers.find(c) != std::string_view::npos ||
           kBetween.find(c) != std::string_view::npos;
  };
  return std::ranges::all_of(text, is_of_row) && text.find('.') != std::string_view::npos &&
         text.find_first_of(kBetween) != std::string_view::npos;
}

/// Lines of text; or JSON or a row of numbers, which may be one long line.
bool is_text(std::string_view head) {
  const std::string_view text = head.substr(0, 4096);
  const auto is_plain = [](char c) {
    return static_cast<std::uint8_t>(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t' || c == '\f';
  };
  // A text in UTF-8 has few successive bytes above 0x7f.
  const auto high = std::ranges::count_if(text, [](char c) { return (c & 0x80) != 0; });
  const bool is_json = text.starts_with("{\"") || text.starts_with("[{") || text.starts_with("[\"");
  return text.size() >= 16 && std::ranges::all_of(text, is_plain) &&
         static_cast<std::size_t>(high) <= text.size() / 2 &&
         (is_json || is_row_of_decimals(text) || text.find('\n') != std::string_view::npos);
}

/// Finds compressing filters of HDF5, as named in a pipeline message of version 1: number, length
/// of the name, flags, count of values, name (HDF5 File Format Specification, IV.A.2.l).
bool has_packed_data(std::string_view bytes) {
  for (std::size_t at = 0; (at = bytes.find("deflate\0"sv, at)) != std::string_view::npos; ++at) {
    if (at >= 8 && number_at(bytes, at - 8, 2) == 1 && number_at(bytes, at - 6, 2) == 8) {
      return true;
    }
  }
  for (const std::string_view name : {"lzf\0"sv, "szip"sv, "blosc"sv, "Zstandard"sv, "lz4;"sv}) {
    for (std::size_t at = 0; (at = bytes.find(name, at)) != std::string_view::npos; ++at) {
      if (at >= 8 && number_at(bytes, at - 6, 2) >= name.size() &&
          number_at(bytes, at - 6, 2) <= 128 && number_at(bytes, at - 2, 2) <= 16) {
        return true;
      }
    }
  }
  return false;
}

FileContent look_into_hdf5(const FileDescriptor& file, std::uint64_t size) {
  constexpr std::size_t kEndBytes = std::size_t{1} << 20U;
  const std::string first = bytes_of(file, 0, kEndBytes);
  const std::string last =
      size > kEndBytes ? bytes_of(file, size - kEndBytes, kEndBytes) : std::string();
  return {.word = "hdf5", .is_compressed = has_packed_data(first) || has_packed_data(last)};
}

bool is_hdf5(std::string_view head) {
  constexpr std::string_view kMagic = "\x89HDF\r\n\x1a\n"sv;
  for (std::size_t at = 0; at < head.size(); at = at == 0 ? 512 : 2 * at) {
    if (head.substr(at).starts_with(kMagic)) {
      return true;
    }
  }
  return false;
}

/// LevelDB and RocksDB: their tables end with it.
bool is_sorted_table(const FileDescriptor& file, std::uint64_t size) {
  const std::string tail = size > 48 ? bytes_of(file, size - 8, 8) : std::string();
  return tail == "\x57\xfb\x80\x8b\x24\x75\x47\xdb"sv ||
         tail == "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88"sv;
}

/// Formats that take more than one comparison at a fixed place.
std::string_view word_of(std::string_view head, std::uint64_t size) {
  if (is_safetensors(head, size)) {
    return "safetensors";
  }
  if (is_onnx(head, size)) {
    return "onnx";
  }
  if (is_pickle(head)) {
    return "pickle";
  }
  if (is_word_vectors(head, size) || is_faiss(head)) {
    return "vectors";
  }
  if (is_python_code(head)) {
    return "program";
  }
  if (is_font(head)) {
    return "font";
  }
  return is_v8_snapshot(head) ? "runtime" : std::string_view();
}

/// zlib's header, with deflate and its usual window, and the type of the first block (RFC 1950 and
/// 1951): what joblib packs with.
bool is_zlib(std::string_view head) {
  return head.size() > 2 && head[0] == '\x78' &&
         "\x01\x5e\x9c\xda"sv.find(head[1]) != std::string_view::npos && (head[2] & 6) != 6 &&
         !is_text(head);
}

/// What the first bytes alone show, without reading further inside.
FileContent content_by_head(std::string_view head, std::uint64_t size) {
  for (const Magic& magic : kMagics) {
    if (stands_at(head, magic)) {
      return {.word = magic.word, .is_compressed = magic.is_compressed};
    }
  }
  if (const std::string_view word = word_of(head, size); !word.empty()) {
    return {.word = word};
  }
  if (is_zlib(head)) {
    return {.word = trace::kArchiveContent, .is_compressed = true};
  }
  return {};
}

/// Whether a file within another one is weights or arrays.
bool is_computed_with(std::string_view head, std::uint64_t size) {
  return is_hdf5(head) || trace::is_computed_with(content_by_head(head, size).word);
}

}  // namespace

FileContent look_into(const FileDescriptor& file, std::uint64_t size) {
  const std::string bytes = bytes_of(file, 0, kHeadBytes);
  const std::string_view head = bytes;
  if (head.starts_with("PK\x03\x04"sv)) {
    return look_into_zip(file, size);
  }
  if (is_hdf5(head)) {
    return look_into_hdf5(file, size);
  }
  if (begins_tar(head)) {
    return look_into_tar(file, size, is_computed_with);
  }
  if (const FileContent content = content_by_head(head, size); !content.word.empty()) {
    return content;
  }
  if (is_sorted_table(file, size)) {
    return {.word = "database"};
  }
  if (is_usearch(file, head, size)) {
    return {.word = "vectors"};
  }
  return {.word = is_text(head) ? "text"sv : std::string_view()};
}

}  // namespace tidemark
