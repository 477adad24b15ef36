/// When blocks came and went, in words.
#pragma once

#include "analyzer/query/live/block_lives.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// `allocated from 10 ms to 400 ms`; `allocated at 10 ms` where both read the same.
std::string when_text(std::string_view what, std::uint64_t first_ns, std::uint64_t last_ns);

/// `allocated from 10 ms to 400 ms by loader, thread 4711; freed at 900 ms; 2 of 32 blocks were
/// never freed`. Of several threads the one is named that asked for most of the blocks.
std::string lives_text(const BlockLives& lives, const trace::Definitions& definitions);

}  // namespace tidemark::analyzer
