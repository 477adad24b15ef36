/// A tree of stacks as lines of joined names.
#pragma once

#include "analyzer/export/stacks/stack_tree.hpp"

#include <functional>
#include <string>

namespace tidemark::exports {

/// `begin;main;load`, a `;` inside a name written as `:`.
/// Calls `visit` for every node that stacks end at, the heaviest branch first. `begin` may be
/// empty.
void for_each_stack_line(
    const StackTree& tree,
    const FrameNames& names,
    const std::string& begin,
    const std::function<void(const std::string& line, const TreeNode& node)>& visit);

}  // namespace tidemark::exports
