/// The tree of a detailed massif snapshot.
#pragma once

#include "analyzer/export/stacks/frame_names.hpp"
#include "analyzer/export/stacks/stack_values.hpp"

#include <cstdint>
#include <string>

namespace tidemark::exports {

/// `n2: 800 0x401136: load (loader.cpp:12)`, indented by a space for each caller. The root's
/// children are the asking functions; nodes below 1% of the total are folded, and callers more than
/// 30 deep are left out, both as in massif.
/// @param names must read lines.
std::string massif_tree(const StackTable& table, std::uint64_t total_bytes, FrameNames& names);

}  // namespace tidemark::exports
