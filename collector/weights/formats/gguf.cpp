#include "collector/os/file_bytes.hpp"
#include "collector/weights/formats/field_reader.hpp"
#include "collector/weights/formats/formats.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::weights {
namespace {

constexpr std::size_t kFirstBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxGgufHeaderBytes = std::size_t{64} << 20U;
constexpr std::uint64_t kMaxGgufDimensions = 4;

/// By ggml_type; gaps are types that were removed.
constexpr std::array<ElementType, 40> kGgufTypes{{{"f32", 4},
                                                  {"f16", 2},
                                                  {"q4_0", 18, 32},
                                                  {"q4_1", 20, 32},
                                                  {},
                                                  {},
                                                  {"q5_0", 22, 32},
                                                  {"q5_1", 24, 32},
                                                  {"q8_0", 34, 32},
                                                  {"q8_1", 36, 32},
                                                  {"q2_k", 84, 256},
                                                  {"q3_k", 110, 256},
                                                  {"q4_k", 144, 256},
                                                  {"q5_k", 176, 256},
                                                  {"q6_k", 210, 256},
                                                  {"q8_k", 292, 256},
                                                  {"iq2_xxs", 66, 256},
                                                  {"iq2_xs", 74, 256},
                                                  {"iq3_xxs", 98, 256},
                                                  {"iq1_s", 50, 256},
                                                  {"iq4_nl", 18, 32},
                                                  {"iq3_s", 110, 256},
                                                  {"iq2_s", 82, 256},
                                                  {"iq4_xs", 136, 256},
                                                  {"i8", 1},
                                                  {"i16", 2},
                                                  {"i32", 4},
                                                  {"i64", 8},
                                                  {"f64", 8},
                                                  {"iq1_m", 56, 256},
                                                  {"bf16", 2},
                                                  {},
                                                  {},
                                                  {},
                                                  {"tq1_0", 54, 256},
                                                  {"tq2_0", 66, 256},
                                                  {},
                                                  {},
                                                  {},
                                                  {"mxfp4", 17, 32}}};

enum ValueType : std::uint64_t { kString = 8, kArray = 9 };

/// Sizes of the types that have a fixed one; 0: not one of these.
std::uint64_t value_bytes(std::uint64_t type) {
  constexpr std::array<std::uint8_t, 13> kBytes{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < kBytes.size() ? kBytes[static_cast<std::size_t>(type)] : 0;
}

bool skip_values(FieldReader& in, std::uint64_t type, std::uint64_t count) {
  if (type == kString) {
    for (std::uint64_t i = 0; i < count && !in.has_failed(); ++i) {
      in.text(in.number(8));
    }
    return true;
  }
  const std::uint64_t bytes = value_bytes(type);
  if (bytes == 0 || count > kMaxGgufHeaderBytes) {
    return false;
  }
  in.text(bytes * count);
  return true;
}

/// @param alignment set where this is the pair that says it.
bool take_pair(FieldReader& in, std::uint64_t& alignment) {
  const std::string_view key = in.text(in.number(8));
  const std::uint64_t type = in.number(4);
  if (key == "general.alignment" && value_bytes(type) != 0) {
    alignment = in.number(static_cast<std::size_t>(value_bytes(type)));
    return true;
  }
  if (type == kArray) {
    const std::uint64_t of = in.number(4);
    return skip_values(in, of, in.number(8));  // arrays of arrays are not written by anybody
  }
  return skip_values(in, type, 1);
}

struct GgufPart {
  std::string_view name;
  ElementType type;
  std::vector<std::uint64_t> dimensions;
  std::uint64_t offset = 0;
};

bool take_gguf_part(FieldReader& in, GgufPart& part) {
  part.name = in.text(in.number(8));
  const std::uint64_t count = in.number(4);
  if (count > kMaxGgufDimensions) {
    return false;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    part.dimensions.push_back(in.number(8));
  }
  const std::uint64_t type = in.number(4);
  part.type = type < kGgufTypes.size() ? kGgufTypes[static_cast<std::size_t>(type)] : ElementType{};
  part.offset = in.number(8);
  return true;
}

enum class Outcome { kRead, kShort, kBroken };

Outcome read_header(std::string_view header, TensorList& out) {
  FieldReader in(header);
  in.text(4);
  const std::uint64_t version = in.number(4);
  const std::uint64_t count = in.number(8);
  const std::uint64_t pairs = in.number(8);
  std::uint64_t alignment = 32;
  if (version < 2 || version > 3 || count > TensorList::kMaxTensors) {
    return Outcome::kBroken;
  }
  for (std::uint64_t i = 0; i < pairs && !in.has_failed(); ++i) {
    if (!take_pair(in, alignment)) {
      return in.has_failed() ? Outcome::kShort : Outcome::kBroken;
    }
  }
  std::vector<GgufPart> parts;
  for (std::uint64_t i = 0; i < count && !in.has_failed(); ++i) {
    if (!take_gguf_part(in, parts.emplace_back())) {
      return in.has_failed() ? Outcome::kShort : Outcome::kBroken;
    }
  }
  if (in.has_failed()) {
    return Outcome::kShort;
  }
  if (alignment == 0 || alignment > kFirstBytes) {
    return Outcome::kBroken;
  }
  const std::uint64_t data_at = (in.at() + alignment - 1) / alignment * alignment;
  for (const GgufPart& part : parts) {
    std::uint64_t bytes = 0;
    const bool is_known = bytes_of_elements(part.type, element_count(part.dimensions), bytes);
    const bool fits = part.offset <= out.file_bytes();
    if (is_known && (!fits || !out.add(part.name, part.type.word, outermost_first(part.dimensions),
                                       data_at + part.offset, bytes))) {
      return Outcome::kBroken;
    }
  }
  return Outcome::kRead;
}

}  // namespace

bool read_gguf(const FileDescriptor& file, TensorList& out) {
  for (std::size_t bytes = kFirstBytes; bytes <= kMaxGgufHeaderBytes; bytes *= 4) {
    const std::string header = bytes_of(file, 0, out.at_most(bytes));
    const Outcome outcome = read_header(header, out);
    if (outcome != Outcome::kShort || header.size() < bytes) {
      return outcome == Outcome::kRead;
    }
    out.all().clear();
  }
  return false;
}

}  // namespace tidemark::weights
