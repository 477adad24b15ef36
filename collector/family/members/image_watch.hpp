/// Tells one program of a process from the next one, and whether it has a file mapped.
#pragma once

#include "collector/os/file_descriptor.hpp"

#include <string>

#include <sys/types.h>

namespace tidemark {

/// What a file is called in /proc/PID/maps, whatever its path: device and inode.
std::string mapped_file_key(int descriptor);

/// Bound to the address space that the process has when this is made.
class ImageWatch {
 public:
  ImageWatch() = default;
  explicit ImageWatch(pid_t pid);

  /// False: the process may not be looked into, or was gone already.
  [[nodiscard]] bool is_open() const { return maps_.is_open(); }
  /// False once no thread can run in that address space any more: an exec has replaced it, or the
  /// process has ended. True as long as nothing is known. A vfork child has its parent's until its
  /// exec, so of that one it says nothing.
  [[nodiscard]] bool is_alive() const;
  /// @param key mapped_file_key of the file.
  [[nodiscard]] bool maps_file(const std::string& key) const;

 private:
  FileDescriptor maps_;
};

}  // namespace tidemark
