#include "collector/trace/output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace tidemark::trace {

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)), incomplete_path_(path_ + ".incomplete") {
  descriptor_ = ::open(incomplete_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    fail();
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

bool OutputFile::fail() {
  error_ = std::generic_category().message(errno);
  return false;
}

bool OutputFile::append(ByteView piece) {
  if (!usable())
    return false;
  const auto whole = piece.size();
  while (!piece.empty()) {
    const auto written = ::write(descriptor_, piece.data(), piece.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      errno = written == 0 ? ENOSPC : errno;
      fail();
      // What failed is already known; if cutting fails too, readers see a torn end instead.
      [[maybe_unused]] const auto ignored = ::ftruncate(descriptor_, static_cast<off_t>(size_));
      return false;
    }
    piece = piece.subspan(static_cast<std::size_t>(written));
  }
  size_ += whole;
  return true;
}

bool OutputFile::publish() {
  if (!usable())
    return false;
  // Linux closes the descriptor whatever close() returns; an error here is a late write error.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR)
    return fail();
  return std::rename(incomplete_path_.c_str(), path_.c_str()) == 0 || fail();
}

}  // namespace tidemark::trace
