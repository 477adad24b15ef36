/// Owns one file descriptor.
#pragma once

#include <string>
#include <utility>

namespace tidemark {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  /// Gives the descriptor away: closing it is the caller's affair now.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

/// For a descriptor that is kept for long and can be done without: gives it up, and returns a
/// closed one, where it is among the last that this process may have. These are for what must be
/// opened, read and closed at once, or the living would be taken for dead.
FileDescriptor unless_among_the_last(FileDescriptor file);

/// Opens `path` for reading if it is a regular file. Never waits: a FIFO, a device or a directory
/// is turned down before it is opened, with errno set.
FileDescriptor open_regular_file(const std::string& path);

}  // namespace tidemark
