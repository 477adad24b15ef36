/// Which triangles a software renderer can draw as rectangles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tidemark::gui {

/// A range of a draw call's indices that becomes a draw call of its own.
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

/// Splits a draw call. Mesa's llvmpipe draws a rectangle several times as fast as two triangles,
/// but only recognises whole pairs of triangles as one. It works through 1024 indices at a time;
/// 1023 of them make whole triangles, an odd number of them, which would split a pair. So each run
/// of rectangles has at most 1020 indices. Other triangles lie between the runs, and so do
/// rectangles too few to be worth a call.
template <typename Index>
std::vector<DrawRun> draw_runs(std::span<const Index> indices) {
  constexpr std::size_t kRectangle = 6;
  constexpr std::size_t kMaxIndices = 170 * kRectangle;
  constexpr std::size_t kMinIndices = 8 * kRectangle;
  std::vector<DrawRun> runs;
  std::size_t begin = 0;  // Of the indices that are in no run yet.
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
