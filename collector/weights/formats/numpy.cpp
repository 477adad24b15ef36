#include "collector/os/content/zip_directory.hpp"
#include "collector/os/file_bytes.hpp"
#include "collector/weights/formats/field_reader.hpp"
#include "collector/weights/formats/formats.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

namespace tidemark::weights {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMaxNpzDirectoryBytes = std::size_t{16} << 20U;
constexpr std::size_t kMaxNpyHeaderBytes = std::size_t{4} << 10U;

/// The literal behind `'key': ` of the header, which is a Python dictionary.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  return at == std::string_view::npos ? std::string_view() : header.substr(at + key.size());
}

struct NumpyKind {
  std::string_view code;
  std::string_view word;
  std::uint64_t bytes;
};

constexpr std::array kNumpyKinds{
    NumpyKind{"f8", "f64", 8}, NumpyKind{"f4", "f32", 4}, NumpyKind{"f2", "f16", 2},
    NumpyKind{"i8", "i64", 8}, NumpyKind{"i4", "i32", 4}, NumpyKind{"i2", "i16", 2},
    NumpyKind{"i1", "i8", 1},  NumpyKind{"u8", "u64", 8}, NumpyKind{"u4", "u32", 4},
    NumpyKind{"u2", "u16", 2}, NumpyKind{"u1", "u8", 1},  NumpyKind{"b1", "bool", 1}};

/// `(3, 4)`, `(3,)`, `()`.
bool take_shape(std::string_view text, std::vector<std::uint64_t>& dimensions) {
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == std::string_view::npos) {
    return false;
  }
  const char* at = text.data() + 1;
  const char* const stop = text.data() + end;
  while (at < stop) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::uint64_t number = 0;
    const auto got = std::from_chars(at, stop, number);
    if (got.ec != std::errc{}) {
      return false;
    }
    dimensions.push_back(number);
    at = got.ptr;
  }
  return true;
}

bool take_npy(const FileDescriptor& file,
              std::string_view name,
              std::uint64_t at,
              TensorList& out) {
  const std::string head = bytes_of(file, at, kMaxNpyHeaderBytes);
  FieldReader in(head);
  if (in.text(6) != "\x93NUMPY"sv) {
    return false;
  }
  const std::uint64_t version = in.number(1);
  in.number(1);
  const std::string_view header = in.text(in.number(version < 2 ? 2 : 4));
  const std::string_view type = value_of(header, "'descr': '");
  std::vector<std::uint64_t> dimensions;
  if (in.has_failed() || !take_shape(value_of(header, "'shape': "), dimensions)) {
    return false;
  }
  // Columns come one after the other then: the same as rows of the transposed array.
  if (value_of(header, "'fortran_order': ").starts_with("True")) {
    std::ranges::reverse(dimensions);
  }
  for (const NumpyKind& kind : kNumpyKinds) {
    if (type.substr(std::min<std::size_t>(1, type.size())).starts_with(kind.code)) {
      // Values in the other byte order are left out: they are looked for as in files without a
      // list.
      return (type.front() == '>' && kind.bytes > 1) ||
             out.add(name, kind.word, dimensions, at + in.at(),
                     element_count(dimensions) * kind.bytes);
    }
  }
  return true;  // of a kind that is no number: left out
}

}  // namespace

bool read_npy(const FileDescriptor& file, TensorList& out) {
  return take_npy(file, "", 0, out);
}

bool read_npy_at(const FileDescriptor& file,
                 std::string_view name,
                 std::uint64_t at,
                 TensorList& out) {
  return take_npy(file, name, at, out);
}

bool read_npz(const FileDescriptor& file, TensorList& out) {
  bool is_good = true;
  const auto see = [&](const ZipEntry& entry) {
    if (entry.is_packed || !is_good || !entry.name.ends_with(".npy")) {
      return;
    }
    const std::uint64_t at = zip_data_at(file, entry.local_at);
    is_good = at != 0 && take_npy(file, entry.name.substr(0, entry.name.size() - 4), at, out);
  };
  return visit_zip(file, out.file_bytes(), kMaxNpzDirectoryBytes, see) == ZipEnd::kWhole && is_good;
}

}  // namespace tidemark::weights
