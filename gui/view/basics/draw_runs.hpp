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
  bool is_plain = false;  ///< Large opaque rectangles without texture.
  bool operator==(const DrawRun&) const = default;
};

constexpr std::size_t kRectangle = 6;  ///< Indices of one.

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
  constexpr std::size_t kMaxIndices = 170 * kRectangle;
  constexpr std::size_t kMinIndices = 8 * kRectangle;
  std::vector<DrawRun> runs;
  std::size_t begin = 0;  // Where the indices begin that are in no run yet.
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

/// The same, with large plain rectangles, such as the stripes of a table, in runs of their own:
/// most of the cost of a texture and of blending is by pixel.
/// @param plain_pixels how many pixels a rectangle of six indices covers; 0 if it shows a texture
/// or something through it.
template <typename Index, typename PlainPixels>
std::vector<DrawRun> draw_runs(std::span<const Index> indices, const PlainPixels& plain_pixels) {
  // Area of a rectangle: small ones are not worth the splitting.
  constexpr double kMinPixels = 2'000;
  constexpr double kMinRunPixels = 10'000;  // Switching programs costs as much as these.
  std::vector<DrawRun> runs;
  const auto add = [&](std::size_t begin, std::size_t end, bool is_plain) {
    for (const DrawRun& run : draw_runs(indices.subspan(begin, end - begin))) {
      runs.push_back({begin + run.begin, run.count, is_plain});
    }
  };
  std::size_t begin = 0;  // Where the indices begin that are in no run yet.
  for (std::size_t at = 0; at < indices.size();) {
    std::size_t end = at;
    double pixels = 0;
    while (end + kRectangle <= indices.size() && is_rectangle(indices.subspan(end, kRectangle))) {
      const double own = plain_pixels(indices.subspan(end, kRectangle));
      if (own < kMinPixels) {
        break;
      }
      pixels += own;
      end += kRectangle;
    }
    if (pixels < kMinRunPixels) {
      at = std::max(end, at + 3);
      continue;
    }
    add(begin, at, false);
    add(at, end, true);
    at = begin = end;
  }
  add(begin, indices.size(), false);
  return runs;
}

}  // namespace tidemark::gui
