/// When blocks came and went, in words.
#pragma once

#include "analyzer/load/phases.hpp"
#include "analyzer/query/live/block_lives.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// `allocated from 10 ms to 400 ms`; `allocated at 10 ms` where both read the same.
std::string when_text(std::string_view what, std::uint64_t first_ns, std::uint64_t last_ns);

/// What times of a load are told by. Times are since the start of the recording.
struct LoadMoments {
  std::uint64_t peak_ns = 0;
  std::uint64_t end_ns = 0;
  std::span<const Phase> phases{};  ///< Borrowed.
};

/// `allocated from 10 ms to 4.512 s by loader, thread 4711, in phase read; freed at 4.807 s, 1.2 ms
/// after the peak, in phase convert; 2 of 32 blocks were never freed; largest: 4.63 MiB, freed at
/// 4.798 s`: of blocks that are alive at the peak. What goes in the last hundredth of the recording
/// is told by the end, too. Of several threads the one is named that asked for most of the blocks.
/// Of several the largest is said where it has 64 KiB or more, and only how large each is where all
/// are.
std::string lives_text(const BlockLives& lives,
                       const trace::Definitions& definitions,
                       const LoadMoments& moments);

}  // namespace tidemark::analyzer
