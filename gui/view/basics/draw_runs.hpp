/// Which triangles a painter in software can take for rectangles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tidemark::gui {

/// Some indices of a draw call that are drawn by one of their own.
struct DrawRun {
  std::size_t begin = 0;
  std::size_t count = 0;
  bool operator==(const DrawRun&) const = default;
};

/// Two triangles over four neighbouring vertices, as ImGui makes rectangles and letters.
template <typename Index>
bool is_rectangle(std::span<const Index> six) {
  return six[1] == six[0] + 1 && six[2] == six[0] + 2 && six[3] == six[0] && six[4] == six[2] &&
         six[5] == six[0] + 3;
}

/// Cuts a draw call. Mesa's llvmpipe paints a rectangle several times as fast as two triangles, and
/// takes triangles for rectangles where it gets whole pairs of them: it takes up to 1024 indices at
/// a time, of which 1023 make whole triangles, an odd number of them. So each run of rectangles has
/// at most 1020 indices; what is none lies between the runs. Few rectangles are not worth a call.
template <typename Index>
std::vector<DrawRun> draw_runs(std::span<const Index> indices) {
  constexpr std::size_t kRectangle = 6;
  constexpr std::size_t kMaxIndices = 170 * kRectangle;
  constexpr std::size_t kMinIndices = 8 * kRectangle;
  std::vector<DrawRun> runs;
  std::size_t begin = 0;  // Of what has no run yet.
  for (std::size_t at = 0; at < indices.size();) {
    std::size_t end = at;
    while (end + kRectangle <= indices.size() && is_rectangle(indices.subspan(end, kRectangle))) {
      end += kRectangle;
    }
    if (end - at < kMinIndices) {
      at = std::max(end, at + 3);
      continue;
    }
    if (begin < at) {
      runs.push_back({begin, at - begin});
    }
    for (; at < end; at += runs.back().count) {
      runs.push_back({at, std::min(kMaxIndices, end - at)});
    }
    begin = end;
  }
  if (begin < indices.size()) {
    runs.push_back({begin, indices.size() - begin});
  }
  return runs;
}

}  // namespace tidemark::gui
