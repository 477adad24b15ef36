/// The message of a command that runs out of memory.
#pragma once

#include "analyzer/cli/command_line.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::cli {

/// What the command was doing, how much that may take, and what helps: `out of memory in 'report
/// load.tmk': its limit is 390.6 MiB (ulimit -v), and 16.0 MiB of traces may take 600 MiB or more;
/// raise the limit`. Empty for a verb that reads no trace, or if no trace has a size, like a pipe.
/// @param words that `command` was made from.
/// @param limit_bytes of address space; none: it has none.
std::string out_of_memory_sentence(const Command& command,
                                   const std::vector<std::string>& words,
                                   std::optional<std::uint64_t> limit_bytes);

/// How much address space this process may have at most, as `ulimit -v` says it.
std::optional<std::uint64_t> address_space_limit();

}  // namespace tidemark::cli
