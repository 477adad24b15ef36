/// Opens what other processes have mapped.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/process/memory_areas.hpp"

#include <string>

#include <sys/types.h>

namespace tidemark {

/// Opens the regular file that an area of `pid` maps: through the area itself if that is allowed,
/// else by its path as seen by this process and by `pid`.
/// @return closed if not found; a different file now at that path is not opened.
FileDescriptor open_area_file(pid_t pid, const MemoryArea& area);
/// The same for a file that must be at `path`.
FileDescriptor open_file_at(const std::string& path, const AreaFile& file);

}  // namespace tidemark
