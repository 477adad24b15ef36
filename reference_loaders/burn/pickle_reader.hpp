#pragma once

#include "reference_loaders/burn/state_dict.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::loaders::burn {

/// Runs the pickle of a state_dict: an OrderedDict or dict whose values are tensors.
///
/// Knows nothing but what that takes. Any other opcode, any other global (nothing is ever imported
/// or called), and any value that is no tensor is refused, with its offset. Values live in one
/// arena, so that no pickle can nest destructors or make a cycle that is never freed; what is
/// allocated is at most a fixed number of bytes for each byte of the pickle, and those are limited.
/// @param bytes the entry data.pkl; not kept.
/// @param source the file's name, and `offset` where the entry begins in it, for messages.
/// @throws BadInput
StateDict read_state_dict(std::string_view bytes, const std::string& source, std::uint64_t offset);

/// Room for some 60,000 tensors. More is refused before it is read.
inline constexpr std::uint64_t kMaxPickleBytes = std::uint64_t{8} << 20;

}  // namespace tidemark::loaders::burn
