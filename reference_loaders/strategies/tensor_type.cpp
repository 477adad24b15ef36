#include "reference_loaders/strategies/tensor_type.hpp"

#include <algorithm>
#include <array>

namespace tidemark::loaders::strategies {
namespace {

// GGUF: numbers and block sizes of ggml's GGML_QUANT_SIZES (gguf-py/gguf/constants.py), without
// those that only exist while ggml computes (q8_1, q8_K). safetensors: the Dtype enum of its Rust
// library, without the types of less than a byte (F4, F6).
constexpr std::array kTypes = {
    TensorType{"float32", 0, "F32", 1, 4},
    TensorType{"float16", 1, "F16", 1, 2},
    TensorType{"bfloat16", 30, "BF16", 1, 2},
    TensorType{"float64", 28, "F64", 1, 8},
    TensorType{"int8", 24, "I8", 1, 1},
    TensorType{"int16", 25, "I16", 1, 2},
    TensorType{"int32", 26, "I32", 1, 4},
    TensorType{"int64", 27, "I64", 1, 8},
    TensorType{"uint8", {}, "U8", 1, 1},
    TensorType{"uint16", {}, "U16", 1, 2},
    TensorType{"uint32", {}, "U32", 1, 4},
    TensorType{"uint64", {}, "U64", 1, 8},
    TensorType{"bool", {}, "BOOL", 1, 1},
    TensorType{"complex64", {}, "C64", 1, 8},
    TensorType{"float8_e4m3", {}, "F8_E4M3", 1, 1},
    TensorType{"float8_e5m2", {}, "F8_E5M2", 1, 1},
    TensorType{"float8_e8m0", {}, "F8_E8M0", 1, 1},
    TensorType{"q4_0", 2, "", 32, 18},
    TensorType{"q4_1", 3, "", 32, 20},
    TensorType{"q5_0", 6, "", 32, 22},
    TensorType{"q5_1", 7, "", 32, 24},
    TensorType{"q8_0", 8, "", 32, 34},
    TensorType{"q2_K", 10, "", 256, 84},
    TensorType{"q3_K", 11, "", 256, 110},
    TensorType{"q4_K", 12, "", 256, 144},
    TensorType{"q5_K", 13, "", 256, 176},
    TensorType{"q6_K", 14, "", 256, 210},
    TensorType{"iq2_xxs", 16, "", 256, 66},
    TensorType{"iq2_xs", 17, "", 256, 74},
    TensorType{"iq3_xxs", 18, "", 256, 98},
    TensorType{"iq1_s", 19, "", 256, 50},
    TensorType{"iq4_nl", 20, "", 32, 18},
    TensorType{"iq3_s", 21, "", 256, 110},
    TensorType{"iq2_s", 22, "", 256, 82},
    TensorType{"iq4_xs", 23, "", 256, 136},
    TensorType{"iq1_m", 29, "", 256, 56},
    TensorType{"tq1_0", 34, "", 256, 54},
    TensorType{"tq2_0", 35, "", 256, 66},
    TensorType{"mxfp4", 39, "", 32, 17},
};

}  // namespace

const TensorType* find_gguf_type(std::uint32_t number) {
  const auto* const found = std::ranges::find(kTypes, std::optional(number), &TensorType::gguf);
  return found == kTypes.end() ? nullptr : found;
}

const TensorType* find_safetensors_type(std::string_view name) {
  const auto* const found = std::ranges::find(kTypes, name, &TensorType::safetensors);
  return name.empty() || found == kTypes.end() ? nullptr : found;
}

const TensorType& float32() {
  return kTypes[0];
}

const TensorType& bfloat16() {
  return kTypes[2];
}

std::optional<std::uint64_t> tensor_bytes(std::span<const std::int64_t> shape,
                                          const TensorType& type) {
  const auto row = static_cast<std::uint64_t>(shape.empty() ? 1 : shape.back());
  if (row % type.block_elements != 0) {
    return std::nullopt;
  }
  std::uint64_t bytes = type.block_bytes;
  for (std::size_t at = 0; at < shape.size(); ++at) {
    const bool is_row = at + 1 == shape.size();
    const auto extent = static_cast<std::uint64_t>(shape[at]);
    if (shape[at] < 0 ||
        __builtin_mul_overflow(bytes, is_row ? extent / type.block_elements : extent, &bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

}  // namespace tidemark::loaders::strategies
