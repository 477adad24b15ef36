/// Small files as one piece of text: read whole, written whole or not at all.
#pragma once

#include "collector/trace/result.hpp"

#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// @return kIo with the path and the system's words.
Result<std::string> read_whole_file(const std::string& path);

/// Replaces the file at once, so that nobody ever reads half of it. What is no regular file (a
/// pipe, /dev/stdout) is written to as it stands.
/// @return kIo with the path and the system's words; the old file then is untouched.
Status write_whole_file(const std::string& path, std::string_view text);

/// Adds to the end of a file, which is created if it is not there.
/// @return kIo with the path and the system's words.
Status append_to_file(const std::string& path, std::string_view text);

}  // namespace tidemark::analyzer
