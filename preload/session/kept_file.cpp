#include "preload/session/kept_file.hpp"

#include "preload/os/seccomp.hpp"
#include "preload/os/sys.hpp"

// clang-format off: last
#include "preload/os/forbidden.hpp"
// clang-format on

namespace tidemark::preload {

void KeptFile::keep(int fd) {
  // Not so high that the kernel's descriptor table grows much.
  constexpr int kLowest = 1000;
  if (fd < 0)
    return;
  int kept = sys::duplicate(fd, kLowest);
  if (kept < 0)
    kept = sys::duplicate(fd, kLowest / 10);
  sys::close(fd);
  adopt(kept);
}

bool KeptFile::adopt(int fd) {
  struct stat status {};
  if (fd < 0 || !may(kMayPassDescriptor) || sys::file_status(fd, &status) != 0)
    return false;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  number_.store(fd);
  return true;
}

bool KeptFile::is_still_it(int fd) const {
  struct stat status {};
  return may(kMayPassDescriptor) && sys::file_status(fd, &status) == 0 &&
         status.st_dev == device_ && status.st_ino == inode_;
}

int KeptFile::number() const {
  return number_in(0, ~0U);
}

int KeptFile::number_in(unsigned first, unsigned last) const {
  const int fd = number_.load(std::memory_order_relaxed);
  const bool is_in =
      fd >= 0 && first <= static_cast<unsigned>(fd) && static_cast<unsigned>(fd) <= last;
  return is_in && is_still_it(fd) ? fd : -1;
}

int KeptFile::let_pass(bool passes) const {
  const int fd = number();
  if (fd >= 0)
    sys::set_close_on_exec(fd, !passes);
  return fd;
}

}  // namespace tidemark::preload
