/// Tells one program of a process from the next one, and whether it has a file mapped.
#pragma once

#include "collector/os/file_descriptor.hpp"

#include <string>

#include <sys/types.h>

namespace tidemark {

/// How /proc/PID/maps identifies a file, whatever its path: by device and inode.
std::string mapped_file_key(int descriptor);

/// Bound to the address space that the process has at construction.
class ImageWatch {
 public:
  ImageWatch() = default;
  explicit ImageWatch(pid_t pid);

  /// False: the process may not be looked into, or was gone already.
  [[nodiscard]] bool is_open() const { return maps_.is_open(); }
  /// False once no thread can run in that address space any more: an exec has replaced it, or the
  /// process has ended. True as long as nothing is known. Does not work for a vfork child, which
  /// uses its parent's address space until its exec.
  [[nodiscard]] bool is_alive() const;
  /// @param key mapped_file_key of the file.
  [[nodiscard]] bool maps_file(const std::string& key) const;

 private:
  FileDescriptor maps_;
};

}  // namespace tidemark
