/// Not in use: the assembler does not call `look`. It compares paths where it needs files (a
/// symbolic link made a second model), and takes the whole of rchar, with children and what was
/// before an exec.
///
/// Files that a host reads by calls that no hook stands in front of: Go makes its system calls
/// itself.
///
/// That something was read so, the kernel's count of the process's reads tells. Which file it was,
/// its open descriptors tell: the position of one goes on as it is read. Where reads leave the
/// position alone (pread), it is the one file of weights that is open, and no more of it than there
/// are reads that nobody saw. Where to it was read is not known, and it stays a loss. A file that
/// is opened and closed between two looks is missed; one that has gone by then is read to its end,
/// if so much is missing.
#pragma once

#include "collector/drain/books/file_book.hpp"
#include "collector/drain/hosts/event_sink.hpp"
#include "preload/wire/session.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark {

class UnseenReadBook {
 public:
  /// Smaller files are no weights.
  static constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 20U;

  /// All stay borrowed.
  UnseenReadBook(const wire::SessionMap& session, EventSink& sink, FileBook& files)
      : session_(session), sink_(sink), files_(files) {}

  /// If it is time: a three hundredth of it at most is for all hosts, `hosts` of them. What one
  /// look has found the next one tells, as a record of it may have been on its way.
  void look(Host& host, std::size_t hosts);
  /// The host has ended, or the recording has: the rest of what was being read, as long as the
  /// kernel still tells of it.
  void end(Host& host);

 private:
  [[nodiscard]] std::uint64_t unseen_bytes(const Host& host) const;
  std::vector<UnseenReads::File> still_to_tell(const Host& host, const std::vector<OpenFile>& open);
  void tell_all(Host& host, const std::vector<OpenFile>& open);
  void tell_positions(Host& host, const std::vector<OpenFile>& open, std::uint64_t unseen);
  void tell_rest(Host& host, std::uint64_t unseen);
  void tell(Host& host, UnseenReads::File& file, std::uint64_t bytes);

  const wire::SessionMap session_;
  EventSink& sink_;
  FileBook& files_;
};

}  // namespace tidemark
