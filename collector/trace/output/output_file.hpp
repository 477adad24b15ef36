/// The only way in which tidemark writes a file: in whole pieces, and under its real name only when
/// complete.
#pragma once

#include "collector/trace/coding/bytes.hpp"
#include "collector/trace/output/output_target.hpp"
#include "collector/trace/types/result.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace tidemark::trace {

/// Only regular files are replaced: anything else is written to if that makes sense, else refused
/// (see OutputTarget). A symbolic link stays; its target is replaced.
///
/// Until `publish` the file has another name in the folder of its real one. It is always created,
/// never opened, under that name: no link is followed, no FIFO is waited for. Only its owner can
/// read it until it is complete and gets its permissions (OutputTarget::mode).
///
/// After the first failed write the file is truncated to the last whole piece and never appended to
/// again: a disk that was full only for a moment must not leave a hole in a trace.
///
/// If destroyed without `publish` or `discard`, the file stays under its current name.
class OutputFile {
 public:
  enum class Way {
    /// Begun as PATH.incomplete, where others can find it while it grows. A lock distinguishes a
    /// file being written from one left by a killed process, which is replaced.
    kUnderKnownName,
    /// Begun under a unique name.
    kAtOnce,
    /// Appended to an existing file, which is created if missing.
    kAppended,
  };

  /// @return kUsage or kIo with one sentence. `kUnderKnownName` refuses streams other than the null
  /// device: what others read while it grows must be a file. Opening a FIFO waits for its reader.
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path, Way way);

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile(OutputFile&&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// @return false once anything has failed, or after `publish`.
  bool append(ByteView piece);
  /// Overwrites part of what was appended: `piece` must lie within it. That needs no more space, so
  /// it is tried even after an append has failed. Does nothing for a stream.
  bool overwrite(std::uint64_t offset, ByteView piece);
  /// Makes the system report now the errors that it would report at close: some file systems (NFS)
  /// notice only then that they are full. @return false once anything has failed.
  bool flush();
  /// Sets the file's modification time to now, so that its readers know that nothing was missing
  /// until now. Has no effect if the system refuses, or once an append has failed, as then
  /// something is missing.
  void touch() const;
  /// Flushes, gives the file its real name and permissions, and closes it.
  bool publish();
  /// Removes the begun file, and closes it.
  void discard();

  [[nodiscard]] bool usable() const { return descriptor_ >= 0 && error_.empty(); }
  /// Total bytes of the whole pieces.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// The system's message for the first failure; empty if there was none.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// Path of the file before `publish`; for a stream its own path.
  [[nodiscard]] const std::string& begun_path() const { return begun_path_; }
  /// True while the file exists at `begun_path`: until it is published, discarded, or removed by
  /// somebody else.
  [[nodiscard]] bool is_there() const;
  /// False for the null device.
  [[nodiscard]] bool is_kept() const { return target_.kind != OutputTarget::Kind::kNull; }
  /// For a child process that writes instead of `append`. Owned by this object.
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

/// Renames a complete file by the rules of OutputFile: only a regular file is replaced, a link
/// stays. @return an error of one sentence.
Status move_into_place(const std::string& from, const std::string& to);

/// Makes exceeding the file size limit (`ulimit -f`) a write error instead of a fatal signal, for
/// this process but not for programs that it starts.
void survive_file_size_limit();

}  // namespace tidemark::trace
