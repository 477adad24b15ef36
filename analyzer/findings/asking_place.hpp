/// Who asked for blocks that a finding takes together.
#pragma once

#include "analyzer/findings/findings.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::analyzer {

struct AskingPlace {
  trace::StackId stack = trace::kNoStack;  ///< Of the place with the most of the bytes.
  /// `Empty (ndarray.cpp:71) and 2 other places`, `load_tensor (serialization.py:1079) from
  /// load.py:12`. Other places are those with a tenth of the bytes or more.
  std::string text{};
  std::string rest{};  ///< What of it is behind the first place.
};

/// @param lives of blocks at the peak, one at least.
AskingPlace asking_place(const Evidence& evidence, std::span<const std::uint32_t> lives);
/// The same of several that one sentence names: told apart as `told_places` does it.
std::vector<AskingPlace> asking_places(const Evidence& evidence,
                                       const std::vector<std::span<const std::uint32_t>>& groups);

/// `16 blocks of Empty (ndarray.cpp:71)`.
std::string blocks_of(const std::vector<std::uint32_t>& lives, const std::string& place);

}  // namespace tidemark::analyzer
