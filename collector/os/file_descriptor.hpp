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
  /// Gives up ownership: the caller must close the descriptor.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

/// For a dispensable descriptor that is kept open for long: closes it, and returns a closed one, if
/// it is among the last that this process may have. Those are reserved for files that are opened,
/// read and closed at once: without them, live processes would seem dead.
FileDescriptor unless_among_the_last(FileDescriptor file);

/// Opens `path` for reading if it is a regular file. Never blocks: a FIFO, a device or a directory
/// is refused before it is opened, with errno set.
FileDescriptor open_regular_file(const std::string& path);

}  // namespace tidemark
