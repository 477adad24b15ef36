/// A loaded object's GNU build id, read from this process's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tidemark::preload {

/// No linker writes longer ones.
constexpr std::size_t kMaxBuildIdBytes = 32;

/// @param begin of the object's first segment. @param bias its load bias.
/// @return its GNU build id, valid while the object is loaded; empty if it has none, or if its
/// headers are not at the begin of its first segment, where every linker puts them.
std::span<const std::byte> find_build_id(std::uint64_t begin, std::uint64_t bias);

}  // namespace tidemark::preload
