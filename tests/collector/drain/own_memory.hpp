/// This very process as the host: what it really has is looked at.
#pragma once

#include "tests/collector/drain/recorded_host.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

#include <sys/mman.h>
#include <unistd.h>

namespace tidemark::tests {

struct OwnSession : AssembledSession {
  OwnSession() { claim_slot(0, static_cast<std::uint32_t>(getpid())); }
};

/// With memory that it really has, in pages of 4 KiB; what the record says of it is the test's.
struct OwnMemory : OwnSession {
  static constexpr std::uint64_t kBytes = std::uint64_t{64} << 20U;

  OwnMemory() {
    void* mapped =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(mapped != MAP_FAILED);
    madvise(mapped, kBytes, MADV_NOHUGEPAGE);
    memory = static_cast<char*>(mapped);
    address = reinterpret_cast<std::uint64_t>(memory);
  }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;
  OwnMemory(OwnMemory&&) = delete;
  OwnMemory& operator=(OwnMemory&&) = delete;
  ~OwnMemory() {
    munmap(memory, kBytes);
    CHECK(log().breaches().empty());
  }
  void touch(std::uint64_t bytes) const { std::memset(memory, 1, bytes); }
  void look(std::uint64_t later_ns = 20'000'000) {
    pass_time(later_ns);
    assembler().look_at_pages(host(), now());
  }
  void look_at_new(std::uint64_t later_ns = 20'000'000) {
    pass_time(later_ns);
    assembler().look_at_new_mappings(host(), now());
  }

  char* memory = nullptr;
  std::uint64_t address = 0;
  RecordedThread main{*this, 0, 0, static_cast<std::uint32_t>(getpid())};

  [[nodiscard]] Host& process() { return *assembler().processes().hosts().at(0); }

 private:
  /// What this test program has written of its own data, megabytes under a sanitizer, stays out.
  Host& host() {
    Host& found = *assembler().processes().hosts().at(0);
    found.tables.next_file_data_look_ns = std::numeric_limits<std::uint64_t>::max();
    return found;
  }
};

}  // namespace tidemark::tests
