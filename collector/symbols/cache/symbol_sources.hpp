/// What the names of a file's code depend on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tidemark {

/// False for a build id that is too short to be the only one of its kind, or is none.
bool is_identity(const std::string& build_id);

/// A number that changes as soon as the file's names may: when the file itself changes, when a file
/// that may hold its debug information comes, goes or changes, and with each version of this
/// program. Looks at attributes only and opens nothing: some 10 us.
///
/// With an identity, size and time of modification distinguish the file from its stripped twin.
/// Without one, its place on the disk and its time of change count, too, since nothing else proves
/// that it is the same file.
/// @param debug_link the content of the file's .gnu_debuglink.
/// @return nothing if the file does not exist.
std::optional<std::uint64_t> sources_stamp(const std::string& path,
                                           const std::string& build_id,
                                           const std::string& debug_link);

}  // namespace tidemark
