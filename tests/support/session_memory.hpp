/// The memory of a session, private to one test and all zeros, as a new session's is.
#pragma once

#include "preload/wire/session.hpp"

#include <new>

#include <sys/mman.h>

namespace tidemark::tests {

/// Address space only: a page costs memory once it is touched.
class SessionMemory {
 public:
  SessionMemory()
      : map_{static_cast<std::byte*>(::mmap(nullptr,
                                            kBytes,
                                            PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                                            -1,
                                            0))} {
    if (map_.base == MAP_FAILED)
      throw std::bad_alloc();
    map_.control().blocks = wire::kMaxProcesses;
  }
  ~SessionMemory() { ::munmap(map_.base, kBytes); }
  SessionMemory(const SessionMemory&) = delete;
  SessionMemory& operator=(const SessionMemory&) = delete;
  SessionMemory(SessionMemory&&) = delete;
  SessionMemory& operator=(SessionMemory&&) = delete;

  [[nodiscard]] const wire::SessionMap& map() const { return map_; }
  /// All zeros again.
  void clear() { ::madvise(map_.base, kBytes, MADV_DONTNEED); }

 private:
  static constexpr std::size_t kBytes = wire::session_bytes(wire::kMaxProcesses);
  wire::SessionMap map_;
};

}  // namespace tidemark::tests
