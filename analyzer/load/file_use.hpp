/// Which files the program read and mapped, and how much of each.
#pragma once

#include "collector/trace/types/definitions.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tidemark::analyzer {

/// How much of a file had been read or mapped at an instant.
struct ReadingPoint {
  std::uint64_t at_ns = 0;
  std::uint64_t bytes = 0;
};

/// One file, by path: uses from several processes or through several descriptors are one.
struct FileUse {
  std::string path;
  std::uint64_t size = 0;  ///< The largest size it was seen with.
  bool executable = false;
  bool writable = false;  ///< These as trace::File has them.
  bool written = false;
  bool unlinked = false;
  bool in_memory = false;
  bool compressed = false;
  bool named = false;
  std::string content{};
  std::uint64_t unpacked_bytes = 0;
  bool is_beside_libraries = false;  ///< In or below a folder of shared libraries whose code ran.
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_mapped = 0;
  std::optional<std::uint64_t> opened_ns{};  ///< The last time before its first use, if seen.
  std::uint64_t first_use_ns = 0;            ///< First read or mapping.
  std::uint64_t last_use_ns = 0;             ///< Last read or mapping.
  /// In order of time; a few hundred points however many reads there were.
  std::vector<ReadingPoint> progress{};

  [[nodiscard]] bool used() const { return bytes_read + bytes_mapped > 0; }
  /// Bytes of the file that were read or mapped, each counted once.
  [[nodiscard]] std::uint64_t taken_bytes() const {
    return size == 0 ? bytes_read : std::min(size, bytes_read + bytes_mapped);
  }
  /// Bytes read or mapped until `ns`, to within 1/200 of all; exact at the end.
  [[nodiscard]] std::uint64_t bytes_until(std::uint64_t ns) const;
};

/// A file of the trace, without any use of it.
FileUse unused(const trace::File& file);

/// Folders of shared libraries whose code the program ran or mapped.
class LibraryFolders {
 public:
  explicit LibraryFolders(const trace::Definitions& definitions);
  /// True for a file in or below one of them.
  [[nodiscard]] bool hold(std::string_view path) const;

 private:
  std::unordered_set<std::string> folders_;
};

/// Adds up the uses of each file over the events of a trace, seen in order.
class FileUseCollector {
 public:
  /// `definitions` stays borrowed.
  explicit FileUseCollector(const trace::Definitions& definitions);

  void see(const trace::Event& event) {
    if (event.kind == trace::EventKind::kRead || is_mapping(event)) {
      add(event);
    } else if (event.kind == trace::EventKind::kOpen) {
      note_open(event);
    }
  }
  /// Files of which at least one byte was read or mapped, in the order of their first use. First
  /// those named as the model of which no use was seen.
  [[nodiscard]] std::vector<FileUse> take();

 private:
  static bool is_mapping(const trace::Event& event) {
    return event.kind == trace::EventKind::kAllocate && event.lane == trace::Lane::kFile;
  }
  void note_open(const trace::Event& event);
  void add(const trace::Event& event);

  std::vector<FileUse> files_;
  std::vector<std::size_t> by_id_;  // Index into `files_` of each FileId.
};

}  // namespace tidemark::analyzer
