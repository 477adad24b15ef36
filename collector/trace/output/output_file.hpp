/// The one way in which tidemark writes a file: by whole pieces or not at all, and under its real
/// name only when it is complete.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/output/output_target.hpp"
#include "collector/trace/types/result.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace tidemark::trace {

/// What is no regular file is never replaced: it is written into where that makes sense, else
/// refused (see OutputTarget). A symbolic link stays; what it leads to is replaced.
///
/// Until `publish` the file has another name in the folder of its real one. It is created there and
/// nothing is ever opened under that name: no link is followed, no FIFO is waited for. It can be
/// read by its owner alone, and gets its permissions (OutputTarget::mode) when it is complete.
///
/// After the first failed write the file is cut back to the last whole piece and not appended to
/// again: a disk that was full a moment ago must not leave a hole in the middle of a trace.
///
/// Destroyed without `publish` or `discard`, the file stays under the name that it has.
class OutputFile {
 public:
  enum class Way {
    /// Begun as PATH.incomplete, where others find it while it grows. The lock on it tells a file
    /// that is being written from one that a killed process left, which is replaced.
    kUnderKnownName,
    /// Begun under a name of its own.
    kAtOnce,
    /// Added to the end of what is there, which is created if nothing is.
    kAppended,
  };

  /// @return kUsage or kIo with one sentence. A stream that is no null device is refused with
  /// `kUnderKnownName`: what grows for others to read has to be a file. Opening a FIFO waits for
  /// its reader.
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path, Way way);

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile(OutputFile&&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// @return false once anything has failed, or after `publish`.
  bool append(ByteView piece);
  /// Writes over what was appended before: `piece` lies within it. That takes no more room, so it
  /// is tried also after an append has failed. Does nothing to a stream.
  bool overwrite(std::uint64_t offset, ByteView piece);
  /// Makes the system say now what it would say when the file is closed: some file systems (NFS)
  /// find out only then that they are full. @return false once anything has failed.
  bool flush();
  /// Makes now the time of its last change, though nothing has: who reads it while it grows knows
  /// that there was no more. Where the system refuses, nothing comes of it; nor once an append has
  /// failed: there was more.
  void touch() const;
  /// Flushes, gives the file its real name and permissions, and closes it.
  bool publish();
  /// Removes what was begun, and closes it.
  void discard();

  [[nodiscard]] bool usable() const { return descriptor_ >= 0 && error_.empty(); }
  /// Bytes of the whole pieces.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The system's words for what failed first; empty while all is well.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// Where the bytes are before `publish`; the stream itself for a stream.
  [[nodiscard]] const std::string& begun_path() const { return begun_path_; }
  /// True while what was written can be found under `begun_path`: until it is published, discarded,
  /// or removed by somebody else.
  [[nodiscard]] bool is_there() const;
  /// False where nothing is kept: the null device.
  [[nodiscard]] bool is_kept() const { return target_.kind != OutputTarget::Kind::kNull; }
  /// For a child process that writes instead of `append`. Stays owned here.
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  OutputFile(OutputTarget target, std::string begun_path, int descriptor);
  bool fail(int error);
  bool fail(std::string words);
  [[nodiscard]] bool is_begun() const { return begun_path_ != target_.path; }
  bool take_place();
  void close();

  OutputTarget target_;
  std::string begun_path_;
  std::string error_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

/// Gives a file that is complete another name, under the rules of OutputFile: only a regular file
/// is replaced, a link stays. @return one sentence.
Status move_into_place(const std::string& from, const std::string& to);

/// A file that outgrows the process's limit (`ulimit -f`) is a write error to be told, not a reason
/// to die. Programs that this process starts still die of it.
void survive_file_size_limit();

}  // namespace tidemark::trace
