/// The forms in which a program may hold the elements of a tensor.
#pragma once

#include "collector/trace/types/definitions.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::weights {

enum class ValueForm : std::uint8_t {
  kAsInFile,  ///< The very bytes.
  kF64,
  kF32,
  kF16,      ///< Rounded to the nearest, to even.
  kBf16,     ///< The same.
  kBf16Cut,  ///< The upper half of a float32.
};

/// The value of the bits of an IEEE 754 binary16.
float half_value(std::uint16_t bits);

/// The type of the form, a word of FORMAT.md's list; empty: the file's own.
std::string_view form_type(ValueForm form);

/// A lossless conversion that a loop may have applied to a file's elements.
struct FloatConversion {
  std::string_view type{};
  std::string_view file_type{};  ///< With "be" appended if they are big-endian in the file.

  [[nodiscard]] bool is_big_endian() const { return trace::in_own_order(file_type) != file_type; }
  /// Bytes of memory per byte of the file.
  [[nodiscard]] std::uint64_t times() const {
    return trace::float_bytes(type) / trace::float_bytes(file_type);
  }
};
std::span<const FloatConversion> lossless_conversions();

/// The form for a type of float, rounding to the nearest if it is narrower.
ValueForm rounded_form(std::string_view type);

/// The forms that elements of a type may be converted to, without kAsInFile.
std::span<const ValueForm> other_forms(std::string_view type);

/// Converts elements of `type`, as they are in the file, to another form, which is little-endian.
/// `type` is little-endian unless "be" is appended.
std::vector<std::byte> convert(std::string_view type,
                               std::span<const std::byte> elements,
                               ValueForm form);

/// Undoes widening: converts elements of a type of float to a narrower type, or to the same, as
/// they are in a file, so big-endian if `narrow_type` is. None if an element is not exact in it.
std::optional<std::vector<std::byte>> narrowed(std::string_view type,
                                               std::span<const std::byte> elements,
                                               std::string_view narrow_type);

/// Converts elements of type f64 or f32 to integers of a type that trace::whole_bytes knows. None
/// if an element has a fraction, or is out of range.
std::optional<std::vector<std::byte>> as_whole_numbers(std::string_view type,
                                                       std::span<const std::byte> elements,
                                                       std::string_view whole_type);

}  // namespace tidemark::weights
