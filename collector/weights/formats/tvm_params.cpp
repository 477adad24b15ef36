#include "collector/os/file_bytes.hpp"
#include "collector/weights/formats/field_reader.hpp"
#include "collector/weights/formats/formats.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace tidemark::weights {
namespace {

constexpr std::uint64_t kListMagic = 0xF7E58D4F05049CB7;
constexpr std::uint64_t kArrayMagic = 0xDD5E40F096B4A13F;
constexpr std::size_t kMaxNamesBytes = std::size_t{16} << 20U;
constexpr std::size_t kMaxTvmDimensions = 16;
constexpr std::size_t kArrayHeadBytes = 32 + 8 * kMaxTvmDimensions + 8;

/// DLPack's codes.
std::string type_word(std::uint64_t code, std::uint64_t bits) {
  switch (code) {
    case 0:
      return fmt::format("i{}", bits);
    case 1:
      return bits == 1 ? "bool" : fmt::format("u{}", bits);
    case 2:
      return fmt::format("f{}", bits);
    case 4:
      return "bf16";
    default:
      return fmt::format("dlpack_{}_{}", code, bits);
  }
}

/// @param at moves behind the array.
bool take_tvm_array(const FileDescriptor& file,
                    std::string_view name,
                    std::uint64_t& at,
                    TensorList& out) {
  const std::string head = bytes_of(file, at, kArrayHeadBytes);
  FieldReader in(head);
  if (in.number(8) != kArrayMagic) {
    return false;
  }
  in.text(8 + 8);  // reserved; the device
  const std::uint64_t count = in.number(4);
  const std::uint64_t code = in.number(1);
  const std::uint64_t bits = in.number(1);
  in.text(2);  // lanes
  if (count > kMaxTvmDimensions) {
    return false;
  }
  std::vector<std::uint64_t> dimensions;
  for (std::uint64_t i = 0; i < count; ++i) {
    dimensions.push_back(in.number(8));
  }
  const std::uint64_t bytes = in.number(8);
  if (in.has_failed() || !out.add(name, type_word(code, bits), dimensions, at + in.at(), bytes)) {
    return false;
  }
  at += in.at() + bytes;
  return true;
}

}  // namespace

bool read_tvm_params(const FileDescriptor& file, TensorList& out) {
  const std::string head = bytes_of(file, 0, out.at_most(kMaxNamesBytes));
  FieldReader in(head);
  if (in.number(8) != kListMagic) {
    return false;  // an executable: its constants are elsewhere in it
  }
  in.text(8);
  const std::uint64_t count = in.number(8);
  if (count > TensorList::kMaxTensors) {
    return false;
  }
  std::vector<std::string_view> names;
  for (std::uint64_t i = 0; i < count && !in.has_failed(); ++i) {
    names.push_back(in.text(in.number(8)));
  }
  if (in.number(8) != count || in.has_failed()) {
    return false;
  }
  std::uint64_t at = in.at();
  for (const std::string_view name : names) {
    if (!take_tvm_array(file, name, at, out)) {
      return false;
    }
  }
  return true;
}

}  // namespace tidemark::weights
