/// Small files as one piece of text: read whole, written whole or not at all.
#pragma once

#include "collector/trace/types/result.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// @return kIo with one sentence; also for more than 64 MiB.
Result<std::string> read_whole_file(const std::string& path);

/// Replaces the file atomically, so that nobody reads half of it. A pipe, a terminal or another
/// character device is written to directly; anything else but a regular file is refused, and a
/// symbolic link stays (see trace::OutputFile).
/// @return an error of one sentence with the path; the old file is then unchanged.
Status write_whole_file(const std::string& path, std::string_view text);

/// Text of any length, piece by piece; an empty piece is the end of it.
using Pieces = std::function<std::string()>;
/// The same, of text that need not be in memory all at once.
Status write_whole_file(const std::string& path, const Pieces& pieces);

/// Adds to the end of a file, which is created if it is not there.
/// @return one sentence with the path.
Status append_to_file(const std::string& path, std::string_view text);

}  // namespace tidemark::analyzer
