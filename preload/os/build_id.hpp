/// The identity that linkers stamp into an object, as it is in this process's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tidemark::preload {

/// Longer ones are nobody's.
constexpr std::size_t kMaxBuildIdBytes = 32;

/// @param begin of the object's first segment. @param bias its load bias.
/// @return its GNU build id; empty where the object has none, or where its headers are not at the
/// begin of its first segment, as every linker puts them. Lives as long as the object.
std::span<const std::byte> find_build_id(std::uint64_t begin, std::uint64_t bias);

}  // namespace tidemark::preload
