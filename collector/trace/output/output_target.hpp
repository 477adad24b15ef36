/// What the name of an output stands for, looked at before anything is written.
#pragma once

#include "collector/trace/types/result.hpp"

#include <string>

#include <sys/types.h>

namespace tidemark::trace {

struct OutputTarget {
  enum class Kind {
    kFile,    ///< A regular file, or nothing yet: what is written takes its place at once.
    kStream,  ///< A pipe, a terminal, another character device: it is written into.
    kNull,    ///< The null device: written into, and nothing is kept.
  };
  Kind kind = Kind::kFile;
  /// Where it is, behind all symbolic links that the name went through.
  std::string path;
  /// Of a stream that this process has open already (/dev/stdout, /dev/fd/3); else -1.
  int descriptor = -1;
  /// What kind of thing it is, as `a FIFO`; empty for a regular file and for nothing.
  std::string what;
  /// Permissions for what takes the place of a file: those that a file of our own has now, else
  /// what the umask leaves of 0666.
  mode_t mode = 0;
};

/// Follows symbolic links to where they lead, also where nothing is there yet. A link that somebody
/// else has put into a folder like /tmp is not followed, whatever the kernel's settings are.
/// @return kUsage or kIo with one sentence for what nothing can be written to: folders, block
/// devices, sockets, files without the right to write.
Result<OutputTarget> find_output(const std::string& path);

/// The same for what must be a file: a stream is kUsage, too.
Result<OutputTarget> find_file_output(const std::string& path);

/// kIo with the sentence that all who write files share.
Error cannot_write(const std::string& path, const std::string& why);
Error cannot_write(const std::string& path, int error);

/// `a folder`, `a FIFO`, `a symbolic link`...: for sentences.
std::string described(mode_t mode);

}  // namespace tidemark::trace
