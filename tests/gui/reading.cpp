#include "tests/gui/reading.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace tidemark::tests {
namespace {

bool is_of_one_colour(const Picture& picture, int y, const Span& across) {
  for (int x = across.begin; x < across.end; ++x) {
    if (picture.at(x, y) != picture.at(across.begin, y)) {
      return false;
    }
  }
  return true;
}

std::uint32_t most_frequent(const std::map<std::uint32_t, std::size_t>& counts) {
  const auto by_count = [](const auto& entry) { return entry.second; };
  return counts.empty() ? 0 : std::ranges::max_element(counts, {}, by_count)->first;
}

}  // namespace

Area all_of(const Picture& picture) {
  return {{0, picture.width}, {0, picture.height}};
}

std::vector<Span> lines_in(const Picture& picture, const Area& area) {
  std::vector<Span> lines;
  bool in_line = false;
  for (int y = area.down.begin; y < area.down.end; ++y) {
    const bool is_text = !is_of_one_colour(picture, y, area.across);
    if (is_text && !in_line) {
      lines.push_back({y, y});
    }
    if (is_text) {
      lines.back().end = y + 1;
    }
    in_line = is_text;
  }
  return lines;
}

std::vector<Span> stretches(
    const Picture& picture, int y, const Span& across, int least, std::uint32_t background) {
  std::vector<Span> found;
  int begin = across.begin;
  for (int x = across.begin; x < across.end; ++x) {
    const bool goes_on = x + 1 < across.end && picture.at(x + 1, y) == picture.at(begin, y);
    if (goes_on) {
      continue;
    }
    if (x + 1 - begin >= least && picture.at(begin, y) != background) {
      found.push_back({begin, x + 1});
    }
    begin = x + 1;
  }
  return found;
}

std::uint32_t main_colour(const Picture& picture, const Area& area) {
  std::map<std::uint32_t, std::size_t> counts;
  for (int y = area.down.begin; y < area.down.end; ++y) {
    for (int x = area.across.begin; x < area.across.end; ++x) {
      ++counts[picture.at(x, y)];
    }
  }
  return most_frequent(counts);
}

Area box_of(const Picture& picture, std::uint32_t colour) {
  constexpr std::size_t kMinPixels = 5000;
  constexpr int kMinInARow = 8;
  if (picture.count(colour) < kMinPixels) {
    return {};
  }
  std::vector<int> rows(static_cast<std::size_t>(picture.height));
  std::vector<int> columns(static_cast<std::size_t>(picture.width));
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      if (picture.at(x, y) == colour) {
        ++rows[static_cast<std::size_t>(y)];
        ++columns[static_cast<std::size_t>(x)];
      }
    }
  }
  const auto span_of = [](const std::vector<int>& counts) {
    const auto has_many = [](int count) { return count >= kMinInARow; };
    const auto first = std::ranges::find_if(counts, has_many);
    const auto last = std::find_if(counts.rbegin(), std::make_reverse_iterator(first), has_many);
    return Span{static_cast<int>(first - counts.begin()), static_cast<int>(counts.rend() - last)};
  };
  return {span_of(columns), span_of(rows)};
}

std::vector<int> heights(const Picture& picture, const Area& area, std::uint32_t colour) {
  std::vector<int> found;
  for (int x = area.across.begin; x < area.across.end; ++x) {
    int height = 0;
    for (int y = area.down.begin; y < area.down.end; ++y) {
      height += picture.at(x, y) == colour ? 1 : 0;
    }
    found.push_back(height);
  }
  return found;
}

std::vector<Span> bands_of(const Picture& picture,
                           std::uint32_t colour,
                           int top,
                           std::size_t min_pixels) {
  std::vector<Span> found;
  bool was_in = false;
  for (int y = top; y < picture.height; ++y) {
    std::size_t count = 0;
    for (int x = 0; x < picture.width; ++x) {
      count += picture.at(x, y) == colour ? 1U : 0U;
    }
    const bool is_in = count >= min_pixels;
    if (is_in && !was_in) {
      found.push_back({y, y});
    }
    if (is_in) {
      found.back().end = y + 1;
    }
    was_in = is_in;
  }
  std::erase_if(found, [](const Span& span) { return span.size() < 10; });
  return found;
}

std::uint32_t shown(const picture::Colour& colour) {
  std::uint32_t rgb = 0;
  for (const double part : {colour.red, colour.green, colour.blue}) {
    rgb = (rgb << 8U) | static_cast<std::uint32_t>(std::lround(255 * part));
  }
  return rgb;
}

}  // namespace tidemark::tests
