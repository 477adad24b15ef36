#include "gui/view/blocks/block_stretch.hpp"

#include <algorithm>

namespace tidemark::gui {

BlockStretch label_stretch(const BlockShape& shape, std::uint64_t bytes) {
  BlockStretch longest;
  BlockStretch now;
  for (const BlockRun& run : shape.runs) {
    const std::uint64_t bottom = std::max(now.bottom, run.bottom);
    const std::uint64_t top = std::min(now.top, run.top());
    if (now.end == run.begin && top >= bottom + bytes) {
      now = {now.begin, run.end, bottom, top};
    } else {
      now = {run.begin, run.end, run.bottom, run.top()};
    }
    if (now.top >= now.bottom + bytes && now.end - now.begin > longest.end - longest.begin) {
      longest = now;
    }
  }
  return longest;
}

}  // namespace tidemark::gui
