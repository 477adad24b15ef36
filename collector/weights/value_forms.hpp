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

/// Of the bits of an IEEE 754 binary16.
float half_value(std::uint16_t bits);

/// The type that it is of, a word of FORMAT.md's list; empty: the file's.
std::string_view form_type(ValueForm form);

/// What the elements of a file may have been turned into by a loop, without loss.
struct FloatConversion {
  std::string_view type{};
  std::string_view file_type{};  ///< With "be" behind it where they are big-endian in the file.

  [[nodiscard]] bool is_big_endian() const { return trace::in_own_order(file_type) != file_type; }
  /// Bytes of memory for each of the file.
  [[nodiscard]] std::uint64_t times() const {
    return trace::float_bytes(type) / trace::float_bytes(file_type);
  }
};
std::span<const FloatConversion> lossless_conversions();

/// Of a type of float, rounded to the nearest where it is a narrower one.
ValueForm rounded_form(std::string_view type);

/// Those that elements of a type are converted to, the file's own not among them.
std::span<const ValueForm> other_forms(std::string_view type);

/// Elements of such a type, as they lie in the file, in another form, which is little-endian. So is
/// the type, but where "be" stands behind it.
std::vector<std::byte> convert(std::string_view type,
                               std::span<const std::byte> elements,
                               ValueForm form);

/// Elements of a type of float as those of a narrower one, where each is exactly that: what was
/// widened from it; or of their own type. As they lie in a file, so big-endian ones where it is one
/// of these. None where one is not.
std::optional<std::vector<std::byte>> narrowed(std::string_view type,
                                               std::span<const std::byte> elements,
                                               std::string_view narrow_type);

/// Elements of type f64 or f32 as the whole numbers that they are, of one of the types that
/// trace::whole_bytes knows. None where one has a fraction, or is not in that type's range.
std::optional<std::vector<std::byte>> as_whole_numbers(std::string_view type,
                                                       std::span<const std::byte> elements,
                                                       std::string_view whole_type);

}  // namespace tidemark::weights
