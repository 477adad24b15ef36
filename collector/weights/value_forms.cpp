#include "collector/weights/value_forms.hpp"

#include "collector/trace/types/definitions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace tidemark::weights {
namespace {

constexpr std::array kFromF64{ValueForm::kF32};
constexpr std::array kFromF32{ValueForm::kF64, ValueForm::kF16, ValueForm::kBf16,
                              ValueForm::kBf16Cut};
constexpr std::array kFromF16{ValueForm::kF32, ValueForm::kF64, ValueForm::kBf16};
constexpr std::array kFromBf16{ValueForm::kF32, ValueForm::kF64, ValueForm::kF16};

template <typename Value>
Value load(const std::byte* bytes) {
  Value value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// `bits` without its lower `drop` ones, rounded to the nearest, to even.
std::uint32_t round_off(std::uint32_t bits, std::uint32_t drop) {
  const std::uint32_t half = std::uint32_t{1} << (drop - 1);
  const std::uint32_t is_odd = (bits >> drop) & 1U;
  return (bits + half - 1 + is_odd) >> drop;
}

std::uint16_t to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  constexpr std::uint32_t kInfinity = 0x7f800000U;
  constexpr std::uint32_t kOverflow = 0x477ff000U;       // rounds beyond 65,504
  constexpr std::uint32_t kMinNormalHalf = 0x38800000U;  // 2^-14
  if (magnitude > kInfinity)
    return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (magnitude >= kOverflow)
    return static_cast<std::uint16_t>(sign | 0x7c00U);
  if (magnitude >= kMinNormalHalf)
    return static_cast<std::uint16_t>(sign |
                                      round_off(magnitude - (std::uint32_t{112} << 23U), 13));
  // Its fraction is what the sum with a half of 2^10 units of the least one leaves: rounded alike.
  const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
  return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U));
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
  return static_cast<std::uint16_t>(is_nan ? 0x7fc0U : round_off(bits, 16));
}

std::uint16_t to_bf16_cut(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
}

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

template <typename From, typename Value>
std::vector<std::byte> map_elements(std::span<const std::byte> elements, Value value_of) {
  using To = decltype(value_of(From{}));
  const std::size_t count = elements.size() / sizeof(From);
  std::vector<std::byte> mapped(count * sizeof(To));
  for (std::size_t i = 0; i < count; ++i) {
    const To value = value_of(load<From>(elements.data() + i * sizeof(From)));
    std::memcpy(mapped.data() + i * sizeof(To), &value, sizeof value);
  }
  return mapped;
}

/// @param value_of what an element, as it lies in the file, is.
template <typename From, typename Value>
std::vector<std::byte> convert_from(std::span<const std::byte> elements,
                                    ValueForm form,
                                    Value value_of) {
  const auto single = [value_of](From from) { return static_cast<float>(value_of(from)); };
  switch (form) {
    case ValueForm::kF64:
      return map_elements<From>(elements, [value_of](From from) { return double{value_of(from)}; });
    case ValueForm::kF32:
      return map_elements<From>(elements, single);
    case ValueForm::kF16:
      return map_elements<From>(elements, [single](From from) { return to_half(single(from)); });
    case ValueForm::kBf16:
      return map_elements<From>(elements, [single](From from) { return to_bf16(single(from)); });
    case ValueForm::kBf16Cut:
      return map_elements<From>(elements,
                                [single](From from) { return to_bf16_cut(single(from)); });
    case ValueForm::kAsInFile:
      break;
  }
  return {};
}

/// None where one is not in the type's range, or has a fraction.
template <typename Whole>
std::optional<std::vector<std::byte>> whole_values(std::span<const std::byte> doubles) {
  constexpr double kMinWhole = std::numeric_limits<Whole>::min();
  constexpr double kMaxWhole = std::numeric_limits<Whole>::max();
  bool are_whole = true;
  auto whole = map_elements<double>(doubles, [&are_whole](double value) {
    const bool is_in_range = value >= kMinWhole && value <= kMaxWhole;
    const auto near = is_in_range ? static_cast<Whole>(value) : Whole{};
    // Zero has two forms, and only one of them was a whole number.
    are_whole = are_whole && std::bit_cast<std::uint64_t>(static_cast<double>(near)) ==
                                 std::bit_cast<std::uint64_t>(value);
    return near;
  });
  return are_whole ? std::optional(std::move(whole)) : std::nullopt;
}

/// Each with its bytes the other way round.
std::vector<std::byte> swapped(std::span<const std::byte> elements, std::size_t each) {
  std::vector<std::byte> other(elements.begin(), elements.end());
  for (std::size_t at = 0; at + each <= other.size(); at += each)
    std::ranges::reverse(std::span(other).subspan(at, each));
  return other;
}

}  // namespace

/// A sign, 5 bits of exponent (biased by 15), 10 of fraction.
float half_value(std::uint16_t bits) {
  constexpr std::uint32_t kExponentRange = 31;
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & kExponentRange;
  const std::uint32_t fraction = bits & 0x3ffU;
  if (exponent == kExponentRange)
    return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13U);
  if (exponent != 0)
    return std::bit_cast<float>(sign | (exponent + 112) << 23U | fraction << 13U);
  const float small = static_cast<float>(fraction) / 16'777'216.0F;  // 2^24
  return sign != 0 ? -small : small;
}

std::string_view form_type(ValueForm form) {
  switch (form) {
    case ValueForm::kF64:
      return "f64";
    case ValueForm::kF32:
      return "f32";
    case ValueForm::kF16:
      return "f16";
    case ValueForm::kBf16:
    case ValueForm::kBf16Cut:
      return "bf16";
    case ValueForm::kAsInFile:
      break;
  }
  return {};
}

ValueForm rounded_form(std::string_view type) {
  if (type == "f64")
    return ValueForm::kF64;
  if (type == "f32")
    return ValueForm::kF32;
  return type == "f16" ? ValueForm::kF16 : ValueForm::kBf16;
}

std::span<const ValueForm> other_forms(std::string_view type) {
  if (type == "f64")
    return kFromF64;
  if (type == "f32")
    return kFromF32;
  if (type == "f16")
    return kFromF16;
  return type == "bf16" ? std::span<const ValueForm>(kFromBf16) : std::span<const ValueForm>();
}

std::span<const FloatConversion> lossless_conversions() {
  // With two-byte numbers whose bytes are only swapped, nothing shows which type they are.
  static constexpr std::array<FloatConversion, 11> kConversions{{{"f32", "bf16"},
                                                                 {"f32", "f16"},
                                                                 {"f64", "f32"},
                                                                 {"f64", "bf16"},
                                                                 {"f64", "f16"},
                                                                 {"f32", "f32be"},
                                                                 {"f64", "f64be"},
                                                                 {"f16", "f16be"},
                                                                 {"f64", "f32be"},
                                                                 {"f32", "f16be"},
                                                                 {"f32", "bf16be"}}};
  return kConversions;
}

std::vector<std::byte> convert(std::string_view type,
                               std::span<const std::byte> elements,
                               ValueForm form) {
  if (const auto own = trace::in_own_order(type); own != type)
    return convert(own, swapped(elements, trace::float_bytes(type)), form);
  if (type == "f64")
    return convert_from<double>(elements, form, [](double value) { return value; });
  if (type == "f32")
    return convert_from<float>(elements, form, [](float value) { return value; });
  if (type == "f16")
    return convert_from<std::uint16_t>(elements, form, half_value);
  return type == "bf16" ? convert_from<std::uint16_t>(elements, form, from_bf16)
                        : std::vector<std::byte>();
}

std::optional<std::vector<std::byte>> narrowed(std::string_view type,
                                               std::span<const std::byte> elements,
                                               std::string_view narrow_type) {
  if (const auto own = trace::in_own_order(narrow_type); own != narrow_type) {
    const auto narrow = narrowed(type, elements, own);
    return narrow ? std::optional(swapped(*narrow, trace::float_bytes(own))) : std::nullopt;
  }
  if (narrow_type == type)
    return std::vector<std::byte>(elements.begin(), elements.end());
  std::vector<std::byte> narrow = convert(type, elements, rounded_form(narrow_type));
  const auto again = convert(narrow_type, narrow, rounded_form(type));
  return std::ranges::equal(again, elements) ? std::optional(std::move(narrow)) : std::nullopt;
}

std::optional<std::vector<std::byte>> as_whole_numbers(std::string_view type,
                                                       std::span<const std::byte> elements,
                                                       std::string_view whole_type) {
  // Most are none by their first element.
  if (elements.size() < trace::float_bytes(type))
    return std::nullopt;
  const double first =
      type == "f64" ? load<double>(elements.data()) : double{load<float>(elements.data())};
  if (first != std::trunc(first))
    return std::nullopt;
  const std::vector<std::byte> doubles = convert(type, elements, ValueForm::kF64);
  if (whole_type == "u8")
    return whole_values<std::uint8_t>(doubles);
  if (whole_type == "i8")
    return whole_values<std::int8_t>(doubles);
  if (whole_type == "u16")
    return whole_values<std::uint16_t>(doubles);
  if (whole_type == "i16")
    return whole_values<std::int16_t>(doubles);
  if (whole_type == "u32")
    return whole_values<std::uint32_t>(doubles);
  return whole_type == "i32" ? whole_values<std::int32_t>(doubles) : std::nullopt;
}

}  // namespace tidemark::weights
