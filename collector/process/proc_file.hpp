/// The files of /proc/PID, read in one go.
#pragma once

#include "collector/os/file_descriptor.hpp"

#include <cstddef>
#include <string>

#include <sys/types.h>

namespace tidemark {

/// "/proc/PID/FILE"
std::string proc_path(pid_t pid, const char* file);

/// @return closed if there is no such process or access is denied.
FileDescriptor open_proc(pid_t pid, const char* file);

/// The first `limit` bytes. Empty if there is no such process, access is denied, or the file is
/// empty.
std::string read_proc(pid_t pid, const char* file, std::size_t limit = 4096);

/// The rest of an open file, `limit` bytes at most.
std::string read_up_to(const FileDescriptor& file, std::size_t limit);

}  // namespace tidemark
