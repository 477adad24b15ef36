/// A file of ours that stays open in the host, for programs started later that will not find it by
/// its name.
#pragma once

#include <atomic>

#include <sys/types.h>

namespace tidemark::preload {

/// The descriptor is high, so that the program's own ones keep their numbers. The program may close
/// it, or put another file in its place: that is noticed.
class KeptFile {
 public:
  constexpr KeptFile() = default;

  /// Keeps a duplicate of `fd`, which is closed. Negative: nothing.
  void keep(int fd);
  /// Keeps `fd`, inherited from the program that started this one. @return false where it is no
  /// open file.
  bool adopt(int fd);
  /// @return negative if none is kept, or may be.
  [[nodiscard]] int number() const;
  /// The same, for one of those from `first` to `last` only.
  [[nodiscard]] int number_in(unsigned first, unsigned last) const;
  /// Whether programs started from now on inherit it. @return number().
  int let_pass(bool passes) const;

 private:
  [[nodiscard]] bool is_still_it(int fd) const;

  std::atomic<int> number_{-1};
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace tidemark::preload
