/// What the kernel counts as read by a session's processes, to compare with what hooks have seen.
#pragma once

#include <cstdint>
#include <optional>

namespace tidemark {

/// Bytes of files, pipes, sockets and terminals (see bytes_read_by): each process's once, as its
/// sum has those of the children that it has waited for.
class KernelReads {
 public:
  /// What else accounts for the kernel's bytes.
  struct Explained {
    std::uint64_t seen_bytes = 0;  ///< By hooks.
    std::uint64_t told_bytes = 0;  ///< Past hooks, as reads of a known file.
    /// Upper bound of what the kernel and the loader read of programs and libraries.
    std::uint64_t loader_bytes = 0;
  };

  /// @param bytes of the first process, at its end; none: the kernel does not say, and nothing is
  ///   known to be unseen.
  void add_root(std::optional<std::uint64_t> bytes) {
    is_known_ = bytes.has_value();
    add(bytes);
  }
  /// Adds those of a process that no other one of the session has waited for.
  void add(std::optional<std::uint64_t> bytes) { bytes_ += bytes.value_or(0); }

  /// Bytes that only the kernel knows of. Those of the loader are among them, unless they alone
  /// make the difference.
  [[nodiscard]] std::uint64_t unseen(const Explained& by) const {
    const std::uint64_t known = by.seen_bytes + by.told_bytes;
    return is_known_ && bytes_ > known + by.loader_bytes ? bytes_ - known : 0;
  }

 private:
  std::uint64_t bytes_ = 0;
  bool is_known_ = false;
};

}  // namespace tidemark
