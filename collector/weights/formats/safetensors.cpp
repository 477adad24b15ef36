#include "collector/os/file_bytes.hpp"
#include "collector/weights/formats/formats.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace tidemark::weights {
namespace {

using nlohmann::json;

/// Enough for 100,000 tensors.
constexpr std::uint64_t kMaxJsonBytes = std::uint64_t{16} << 20U;

struct SafetensorsType {
  std::string_view name;
  std::string_view word;
};

constexpr std::array kSafetensorsTypes{
    SafetensorsType{"F64", "f64"},    SafetensorsType{"F32", "f32"},
    SafetensorsType{"F16", "f16"},    SafetensorsType{"BF16", "bf16"},
    SafetensorsType{"I64", "i64"},    SafetensorsType{"I32", "i32"},
    SafetensorsType{"I16", "i16"},    SafetensorsType{"I8", "i8"},
    SafetensorsType{"U64", "u64"},    SafetensorsType{"U32", "u32"},
    SafetensorsType{"U16", "u16"},    SafetensorsType{"U8", "u8"},
    SafetensorsType{"BOOL", "bool"},  SafetensorsType{"F8_E4M3", "f8"},
    SafetensorsType{"F8_E5M2", "f8"},
};

std::string word_of(const std::string& name) {
  for (const SafetensorsType& type : kSafetensorsTypes) {
    if (type.name == name) {
      return std::string(type.word);
    }
  }
  std::string word;
  for (const char c : name) {
    word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return word;
}

/// Each number of an array; false where one is none.
bool take_numbers(const json& array, std::vector<std::uint64_t>& out) {
  if (!array.is_array()) {
    return false;
  }
  for (const json& number : array) {
    if (!number.is_number_unsigned()) {
      return false;
    }
    out.push_back(number.get<std::uint64_t>());
  }
  return true;
}

bool add_listed(const std::string& name,
                const json& facts,
                std::uint64_t data_at,
                TensorList& out) {
  const auto type = facts.find("dtype");
  const auto shape = facts.find("shape");
  const auto place = facts.find("data_offsets");
  std::vector<std::uint64_t> dimensions;
  std::vector<std::uint64_t> offsets;
  if (type == facts.end() || shape == facts.end() || place == facts.end() || !type->is_string() ||
      !take_numbers(*shape, dimensions) || !take_numbers(*place, offsets) || offsets.size() != 2 ||
      offsets[0] > offsets[1] || offsets[1] > out.file_bytes()) {
    return false;
  }
  return out.add(name, word_of(type->get<std::string>()), dimensions, data_at + offsets[0],
                 offsets[1] - offsets[0]);
}

}  // namespace

bool read_safetensors(const FileDescriptor& file, TensorList& out) {
  const std::uint64_t header_bytes = number_at(bytes_of(file, 0, 8), 0, 8);
  if (header_bytes > kMaxJsonBytes || header_bytes + 8 > out.file_bytes()) {
    return false;
  }
  // Members nested deeper than a tensor's numbers are ignored, and so is more than any model has.
  std::size_t members = 0;
  const auto wanted = [&](int depth, json::parse_event_t event, const json&) {
    members += depth == 1 && event == json::parse_event_t::key ? 1U : 0U;
    return depth <= 3 && members <= TensorList::kMaxTensors;
  };
  const json header = json::parse(bytes_of(file, 8, static_cast<std::size_t>(header_bytes)), wanted,
                                  /*allow_exceptions=*/false);
  if (!header.is_object()) {
    return false;
  }
  for (const auto& [name, facts] : header.items()) {
    const bool is_note = name == "__metadata__";
    if (!is_note && (!facts.is_object() || !add_listed(name, facts, header_bytes + 8, out))) {
      return false;
    }
  }
  // JSON's members come by name; a loader takes them as they lie.
  std::ranges::stable_sort(out.all(), {}, &trace::Tensor::begin);
  return true;
}

}  // namespace tidemark::weights
