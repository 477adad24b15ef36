#include "analyzer/flow/block_looks.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::analyzer {

BlockLooks::BlockLooks(const trace::Definitions& definitions) {
  for (const trace::Look& look : definitions.looks) {
    Looks& block = looks_[look.allocation];
    block.most_bytes = std::max(block.most_bytes, look.bytes);
    block.before_ns = std::exchange(block.last_ns, look.at_ns);
    block.before_bytes = std::exchange(block.last_bytes, look.bytes);
  }
}

/// What may have been touched after the last look, assuming the pace before it.
std::uint64_t BlockLooks::touched_unseen(const BlockLife& life,
                                         const Looks& looks,
                                         std::uint64_t end_ns) {
  const std::uint64_t since_ns = std::max(looks.before_ns, life.born_ns);
  const std::uint64_t grown = looks.last_bytes - std::min(looks.last_bytes, looks.before_bytes);
  const auto seen_ns = static_cast<double>(looks.last_ns - std::min(looks.last_ns, since_ns));
  const auto unseen_ns = static_cast<double>(end_ns - std::min(end_ns, looks.last_ns));
  if (grown == 0 || unseen_ns <= 0) {
    return 0;
  }
  const double more = static_cast<double>(grown) * unseen_ns / std::max(seen_ns, 1.0);
  return more < static_cast<double>(life.size) ? static_cast<std::uint64_t>(more) : life.size;
}

std::uint64_t BlockLooks::untouched_bytes(const BlockLife& life, std::uint64_t end_ns) const {
  const auto known = looks_.find(life.allocation);
  const std::uint64_t last_ns = std::min(life.died_ns, end_ns);
  const std::uint64_t life_ns = last_ns - std::min(last_ns, life.born_ns);
  if (known == looks_.end() || life.lane != trace::Lane::kHeap ||
      known->second.last_ns < life.born_ns + life_ns / 3) {
    return 0;
  }
  const Looks& looks = known->second;
  const std::uint64_t came = life.read_bytes + life.copied_in_bytes + life.moved_in_bytes;
  const std::uint64_t touched =
      std::max({looks.most_bytes, came, life.filled_bytes}) + touched_unseen(life, looks, last_ns);
  return life.size - std::min(life.size, touched);
}

}  // namespace tidemark::analyzer
