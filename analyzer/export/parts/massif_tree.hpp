/// The tree of a detailed massif snapshot.
#pragma once

#include "analyzer/export/stacks/frame_names.hpp"
#include "analyzer/export/stacks/stack_values.hpp"

#include <cstdint>
#include <string>

namespace tidemark::exports {

/// `n2: 800 0x401136: load (loader.cpp:12)`, a space deeper for each caller. Below the root stand
/// the functions that asked; what is below 1% of the total is folded, and callers more than 30 deep
/// are left out, as massif does both.
/// @param names must read lines.
std::string massif_tree(const StackTable& table, std::uint64_t total_bytes, FrameNames& names);

}  // namespace tidemark::exports
