/// A process of one recording that maps memory, and what its lanes hold then, in pages.
#pragma once

#include "tests/collector/drain/recorded_host.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>

namespace tidemark::tests {

inline constexpr std::uint64_t kPage = wire::kPageBytes;
inline constexpr std::uint64_t kHere = 0x7f0000000000;
inline constexpr std::uint64_t kThere = 0x7f8000000000;

/// Checks at its end that the events kept the trace's rules and the table of mappings its own.
struct MappedHost : AssembledSession {
  MappedHost() { claim_slot(0, kFirstPid); }
  ~MappedHost() {
    CHECK(log().breaches().empty());
    CHECK(assembler().processes().hosts().at(0)->tables.mappings.check_invariants());
  }
  [[nodiscard]] std::uint64_t anon() const { return bytes(trace::Lane::kAnon) / kPage; }
  [[nodiscard]] std::uint64_t file() const { return bytes(trace::Lane::kFile) / kPage; }
  std::size_t count(trace::EventKind kind) { return log().of_kind(kind).size(); }

  RecordedThread main{*this, 0, 0, kFirstPid};
  RecordedThread worker{*this, 1, 0, kFirstPid + 1};
};

}  // namespace tidemark::tests
