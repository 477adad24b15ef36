/// Floats of a file that a program multiplies by one number and adds another one to while storing
/// them in a block, all of them or each row of a matrix by numbers of its own: normalised weights,
/// or a fused batch norm.
#pragma once

#include "collector/weights/block_sample.hpp"
#include "collector/weights/plain_file.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::weights {

enum class FloatLikeness : std::uint8_t {
  kSame,    ///< The file's very floats.
  kScaled,  ///< These, or their absolute values, scaled.
};

/// How the values of a block, at its begin after a possible object header and further inside, match
/// the floats of a file from `begin` on; none if they do not. Reads the floats for both places.
/// @param block all of its first bytes must be known.
/// @param header the most bytes of an object's header.
std::optional<FloatLikeness> likeness_to_floats(const BlockSample& block,
                                                std::uint64_t header,
                                                const PlainFile& file,
                                                std::uint64_t begin);

}  // namespace tidemark::weights
