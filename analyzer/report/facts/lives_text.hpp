/// When blocks were allocated and freed, in words.
#pragma once

#include "analyzer/load/phases.hpp"
#include "analyzer/query/live/block_lives.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// `allocated from 10 ms to 400 ms`; `allocated at 10 ms` if both read the same.
std::string when_text(std::string_view what, std::uint64_t first_ns, std::uint64_t last_ns);

/// Reference points for times of a load. Times are since the start of the recording.
struct LoadMoments {
  std::uint64_t peak_ns = 0;
  std::uint64_t end_ns = 0;
  std::span<const Phase> phases{};  ///< Borrowed.
};

/// The largest of several blocks is mentioned if it has at least this many bytes.
inline constexpr std::uint64_t kToldAlone = std::uint64_t{64} << 10U;

/// `allocated from 10 ms to 4.512 s by loader, thread 4711, in phase read; freed at 4.807 s, 1.2 ms
/// after the peak, in phase convert; 2 of 32 blocks were never freed; largest: 4.63 MiB, freed at
/// 4.798 s`: for blocks that are alive at the peak. Releases in the last hundredth of the recording
/// also mention the end. If several threads allocated them, names the one that allocated most of
/// the blocks. Mentions the largest of several blocks if it has kToldAlone or more; if all are
/// equal, only their size.
std::string lives_text(const BlockLives& lives,
                       const trace::Definitions& definitions,
                       const LoadMoments& moments);

}  // namespace tidemark::analyzer
