#include "collector/weights/packed_types.hpp"

#include "collector/weights/value_forms.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tidemark::weights {
namespace {

using Half = std::uint16_t;
using Bytes16 = std::array<std::uint8_t, 16>;
using Bytes32 = std::array<std::uint8_t, 32>;

constexpr std::uint32_t kSmallBlock = 32;
constexpr std::uint32_t kSuperBlock = 256;

constexpr int low_nibble(unsigned byte) {
  return static_cast<int>(byte & 0xfU);
}
constexpr int high_nibble(unsigned byte) {
  return static_cast<int>(byte >> 4U);
}
constexpr int two_bits(unsigned bits, unsigned shift) {
  return static_cast<int>((bits >> shift) & 3U);
}

/// Each run of 128 is packed into 32 bytes; its first 32 values are their lowest bits.
int pair_in_128(const std::array<std::uint8_t, 64>& pairs, unsigned i) {
  return two_bits(pairs[i / 128 * 32 + i % 32], i % 128 / 32 * 2);
}

/// A block of 32: the low nibbles are its first half, the high ones its second.
template <typename ValueOf>
void unpack_nibbles(const Bytes16& nibbles, float* values, ValueOf value_of) {
  for (std::size_t i = 0; i < nibbles.size(); ++i) {
    values[i] = value_of(low_nibble(nibbles[i]), i);
    values[i + nibbles.size()] = value_of(high_nibble(nibbles[i]), i + nibbles.size());
  }
}

struct Q40 {
  static constexpr std::uint32_t kElements = kSmallBlock;
  Half scale;
  Bytes16 nibbles;
  void unpack(float* values) const {
    const float d = half_value(scale);
    unpack_nibbles(nibbles, values,
                   [d](int q, std::size_t) { return static_cast<float>(q - 8) * d; });
  }
};

struct Q41 {
  static constexpr std::uint32_t kElements = kSmallBlock;
  Half scale;
  Half least;
  Bytes16 nibbles;
  void unpack(float* values) const {
    const float d = half_value(scale);
    const float m = half_value(least);
    unpack_nibbles(nibbles, values,
                   [d, m](int q, std::size_t) { return static_cast<float>(q) * d + m; });
  }
};

/// Bit i of the fifth ones belongs to element i.
int with_fifth_bit(int q, const std::array<std::uint8_t, 4>& fifth_bits, std::size_t i) {
  return q | static_cast<int>((fifth_bits[i / 8] >> (i % 8)) & 1U) << 4U;
}

struct Q50 {
  static constexpr std::uint32_t kElements = kSmallBlock;
  Half scale;
  std::array<std::uint8_t, 4> fifth_bits;
  Bytes16 nibbles;
  void unpack(float* values) const {
    const float d = half_value(scale);
    unpack_nibbles(nibbles, values, [this, d](int q, std::size_t i) {
      return static_cast<float>(with_fifth_bit(q, fifth_bits, i) - 16) * d;
    });
  }
};

struct Q51 {
  static constexpr std::uint32_t kElements = kSmallBlock;
  Half scale;
  Half least;
  std::array<std::uint8_t, 4> fifth_bits;
  Bytes16 nibbles;
  void unpack(float* values) const {
    const float d = half_value(scale);
    const float m = half_value(least);
    unpack_nibbles(nibbles, values, [this, d, m](int q, std::size_t i) {
      return static_cast<float>(with_fifth_bit(q, fifth_bits, i)) * d + m;
    });
  }
};

struct Q80 {
  static constexpr std::uint32_t kElements = kSmallBlock;
  Half scale;
  std::array<std::int8_t, kSmallBlock> quants;
  void unpack(float* values) const {
    const float d = half_value(scale);
    for (const std::int8_t q : quants)
      *values++ = static_cast<float>(q) * d;
  }
};

/// Scales are for 16 values each: the low nibble multiplies, the high one is subtracted.
struct Q2K {
  static constexpr std::uint32_t kElements = kSuperBlock;
  Bytes16 scales;
  std::array<std::uint8_t, 64> pairs;
  Half scale;
  Half least;
  void unpack(float* values) const {
    const float d = half_value(scale);
    const float m = half_value(least);
    for (unsigned i = 0; i < kElements; ++i) {
      const unsigned both = scales[i / 16];
      values[i] =
          d * static_cast<float>(low_nibble(both)) * static_cast<float>(pair_in_128(pairs, i)) -
          m * static_cast<float>(high_nibble(both));
    }
  }
};

struct Q3K {
  static constexpr std::uint32_t kElements = kSuperBlock;
  Bytes32 third_bits;
  std::array<std::uint8_t, 64> pairs;
  std::array<std::uint8_t, 12> scales;
  Half scale;
  /// Six bits: four in a nibble of the first eight bytes, two in one of the last four.
  [[nodiscard]] int scale_of(unsigned group) const {
    const int low = group < 8 ? low_nibble(scales[group]) : high_nibble(scales[group - 8]);
    return (low | two_bits(scales[8 + group % 4], group / 4 * 2) << 4) - 32;
  }
  void unpack(float* values) const {
    const float d = half_value(scale);
    for (unsigned i = 0; i < kElements; ++i) {
      const bool has_third = ((third_bits[i % 32] >> (i / 32)) & 1U) != 0;
      const int q = pair_in_128(pairs, i) - (has_third ? 0 : 4);
      values[i] = d * static_cast<float>(scale_of(i / 16)) * static_cast<float>(q);
    }
  }
};

/// Eight scales and eight numbers that are taken off, of six bits each.
struct SixBitScales {
  std::array<std::uint8_t, 12> bytes;
  [[nodiscard]] int scale(unsigned group) const {
    return group < 4 ? bytes[group] & 63
                     : low_nibble(bytes[group + 4]) | (bytes[group - 4] >> 6) << 4;
  }
  [[nodiscard]] int least(unsigned group) const {
    return group < 4 ? bytes[group + 4] & 63
                     : high_nibble(bytes[group + 4]) | (bytes[group] >> 6) << 4;
  }
};

/// Element i: its nibble; of 64 in a row the first 32 have the low ones.
int nibble_in_64(const std::array<std::uint8_t, 128>& nibbles, unsigned i) {
  const unsigned byte = nibbles[i / 64 * 32 + i % 32];
  return i % 64 < 32 ? low_nibble(byte) : high_nibble(byte);
}

/// A super-block of groups of 32, each with a scale and a number that is taken off.
/// @param quant_of of element i.
template <typename QuantOf>
void unpack_groups(
    Half scale, Half least, const SixBitScales& scales, float* values, QuantOf quant_of) {
  const float d = half_value(scale);
  const float m = half_value(least);
  for (unsigned i = 0; i < kSuperBlock; ++i) {
    values[i] = d * static_cast<float>(scales.scale(i / 32)) * static_cast<float>(quant_of(i)) -
                m * static_cast<float>(scales.least(i / 32));
  }
}

struct Q4K {
  static constexpr std::uint32_t kElements = kSuperBlock;
  Half scale;
  Half least;
  SixBitScales scales;
  std::array<std::uint8_t, 128> nibbles;
  void unpack(float* values) const {
    unpack_groups(scale, least, scales, values,
                  [this](unsigned i) { return nibble_in_64(nibbles, i); });
  }
};

struct Q5K {
  static constexpr std::uint32_t kElements = kSuperBlock;
  Half scale;
  Half least;
  SixBitScales scales;
  Bytes32 fifth_bits;
  std::array<std::uint8_t, 128> nibbles;
  void unpack(float* values) const {
    unpack_groups(scale, least, scales, values, [this](unsigned i) {
      return nibble_in_64(nibbles, i) | ((fifth_bits[i % 32] >> (i / 32)) & 1) << 4;
    });
  }
};

struct Q6K {
  static constexpr std::uint32_t kElements = kSuperBlock;
  std::array<std::uint8_t, 128> nibbles;
  std::array<std::uint8_t, 64> upper_pairs;
  std::array<std::int8_t, 16> scales;
  Half scale;
  void unpack(float* values) const {
    const float d = half_value(scale);
    for (unsigned i = 0; i < kElements; ++i) {
      const unsigned byte = nibbles[i / 128 * 64 + i % 64];
      const int low = i % 128 < 64 ? low_nibble(byte) : high_nibble(byte);
      const int q = (low | pair_in_128(upper_pairs, i) << 4) - 32;
      values[i] = d * static_cast<float>(scales[i / 16]) * static_cast<float>(q);
    }
  }
};

/// The values of the nibbles of iq4_nl and iq4_xs.
constexpr std::array<std::int8_t, 16> kUneven{-127, -104, -83, -65, -49, -35, -22, -10,
                                              1,    13,   25,  38,  53,  69,  89,  113};

struct Iq4Nl {
  static constexpr std::uint32_t kElements = kSmallBlock;
  Half scale;
  Bytes16 nibbles;
  void unpack(float* values) const {
    const float d = half_value(scale);
    unpack_nibbles(nibbles, values, [d](int q, std::size_t) {
      return d * static_cast<float>(kUneven[static_cast<std::size_t>(q)]);
    });
  }
};

struct Iq4Xs {
  static constexpr std::uint32_t kElements = kSuperBlock;
  Half scale;
  std::uint16_t upper_pairs;
  std::array<std::uint8_t, 4> lower_nibbles;
  std::array<Bytes16, 8> nibbles;
  void unpack(float* values) const {
    const float d = half_value(scale);
    for (unsigned group = 0; group < nibbles.size(); ++group) {
      const unsigned both = lower_nibbles[group / 2];
      const int low = group % 2 == 0 ? low_nibble(both) : high_nibble(both);
      const int of_group = (low | two_bits(upper_pairs, 2 * group) << 4) - 32;
      unpack_nibbles(nibbles[group], values + std::size_t{group} * kSmallBlock,
                     [d, of_group](int q, std::size_t) {
                       return d * static_cast<float>(of_group) *
                              static_cast<float>(kUneven[static_cast<std::size_t>(q)]);
                     });
    }
  }
};

/// Twice the values of the nibbles of mxfp4.
constexpr std::array<std::int8_t, 16> kTwiceMicroscaled{0, 1,  2,  3,  4,  6,  8,  12,
                                                        0, -1, -2, -3, -4, -6, -8, -12};

/// OCP Microscaling (MX) 1.0: 4-bit floats (2 bits of exponent, 1 of fraction) with a power of two.
struct Mxfp4 {
  static constexpr std::uint32_t kElements = kSmallBlock;
  std::uint8_t exponent;  ///< Biased by 127.
  Bytes16 nibbles;
  void unpack(float* values) const {
    // Half of 2^(exponent - 127): the least two have no normal float.
    const std::uint32_t bits = exponent < 2 ? std::uint32_t{0x00200000} << exponent
                                            : static_cast<std::uint32_t>(exponent - 1) << 23U;
    const auto half = std::bit_cast<float>(bits);
    unpack_nibbles(nibbles, values, [half](int q, std::size_t) {
      return static_cast<float>(kTwiceMicroscaled[static_cast<std::size_t>(q)]) * half;
    });
  }
};

template <typename Block>
void unpack(const std::byte* bytes, float* values) {
  Block block;
  std::memcpy(&block, bytes, sizeof block);
  block.unpack(values);
}

template <typename Block>
constexpr PackedType type_of(std::string_view word) {
  return {word, sizeof(Block), Block::kElements, unpack<Block>};
}

constexpr std::array kTypes{
    type_of<Q40>("q4_0"),   type_of<Q41>("q4_1"),     type_of<Q50>("q5_0"),
    type_of<Q51>("q5_1"),   type_of<Q80>("q8_0"),     type_of<Q2K>("q2_k"),
    type_of<Q3K>("q3_k"),   type_of<Q4K>("q4_k"),     type_of<Q5K>("q5_k"),
    type_of<Q6K>("q6_k"),   type_of<Iq4Nl>("iq4_nl"), type_of<Iq4Xs>("iq4_xs"),
    type_of<Mxfp4>("mxfp4")};

}  // namespace

const PackedType* packed_type(std::string_view word) {
  const auto* const found = std::ranges::find(kTypes, word, &PackedType::word);
  return found == kTypes.end() ? nullptr : found;
}

}  // namespace tidemark::weights
