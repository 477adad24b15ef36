/// Who asked for the blocks of a finding.
#pragma once

#include "analyzer/findings/findings.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::analyzer {

struct AskingPlace {
  trace::StackId stack = trace::kNoStack;  ///< Stack of the place with most of the bytes.
  /// `Empty (ndarray.cpp:71) and 2 other places`, `load_tensor (serialization.py:1079) from
  /// load.py:12`. Other places are those with a tenth of the bytes or more.
  std::string text{};
  std::string rest{};  ///< The part of `text` after the first place.
};

/// @param lives of blocks at the peak; at least one.
AskingPlace asking_place(const Evidence& evidence, std::span<const std::uint32_t> lives);
/// The same for several groups in one sentence, made distinct as by `told_places`.
std::vector<AskingPlace> asking_places(const Evidence& evidence,
                                       const std::vector<std::span<const std::uint32_t>>& groups);

/// `16 blocks of Empty (ndarray.cpp:71)`.
std::string blocks_of(const std::vector<std::uint32_t>& lives, const std::string& place);

}  // namespace tidemark::analyzer
