/// What the names of a file's code depend on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tidemark {

/// False for a build id that is too short to be the only one of its kind, or is none.
bool is_identity(const std::string& build_id);

/// A number that is another one as soon as the file's names may be: when the file itself changes,
/// when a file that may hold its debug information comes, goes or changes, and with each version of
/// this program. Looks at attributes only and opens nothing: some 10 us.
///
/// With an identity, size and time of modification tell the file apart from its stripped twin;
/// without one, also its place on the disk and its time of change, as nothing else says that it is
/// the same file.
/// @param debug_link what .gnu_debuglink of the file says.
/// @return nothing when the file is not there.
std::optional<std::uint64_t> sources_stamp(const std::string& path,
                                           const std::string& build_id,
                                           const std::string& debug_link);

}  // namespace tidemark
