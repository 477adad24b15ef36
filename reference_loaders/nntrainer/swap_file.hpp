#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace tidemark::loaders::nntrainer {

/// A file for what does not fit into memory, as large as everything together but sparse: only what
/// was written has blocks. It has no name, and is gone with the object. Thread-safe.
class SwapFile {
 public:
  enum class Writes {
    kToTheDisk,  ///< O_SYNC, as nntrainer opens it: a write returns when the disk has it.
    kToThePageCache,
  };

  /// @throws std::system_error when `folder` cannot be written to
  SwapFile(const std::filesystem::path& folder, std::uint64_t bytes, Writes writes);
  SwapFile(const SwapFile&) = delete;
  SwapFile& operator=(const SwapFile&) = delete;
  ~SwapFile();

  /// Offsets are in bytes. @throws std::system_error
  void write(std::uint64_t offset, std::span<const float> from);
  void read(std::uint64_t offset, std::span<float> to) const;
  /// Adds what is there to `to`, through a small buffer.
  void add(std::uint64_t offset, std::span<float> to) const;

  /// Waits until everything is on the disk, and asks the kernel to forget it (posix_fadvise).
  void drop_from_page_cache();
  void wait_for_disk();

 private:
  [[noreturn]] static void fail(const char* what);

  int descriptor_ = -1;
};

}  // namespace tidemark::loaders::nntrainer
