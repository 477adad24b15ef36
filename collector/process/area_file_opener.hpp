/// Opens what other processes have mapped.
#pragma once

#include "collector/os/file_descriptor.hpp"
#include "collector/process/memory_areas.hpp"

#include <string>

#include <sys/types.h>

namespace tidemark {

/// Opens the regular file that an area of `pid` maps, wherever it is found: by the area itself
/// where that is allowed, and by its name as this process and as `pid` sees it.
/// @return closed where it is not found: what has its name may be another file.
FileDescriptor open_area_file(pid_t pid, const MemoryArea& area);
/// The same of a file that must be at `path`.
FileDescriptor open_file_at(const std::string& path, const AreaFile& file);

}  // namespace tidemark
