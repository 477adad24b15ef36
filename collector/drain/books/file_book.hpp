/// Files: which were used, what was read from them, and into which blocks.
#pragma once

#include "collector/drain/books/contents/origin_book.hpp"
#include "collector/drain/books/contents/page_book.hpp"
#include "collector/drain/books/contents/value_book.hpp"
#include "collector/drain/books/shared_book.hpp"
#include "collector/drain/hosts/event_sink.hpp"
#include "collector/trace/types/definitions.hpp"
#include "preload/wire/kinds.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark {

class FileBook {
 public:
  /// All stay borrowed.
  FileBook(
      EventSink& sink, SharedBook& shared, PageBook& pages, OriginBook& origins, ValueBook& values)
      : sink_(sink), shared_(shared), pages_(pages), origins_(origins), values_(values) {}

  void see(Source& source, const wire::Open& open, const Behind& behind);
  void see(Source& source, const wire::Close& close, const Behind& behind);
  void see(Source& source, const wire::Duplicate& duplicate, const Behind& behind);
  void see(Source& source, const wire::Read& read, const Behind& behind);
  void see(Source& source, const wire::ReadAt& read, const Behind& behind);
  void see(Source& source, const wire::GatheredReads& reads, const Behind& behind);
  void see(Source& source, const wire::FileAdvise& advice, const Behind& behind);
  /// The thread or its process has ended: takes the small reads that are in no record.
  /// @param total_bytes RingHeader::gathered_bytes.
  void end_reads(Source& source, std::uint64_t total_bytes);

  /// The file that a host has open as `descriptor`; if none is known, a file that stands for
  /// everything but regular files.
  trace::FileId mapped_file(const Host& host, std::uint32_t descriptor);
  /// The file is mapped executable: a program or a library.
  void note_executable(trace::FileId file);
  /// False for files too small to be looked into.
  [[nodiscard]] bool may_have_tensors(trace::FileId file) const;
  /// `bytes` of the file were mapped.
  void note_use(trace::FileId file, std::uint64_t bytes);

  /// A large file that the host was found to have open. If no record has named it, it was opened by
  /// a call that no hook saw: an event of the host's first thread, without a stack.
  void note_open(Host& host, const OpenFile& open);
  /// Bytes of it that were read or mapped, of which records or looks at mappings have told.
  [[nodiscard]] std::uint64_t seen_uses_of(const OpenFile& open) const;
  [[nodiscard]] bool was_read_unseen(const OpenFile& open) const;
  /// `bytes` of it were read by calls that no hook saw: a read of the host's first thread, without
  /// a stack, into memory that is not known.
  void read_unseen(Host& host, const OpenFile& open, std::uint64_t bytes);

  /// Call before `look_into_files`: if no use of the file at `path`, or of any below that folder,
  /// was seen, they count as used. A program may have read its model by calls that no hook sees.
  void note_model(const std::string& path);
  /// Call at the end: finds out what the used files contain, which of them the session changed, and
  /// which blocks held their content.
  /// @param began_unix_ns when the session began, in the clock of file time stamps.
  void look_into_files(std::uint64_t began_unix_ns);

 private:
  struct Known {
    trace::File facts;
    wire::FileIdentity identity{};  ///< That of the file last opened by this name.
    bool is_identified = false;
    std::uint64_t used_bytes = 0;    ///< Read or mapped.
    std::uint64_t unseen_bytes = 0;  ///< Those that no hook saw: see read_unseen.
  };

  /// Small reads of a thread belong to the file that it has read last.
  struct ThreadReads {
    std::optional<trace::FileId> last;
    std::uint64_t gathered_bytes = 0;  ///< According to its records.
  };
  ThreadReads& reads_of(const Source& source);
  void take_read(Source& source, const wire::Read& read, std::optional<std::uint64_t> offset);
  void take_bytes(Source& source,
                  std::optional<trace::FileId> file,
                  const wire::Read& read,
                  std::optional<std::uint64_t> offset);
  void tell_destination(Source& source, const wire::Read& read, const PlacedBytes& part);
  /// Null if no record or look has named it.
  [[nodiscard]] const Known* find(const OpenFile& open) const;
  /// The file with that path; adds what is new in `facts`.
  trace::FileId file(trace::File facts);
  /// The name under which the file now opened as `path` was first opened, so that a model opened by
  /// a symbolic link and by its own name is one file, read twice. Only for large files that nobody
  /// writes: inode numbers of short-lived files are soon reused.
  [[nodiscard]] const std::string& first_name_of(const std::string& path,
                                                 const wire::FileIdentity& identity,
                                                 std::uint64_t bytes) const;
  /// What was learned of one file.
  struct Opened {
    FileDescriptor file;
    std::uint64_t size = 0;
    std::vector<trace::Tensor> tensors;  ///< Those that the file lists.
  };
  static Opened look_into(Known& known, std::uint64_t began_unix_ns);
  static bool may_hold_plain_values(const Known& known);
  [[nodiscard]] bool unpack(const Known& known, Opened& opened, std::uint64_t& budget) const;

  EventSink& sink_;
  SharedBook& shared_;
  PageBook& pages_;
  OriginBook& origins_;
  ValueBook& values_;
  std::unordered_map<std::string, trace::FileId> files_;
  /// By device and inode: the file opened last.
  std::map<std::pair<std::uint64_t, std::uint64_t>, trace::FileId> by_inode_;
  std::vector<Known> known_;          // By FileId.
  std::vector<ThreadReads> threads_;  // By ThreadId.
};

}  // namespace tidemark
