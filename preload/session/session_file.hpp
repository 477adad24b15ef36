/// A host's access to the session's file: parts are mapped as needed. No descriptor stays open
/// except the one that `keep_descriptor` keeps.
#pragma once

#include "preload/wire/session.hpp"

#include <cstddef>
#include <cstdint>

namespace tidemark::preload {

/// Finds the session that the program was started in and maps its control region.
/// @return an empty map if there is none or it cannot be mapped: then the program runs as if
/// tidemark were not there.
wire::SessionMap map_session();

/// Keeps a descriptor of the session's file for programs that find no way to it through /proc.
void keep_descriptor();

/// Lets a program about to be started inherit the kept descriptor. @return that descriptor, or a
/// negative number if none is kept.
int pass_descriptor();
/// The kept descriptor is close-on-exec again, unless it was this process's own only way in.
void hold_descriptor();
/// @return that descriptor if it is one of those from `first` to `last`, else a negative number.
int kept_session_file_in(unsigned first, unsigned last);

/// Descriptors of our objects that this program was started with; negative: none.
struct InheritedObjects {
  int numbers[2];
};
InheritedObjects inherited_objects();

/// Maps `bytes` of the session's file from `offset` on, both page-aligned. The window is not
/// inherited by a fork and left out of core dumps.
/// @return nullptr if there is no memory or no access to the file.
std::byte* map_window(std::uint64_t offset, std::uint64_t bytes);

/// From now on windows are parts of `session`, which is mapped whole. An empty one: they are mapped
/// from the file again.
void use_whole_session_for_testing(const wire::SessionMap& session);

}  // namespace tidemark::preload
