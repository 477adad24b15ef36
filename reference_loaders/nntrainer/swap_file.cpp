#include "reference_loaders/nntrainer/swap_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace tidemark::loaders::nntrainer {
namespace {

/// A file without a name, or, where the file system cannot have one, whose name is taken away.
int open_nameless(const std::filesystem::path& folder, int flags) {
  const int nameless = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);
  if (nameless >= 0) {
    return nameless;
  }
  std::string name = (folder / "swap-XXXXXX").string();
  const int named = mkostemp(name.data(), O_CLOEXEC | flags);
  if (named >= 0) {
    unlink(name.c_str());
  }
  return named;
}

}  // namespace

SwapFile::SwapFile(const std::filesystem::path& folder, std::uint64_t bytes, Writes writes)
    : descriptor_(
          open_nameless(folder.empty() ? "." : folder, writes == Writes::kToTheDisk ? O_SYNC : 0)) {
  if (descriptor_ < 0) {
    fail("the swap file cannot be made");
  }
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) {
    const int error = errno;
    close(descriptor_);
    errno = error;
    fail("the swap file cannot be made as large as needed");
  }
}

SwapFile::~SwapFile() {
  close(descriptor_);
}

void SwapFile::write(std::uint64_t offset, std::span<const float> from) {
  for (std::span<const std::byte> left = std::as_bytes(from); !left.empty();) {
    const ssize_t count = pwrite(descriptor_, left.data(), left.size(), static_cast<off_t>(offset));
    if (count < 0 && errno != EINTR) {
      fail("the swap file cannot be written");
    }
    const auto done = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    offset += done;
    left = left.subspan(done);
  }
}

void SwapFile::read(std::uint64_t offset, std::span<float> to) const {
  for (std::span<std::byte> left = std::as_writable_bytes(to); !left.empty();) {
    const ssize_t count = pread(descriptor_, left.data(), left.size(), static_cast<off_t>(offset));
    if (count == 0 || (count < 0 && errno != EINTR)) {
      fail("the swap file cannot be read");
    }
    const auto done = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    offset += done;
    left = left.subspan(done);
  }
}

void SwapFile::add(std::uint64_t offset, std::span<float> to) const {
  constexpr std::size_t kPiece = 8192;
  std::array<float, kPiece> piece;
  while (!to.empty()) {
    const std::span<float> read_now(piece.data(), std::min(kPiece, to.size()));
    read(offset, read_now);
    std::ranges::transform(to.first(read_now.size()), read_now, to.begin(), std::plus<>());
    offset += read_now.size_bytes();
    to = to.subspan(read_now.size());
  }
}

void SwapFile::wait_for_disk() {
  if (fdatasync(descriptor_) != 0) {
    fail("the swap file cannot be written to the disk");
  }
}

void SwapFile::drop_from_page_cache() {
  wait_for_disk();  // pages that were not written are not dropped
  posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED);
}

void SwapFile::fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace tidemark::loaders::nntrainer
