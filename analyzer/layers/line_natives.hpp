/// Which extension functions inside one line of Python are layers of their own.
#pragma once

#include "analyzer/query/live/live_set.hpp"
#include "analyzer/stacks/stack_names.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tidemark::analyzer {

struct LayeredLoad;

/// An extension function and the line that it asks in, whatever the line's number: lines move
/// between builds.
std::string native_key(const NamedFrame& line, const NamedFrame& native);

/// Those that hold much of the peak, by native_key: a twentieth or more.
/// @param live at the peak
std::vector<std::string> large_natives(const LiveSet& live,
                                       const trace::Definitions& definitions,
                                       std::uint64_t peak_bytes);

/// From all loads' `natives`, those whose line has two of them or more. One layer for such a line
/// would hide that a file's bytes were replaced by tensors, which the same line asks for.
std::set<std::string> split_natives(std::span<const LayeredLoad> loads);

}  // namespace tidemark::analyzer
