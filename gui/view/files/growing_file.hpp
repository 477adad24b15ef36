/// How old the contents are that were read from a file which another program still writes.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tidemark::gui {

/// The writer must touch the file even when it has nothing to write, as the recorder does: what was
/// read is current up to the last touch. Not thread-safe.
class GrowingFile {
 public:
  using Clock = std::chrono::steady_clock;

  /// `now`: when the file is read. A missing file counts as empty.
  GrowingFile(std::string path, Clock::time_point now);

  /// Checks the file again. Call now and then.
  void look(Clock::time_point now);
  /// How long, at the last look, what was read might have been incomplete. Before the first look:
  /// the age of the file's modification time.
  [[nodiscard]] std::chrono::nanoseconds age() const { return age_; }
  /// True if the file's size differs from when it was read, or it is gone.
  [[nodiscard]] bool has_changed() const;

 private:
  std::string path_;
  Clock::time_point read_;
  std::uintmax_t read_bytes_;
  Clock::time_point touched_;  // When a new modification time was seen.
  std::filesystem::file_time_type time_;
  std::chrono::nanoseconds age_{};
};

}  // namespace tidemark::gui
