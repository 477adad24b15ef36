#include "gui/view/pages/page_picture.hpp"

#include "analyzer/picture/drawing/pen.hpp"
#include "analyzer/picture/panel.hpp"
#include "analyzer/text/size_text.hpp"

#include <algorithm>
#include <cmath>

namespace tidemark::gui {
namespace {

using picture::Box;
using picture::Colour;
using picture::Part;

Colour colour_of_use(PageUse use, const picture::Theme& theme) {
  switch (use) {
    case PageUse::kLive:
      // The colour of the lane with most of it: each block on the map has its own.
      return theme.lane(trace::Lane::kHeap);
    case PageUse::kUntouched:
      return theme.soft;
    case PageUse::kSmall:
      return theme.rests.front();
    case PageUse::kShared:
      return theme.lane(trace::Lane::kShared);
    case PageUse::kBeyond:
      return picture::mixed(theme.soft, theme.background, 0.8);
    case PageUse::kFileInMemory:
      return theme.lane(trace::Lane::kFile);
    case PageUse::kFileElsewhere:
      return theme.lane(trace::Lane::kFile);
  }
  return theme.soft;
}

/// Not in memory.
bool is_hollow(PageUse use) {
  return use == PageUse::kUntouched || use == PageUse::kFileElsewhere;
}

/// Around all boxes of a run, closed.
std::vector<picture::Point> edge(const std::vector<Box>& boxes) {
  const Box& first = boxes.front();
  const Box& last = boxes.back();
  const double left = last.x;
  return {{first.x, first.y},     {first.right(), first.y},      {first.right(), last.y},
          {last.right(), last.y}, {last.right(), last.bottom()}, {left, last.bottom()},
          {left, first.bottom()}, {first.x, first.bottom()},     {first.x, first.y}};
}

/// Uses of memory that is not resident are drawn as little more than an edge.
Colour inside(const Colour& colour, bool is_hollow, const Look& look) {
  return is_hollow ? picture::mixed(colour, look.theme.background, 0.16) : colour;
}

class PagePainter {
 public:
  PagePainter(picture::Scene& scene,
              const PagePicture& picture,
              const PageRows& rows,
              const Look& look)
      : pen_(scene, look.measure), picture_(picture), rows_(rows), look_(look) {}

  void draw() {
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < picture_.map->runs.size(); ++i) {
      const PageRun& run = picture_.map->runs[i];
      this->run(i, rows_.boxes(begin, begin + run.bytes));
      begin += run.bytes;
    }
  }

 private:
  void run(std::size_t index, const std::vector<Box>& boxes) {
    const PageRun& run = picture_.map->runs[index];
    PageName name{word_of(run.use), colour_of_use(run.use, look_.theme)};
    if (run.block) {
      name = picture_.name(*run.block);
    }
    const bool stands_back = picture_.hovered && picture_.hovered != index;
    const Colour colour =
        stands_back ? picture::mixed(name.colour, look_.theme.background, 0.55) : name.colour;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      area(boxes[i], colour, is_hollow(run.use), i > 0, i + 1 < boxes.size());
    }
    if (!boxes.empty() && is_hollow(run.use)) {
      pen_.stroke(Part::kLane, picture::mixed(colour, look_.theme.background, 0.75), 1,
                  edge(boxes));
    }
    if (!boxes.empty() &&
        (picture_.hovered == index || (run.block && run.block == picture_.pinned))) {
      pen_.stroke(Part::kLegend, look_.theme.ink, look_.px(1.5), edge(boxes));
    }
    label(boxes, name, run, stands_back);
  }

  /// Leaves a hairline of background to neighbours, except between boxes of one run and where boxes
  /// are too small.
  void area(Box box, const Colour& colour, bool is_hollow, bool goes_on_above, bool goes_on_below) {
    constexpr double kMinPixels = 4;
    if (box.width >= kMinPixels) {
      box.width -= 1;
    }
    if (!goes_on_below) {
      box.height -= 1;
    } else if (!goes_on_above && box.x > rows_.place().x) {
      box.y += 1;
      box.height -= 1;
    }
    pen_.fill(Part::kLane, inside(colour, is_hollow, look_), box);
  }

  /// In the largest of its boxes, where it fits.
  void label(const std::vector<Box>& boxes,
             const PageName& name,
             const PageRun& run,
             bool stands_back) {
    const auto largest = std::ranges::max_element(
        boxes, {}, [](const Box& box) { return std::min(box.width, 20 * box.height); });
    picture::TextLook look{look_.type.small, look_.theme.ink};
    if (largest == boxes.end() || largest->height < 1.5 * look.size ||
        largest->width < look_.px(60)) {
      return;
    }
    if (!stands_back && !is_hollow(run.use)) {
      look.colour = picture::ink_on(name.colour);
    }
    const bool is_part = run.block && run.use != PageUse::kLive;
    const std::string text = name.text + (is_part ? std::string(", ") + word_of(run.use) : "") +
                             "  " + analyzer::format_size(run.bytes);
    const double width = std::min(pen_.width_of(look, text), largest->width - look_.px(10));
    const double left = largest->x + look_.px(5);
    const double baseline = picture::middle_baseline(largest->y, largest->bottom(), look.size);
    if (is_hollow(run.use)) {
      pen_.fill(Part::kBackdrop, look_.theme.background,
                picture::text_box({left, baseline}, width, look.size));
    }
    pen_.text(look, picture::Anchor::kLeft, {left, baseline}, text, width + 1);
  }

  picture::Pen pen_;
  const PagePicture& picture_;
  const PageRows& rows_;
  const Look& look_;
};

}  // namespace

PageRows::PageRows(std::uint64_t total, const Box& place, const Look& look) : place_(place) {
  const double wished = std::round(look.px(9));
  rows_ = std::max<std::uint64_t>(static_cast<std::uint64_t>(place.height / wished), 1);
  height_ = std::floor(place.height / static_cast<double>(rows_));
  bytes_ = std::max(static_cast<double>(total) / static_cast<double>(rows_), 1.0);
}

std::uint64_t PageRows::bytes_a_pixel() const {
  return static_cast<std::uint64_t>(std::ceil(bytes_ / place_.width));
}

std::vector<Box> PageRows::boxes(std::uint64_t begin, std::uint64_t end) const {
  const double first = static_cast<double>(begin) / bytes_;
  const double last = std::min(static_cast<double>(end) / bytes_, static_cast<double>(rows_));
  const double top = std::floor(first);
  const double bottom = std::floor(last);
  const auto box = [&](double row, double from, double to, double count) {
    return Box{place_.x + from * place_.width, place_.y + row * height_, (to - from) * place_.width,
               count * height_};
  };
  std::vector<Box> found;
  if (top == bottom) {
    found.push_back(box(top, first - top, last - top, 1));
  } else {
    const bool is_whole = first == top;
    if (!is_whole) {
      found.push_back(box(top, first - top, 1, 1));
    }
    const double from = is_whole ? top : top + 1;
    if (bottom > from) {
      found.push_back(box(from, 0, 1, bottom - from));
    }
    found.push_back(box(bottom, 0, last - bottom, 1));
  }
  std::erase_if(found, [](const Box& one) { return one.width < 0.01; });
  return found;
}

std::optional<std::uint64_t> PageRows::byte_at(const picture::Point& point) const {
  const double row = std::floor((point.y - place_.y) / height_);
  const double share = (point.x - place_.x) / place_.width;
  if (row < 0 || row >= static_cast<double>(rows_) || share < 0 || share >= 1) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>((row + share) * bytes_);
}

std::optional<std::size_t> run_at(const PageMap& map, std::uint64_t byte) {
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < map.runs.size(); ++i) {
    end += map.runs[i].bytes;
    if (byte < end) {
      return i;
    }
  }
  return std::nullopt;
}

double draw_page_legend(picture::Scene& scene,
                        const PageMap& map,
                        const Box& place,
                        const Look& look) {
  picture::Pen pen(scene, look.measure);
  const picture::TextLook text{look.type.small, look.theme.ink};
  const double row = std::round(1.7 * text.size);
  const double size = look.px(12);
  double x = place.x;
  double y = place.y;
  for (std::size_t i = 0; i < kPageUses; ++i) {
    const auto use = static_cast<PageUse>(i);
    if (!is_known(map, use)) {
      continue;
    }
    const std::string words = std::string(word_of(use)) + "  " + analyzer::format_size(map.of(use));
    const double width = size + look.px(6) + pen.width_of(text, words) + look.px(18);
    if (x > place.x && x + width > place.right()) {
      x = place.x;
      y += row;
    }
    const Box swatch{x, y + (row - size) / 2, size, size};
    const Colour colour = colour_of_use(use, look.theme);
    pen.fill(Part::kLegend, inside(colour, is_hollow(use), look), swatch);
    if (is_hollow(use)) {
      pen.stroke(Part::kLegend, colour, 1, edge({swatch}));
    }
    pen.text(text, picture::Anchor::kLeft,
             {x + size + look.px(6), picture::middle_baseline(y, y + row, text.size)}, words,
             width);
    x += width;
  }
  return y + row - place.y;
}

void draw_pages(picture::Scene& scene,
                const PagePicture& picture,
                const PageRows& rows,
                const Look& look) {
  PagePainter(scene, picture, rows, look).draw();
}

}  // namespace tidemark::gui
