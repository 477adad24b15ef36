/// Version and build of this tidemark.
#pragma once

#include <string>

namespace tidemark::cli {

/// `5c1d2e3f4a5b`, with `-dirty` if files were changed since; empty if unknown. Written by the
/// build.
extern const char* const kCommit;

/// `tidemark 0.1.0 (commit 5c1d2e3f4a5b, RelWithDebInfo, g++ 12.2.0)`.
std::string version_line();

}  // namespace tidemark::cli
