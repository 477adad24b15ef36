/// Files: which there are, what was read of them, and into which blocks.
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
  /// The thread is gone, or its process is: what of its small reads was in no record yet.
  /// @param total_bytes RingHeader::gathered_bytes.
  void end_reads(Source& source, std::uint64_t total_bytes);

  /// The file that a host has open as `descriptor`; one that stands for all that are no regular
  /// files, where none is known.
  trace::FileId mapped_file(const Host& host, std::uint32_t descriptor);
  /// Its code is mapped: it is a program or a library.
  void note_executable(trace::FileId file);
  /// Smaller ones are not looked into.
  [[nodiscard]] bool may_have_tensors(trace::FileId file) const;
  /// So many of its bytes were mapped.
  void note_use(trace::FileId file, std::uint64_t bytes);

  /// At the end: what is in the files that were used, which of them the session has changed, and
  /// which blocks held what is in them.
  /// @param began_unix_ns when the session began, by the clock of files.
  void look_into_files(std::uint64_t began_unix_ns);

 private:
  struct Known {
    trace::File facts;
    wire::FileIdentity identity{};  ///< The one that was opened last under this name.
    bool is_identified = false;
    std::uint64_t used_bytes = 0;  ///< Read or mapped.
  };

  /// What a thread reads by small pieces goes on in the file that it has read last.
  struct ThreadReads {
    std::optional<trace::FileId> last;
    std::uint64_t gathered_bytes = 0;  ///< As its records say.
  };
  ThreadReads& reads_of(const Source& source);
  void take_read(Source& source, const wire::Read& read, std::optional<std::uint64_t> offset);
  void take_bytes(Source& source,
                  std::optional<trace::FileId> file,
                  const wire::Read& read,
                  std::optional<std::uint64_t> offset);
  void tell_destination(Source& source, const wire::Read& read, const PlacedBytes& part);
  /// The one with that path; what `facts` adds is put down.
  trace::FileId file(trace::File facts);
  /// The name by which a file was opened first that is opened as `path` now: a model counts once,
  /// and is read twice, where it is opened by a symbolic link and by its own name. Of large ones
  /// that nobody writes: where files come and go, an inode's number is soon another one's.
  [[nodiscard]] const std::string& first_name_of(const std::string& path,
                                                 const wire::FileIdentity& identity,
                                                 std::uint64_t bytes) const;
  /// What was learned of one file.
  struct Opened {
    FileDescriptor file;
    std::uint64_t size = 0;
    std::vector<trace::Tensor> tensors;  ///< That it lists.
  };
  static Opened look_into(Known& known, std::uint64_t began_unix_ns);
  static bool may_hold_plain_values(const Known& known);
  [[nodiscard]] bool unpack(const Known& known, Opened& opened, std::uint64_t& room) const;

  EventSink& sink_;
  SharedBook& shared_;
  PageBook& pages_;
  OriginBook& origins_;
  ValueBook& values_;
  std::unordered_map<std::string, trace::FileId> files_;
  /// By device and inode, the one that was opened last.
  std::map<std::pair<std::uint64_t, std::uint64_t>, trace::FileId> by_inode_;
  std::vector<Known> known_;          // By FileId.
  std::vector<ThreadReads> threads_;  // By ThreadId.
};

}  // namespace tidemark
