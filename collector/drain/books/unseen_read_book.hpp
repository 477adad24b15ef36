/// Reads that no hook sees, by the kernel's counts and the positions of open files.
#pragma once

#include "collector/drain/books/file_book.hpp"
#include "collector/drain/hosts/host.hpp"
#include "preload/wire/session.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark {

/// Some programs read by the `syscall` instruction, as Go's do, or by functions of libc that have
/// no hook, such as C's fscanf. The kernel counts the bytes of such reads, and shows how far in
/// each open file a process is. If it counts more bytes than hooks have seen, a file was read whose
/// position went further than the reads of hooks explain; or the rest of one that was closed, if
/// the count says so; or all of one, if it alone was open while as many bytes as it has were read.
///
/// Not found: files of less than a MiB, reads of a part at an offset (pread), and files that were
/// opened, read and closed between two looks.
class UnseenReadBook {
 public:
  /// Both stay borrowed.
  UnseenReadBook(const wire::SessionMap& session, FileBook& files)
      : session_(session), files_(files) {}

  /// Tells what the last look saw, and looks again. Every record from before this look must have
  /// been added by the next one, which then knows of all that hooks saw. Takes at most a hundredth
  /// of the time.
  void look(Host& host, std::uint64_t at_ns);
  /// The host has ended; its process can still be asked, unless somebody has waited for it.
  void end(Host& host);

  /// The bytes of all hosts that went into the trace as reads.
  [[nodiscard]] std::uint64_t told_bytes() const { return told_bytes_; }

 private:
  struct Count {
    std::uint64_t unseen_bytes = 0;
    std::uint64_t reaped_faults = 0;  ///< ProcessStat::reaped_faults.
  };
  [[nodiscard]] std::optional<Count> count(const Host& host, bool has_ended) const;
  void move_on(Host& host, std::vector<OpenFile> open);
  void tell(Host& host, const Count& now);
  bool tell_whole_file(Host& host, std::uint64_t certain);
  std::uint64_t tell_files(Host& host, std::uint64_t limit, bool only_known);

  const wire::SessionMap session_;
  FileBook& files_;
  std::uint64_t told_bytes_ = 0;
};

}  // namespace tidemark
