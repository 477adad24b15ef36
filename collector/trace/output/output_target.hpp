/// Finds out what an output path refers to, before anything is written.
#pragma once

#include "collector/trace/types/result.hpp"

#include <string>

#include <sys/types.h>

namespace tidemark::trace {

struct OutputTarget {
  enum class Kind {
    kFile,    ///< A regular file, or nothing yet: replaced atomically.
    kStream,  ///< A pipe, a terminal or another character device: written to.
    kNull,    ///< The null device: written to, nothing is kept.
  };
  Kind kind = Kind::kFile;
  /// Its path, with all symbolic links resolved.
  std::string path;
  /// For a stream that this process has open already (/dev/stdout, /dev/fd/3); else -1.
  int descriptor = -1;
  /// What it is, such as `a FIFO`; empty for a regular file or nothing.
  std::string what;
  /// Permissions of the new file: those of the existing file if we own it, else 0666 less the
  /// umask.
  mode_t mode = 0;
};

/// Follows symbolic links, even to a target that does not exist yet. A link that another user put
/// into a folder like /tmp is not followed, whatever the kernel's settings are.
/// @return kUsage or kIo with one sentence for anything that cannot be written: folders, block
/// devices, sockets, files without write permission.
Result<OutputTarget> find_output(const std::string& path);

/// The same for an output that must be a file: a stream is kUsage, too.
Result<OutputTarget> find_file_output(const std::string& path);

/// kIo with the sentence used by all writers of files.
Error cannot_write(const std::string& path, const std::string& why);
Error cannot_write(const std::string& path, int error);

/// `a folder`, `a FIFO`, `a symbolic link`...: for sentences.
std::string described(mode_t mode);

}  // namespace tidemark::trace
