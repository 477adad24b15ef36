/// The session's file, as a host gets at it: parts of it are mapped as they are needed. No
/// descriptor stays open but the one that `keep_descriptor` keeps.
#pragma once

#include "preload/wire/session.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::preload {

/// Finds the session that the program was started in and maps its control region.
/// @return an empty map when there is none, or it cannot be had: then the program runs as if
/// tidemark were not there.
wire::SessionMap map_session();

/// Before this process gives up what leads to the session's file through /proc (another root, user
/// or namespace): keeps a descriptor of it, for the programs that it starts from then on.
void keep_descriptor();

/// For a program about to be started: the kept descriptor, which it then inherits, where it will
/// find no other way. @return a negative number where none is needed, or there is none.
int pass_descriptor();
/// That start failed.
void hold_descriptor();

/// Maps `bytes` of the session's file from `offset` on, both page-aligned. A forked child does not
/// inherit such a window; core dumps leave it out.
/// @return nullptr where there is no memory, or no way to the file.
std::byte* map_window(std::uint64_t offset, std::uint64_t bytes);

/// Windows are parts of `session`, which is mapped whole; none: they are mapped from the file
/// again.
void use_whole_session_for_testing(const wire::SessionMap& session);

}  // namespace tidemark::preload
