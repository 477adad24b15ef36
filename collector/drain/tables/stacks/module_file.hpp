/// Which file a module's code is read from once its process has ended.
#pragma once

#include "collector/os/file_descriptor.hpp"

#include <string>

namespace tidemark {

/// What the process itself said of it.
struct MappedModule {
  std::string path;      ///< As the process calls it.
  std::string root;      ///< "/proc/PID/root"; empty: its process is not known.
  std::string build_id;  ///< Lower-case hex, from its memory; empty where it has none.
};

struct ModuleFile {
  std::string build_id;  ///< That of the process, else the file's; empty: neither has one.
  /// Open where the path is another file for us (a container's, another root's): it may be out of
  /// reach once its process is gone.
  FileDescriptor held;
};

/// Looks now, while the file surely is the one that runs.
/// @param may_hold false: what only its process reaches is not held, and gets no names.
ModuleFile find_module_file(const MappedModule& module, bool may_hold);

}  // namespace tidemark
