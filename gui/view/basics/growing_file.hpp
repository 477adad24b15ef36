/// How old is what was read of a file that another program goes on writing.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tidemark::gui {

/// The writer is taken to touch the file also where it has nothing to write, as the recorder does:
/// what was read of it holds until then. Not thread-safe.
class GrowingFile {
 public:
  using Clock = std::chrono::steady_clock;

  /// The file is read now. One that is not there has no bytes.
  GrowingFile(std::string path, Clock::time_point now);

  /// Looks at the file again: once in a while.
  void look(Clock::time_point now);
  /// At the last look: since when what was read may not be all there is. A file that has not been
  /// looked at is as old as its time says.
  [[nodiscard]] std::chrono::nanoseconds age() const { return age_; }
  /// True where it has another size by now, or is gone.
  [[nodiscard]] bool has_changed() const;

 private:
  std::string path_;
  Clock::time_point read_;
  std::uintmax_t read_bytes_;
  Clock::time_point touched_;  // When that was seen.
  std::filesystem::file_time_type time_;
  std::chrono::nanoseconds age_{};
};

}  // namespace tidemark::gui
