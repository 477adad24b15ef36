#include "reference_loaders/strategies/weights_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace tidemark::loaders::strategies {
namespace {

/// A field each read from the file would be a system call each: a vocabulary has 100,000 of them.
constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

}  // namespace

void MemorySource::read_at(std::uint64_t offset, std::span<std::byte> to) {
  std::ranges::copy(bytes_.subspan(offset, to.size()), to.begin());
}

void WeightsFile::read_at(std::uint64_t offset, std::span<std::byte> to) {
  if (to.size() >= kBufferBytes) {
    file_.read(offset, to);
    return;
  }
  if (offset < buffered_from_ || offset + to.size() > buffered_from_ + buffer_.size()) {
    buffer_.resize(std::min<std::uint64_t>(kBufferBytes, size() - offset));
    buffered_from_ = offset;
    file_.read(offset, buffer_);
  }
  std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(offset - buffered_from_), to.size(),
              to.begin());
}

DirectFile::DirectFile(const WeightsFile& file)
    : file_(file), descriptor_(open(file.name().c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT)) {
  if (descriptor_ < 0) {
    go_through_page_cache(errno);
  }
}

DirectFile::~DirectFile() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

void DirectFile::go_through_page_cache(int error) {
  refusal_ = std::strerror(error);
  if (descriptor_ >= 0) {
    close(descriptor_);
    descriptor_ = -1;
  }
}

void DirectFile::read_up_to(std::uint64_t offset, std::span<std::byte> to) {
  const std::uint64_t end = std::min<std::uint64_t>(offset + to.size(), file_.size());
  std::size_t done = 0;
  while (descriptor_ >= 0 && offset + done < end) {
    const std::int64_t count = read_some(descriptor_, offset + done, to.subspan(done));
    if (count < 0) {
      // Some file systems take the flag and refuse the read.
      go_through_page_cache(errno);
    } else if (count == 0 || static_cast<std::size_t>(count) % kAlignment != 0) {
      done += static_cast<std::size_t>(count);
      break;  // only the end of the file is not a whole number of sectors
    } else {
      done += static_cast<std::size_t>(count);
    }
  }
  if (offset + done < end) {
    file_.read_exactly(offset + done, to.subspan(done, end - offset - done));
  }
}

}  // namespace tidemark::loaders::strategies
