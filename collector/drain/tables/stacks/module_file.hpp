/// Finds the file from which a module's code is read after its process has ended.
#pragma once

#include "collector/os/file_descriptor.hpp"

#include <string>

namespace tidemark {

/// A module as described by its process.
struct MappedModule {
  std::string path;      ///< As the process calls it.
  std::string root;      ///< "/proc/PID/root"; empty: its process is not known.
  std::string build_id;  ///< Lower-case hex, from its memory; empty where it has none.
};

struct ModuleFile {
  std::string build_id;  ///< From the process, else from the file; empty: neither has one.
  /// Open if the path leads to another file for us (in a container or under another root): it may
  /// be unreachable once its process is gone.
  FileDescriptor held;
};

/// Call while the process runs, when the file certainly is the right one.
/// @param may_hold false: a file reachable only through its process is not held open, and gets no
/// names.
ModuleFile find_module_file(const MappedModule& module, bool may_hold);

}  // namespace tidemark
