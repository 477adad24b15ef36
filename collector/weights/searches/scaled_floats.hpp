/// Floats of a file that a program multiplies by one number, and adds another one to, as it takes
/// them into a block: normalised weights, or a fused batch norm.
#pragma once

#include "collector/weights/block_sample.hpp"
#include "collector/weights/plain_file.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::weights {

enum class FloatLikeness : std::uint8_t {
  kSame,    ///< The file's very floats.
  kScaled,  ///< Scaled, they or their absolute values.
};

/// Of what a block was seen to hold, at its beginning behind what may be an object's header and
/// further inside, to the floats of a file from `begin` on; none: neither. Reads both from the
/// file.
/// @param block one whose first bytes are all known.
/// @param header bytes of the object's header, at most.
std::optional<FloatLikeness> likeness_to_floats(const BlockSample& block,
                                                std::uint64_t header,
                                                const PlainFile& file,
                                                std::uint64_t begin);

}  // namespace tidemark::weights
