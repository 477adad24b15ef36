#include "gui/view/activity/activity_picture.hpp"

#include "analyzer/text/size_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace tidemark::gui {
namespace {

using picture::Box;
using picture::Part;

constexpr int kShades = 12;

class ActivityPainter {
 public:
  ActivityPainter(picture::Scene& scene,
                  const ActivityInput& input,
                  const Box& place,
                  const Look& look)
      : pen_(scene, look.measure),
        input_(input),
        place_(place),
        look_(look),
        line_(std::round(look.type.small * 1.5)),
        bar_(std::round(look.type.small * 0.95)),
        row_(line_ + bar_ + std::round(look.px(4))),
        y_(place.y - input.scrolled) {
    for (const std::uint64_t border : input.activity->borders) {
      edges_.push_back(share_of(border));
    }
  }

  double draw() {
    const double begin = y_;
    grid();
    heading("phases", input_.subject->phases.empty());
    phases();
    heading("threads: bytes allocated", input_.activity->threads.empty());
    const std::uint64_t most = highest(input_.activity->threads);
    for (const ActivityRow& row : input_.activity->threads) {
      values(row, row.bytes, most, look_.theme.lane(trace::Lane::kHeap));
    }
    heading("files: bytes read, and mapped", input_.activity->files.empty());
    for (const ActivityRow& row : input_.activity->files) {
      file(row);
    }
    return y_ - begin;
  }

 private:
  [[nodiscard]] bool is_visible() const {
    return y_ >= place_.y - 0.5 && y_ + row_ <= place_.bottom() + 0.5;
  }
  [[nodiscard]] Box cells() const {
    return {place_.x + input_.left, y_ + line_, place_.width - input_.left, bar_};
  }

  /// The timeline's ticks, on through all rows.
  void grid() {
    const double width = place_.width - input_.left;
    for (const picture::AxisTick& tick : input_.ticks) {
      const double x = std::floor(place_.x + input_.left + tick.x * width) + 0.5;
      pen_.stroke(Part::kGrid, look_.theme.grid, 1, {{x, place_.y}, {x, place_.bottom()}});
    }
  }

  void heading(const std::string& text, bool is_empty) {
    if (is_empty) {
      return;
    }
    if (is_visible()) {
      pen_.text({look_.type.small, look_.theme.soft, false}, picture::Anchor::kLeft,
                {place_.x + look_.px(4),
                 picture::middle_baseline(y_, y_ + line_ + look_.px(4), look_.type.small)},
                text, place_.width);
    }
    y_ += line_ + look_.px(4);
  }

  void name(const std::string& text, std::uint64_t total) {
    const picture::TextLook look{look_.type.small, look_.theme.ink};
    const double baseline = picture::middle_baseline(y_, y_ + line_, look.size);
    const double left = place_.x + input_.left;
    const std::string size = analyzer::format_size(total);
    const double room = place_.width - input_.left - look_.px(10) - pen_.width_of(look, size);
    const Box shown = pen_.text(look, picture::Anchor::kLeft, {left, baseline}, text, room);
    pen_.text({look.size, look_.theme.soft}, picture::Anchor::kLeft,
              {std::max(shown.right(), left) + look_.px(8), baseline}, size);
  }

  static std::uint64_t highest(const std::vector<ActivityRow>& rows) {
    std::uint64_t most = 1;
    for (const ActivityRow& row : rows) {
      for (const std::uint64_t bytes : row.bytes) {
        most = std::max(most, bytes);
      }
    }
    return most;
  }

  /// Brighter where more happened.
  void values(const ActivityRow& row,
              const std::vector<std::uint64_t>& bytes,
              std::uint64_t most,
              const picture::Colour& colour) {
    if (is_visible()) {
      pen_.fill(Part::kGrid, picture::mixed(look_.theme.phases[0], look_.theme.background, 0.5),
                cells());
      name(row.name.substr(row.name.find_last_of('/') + 1), row.total);
      marks(bytes, most, colour);
    }
    y_ += row_;
  }

  void file(const ActivityRow& row) {
    if (is_visible()) {
      std::uint64_t most = 1;
      for (std::size_t c = 0; c < row.bytes.size(); ++c) {
        most = std::max({most, row.bytes[c], row.mapped[c]});
      }
      pen_.fill(Part::kGrid, picture::mixed(look_.theme.phases[0], look_.theme.background, 0.5),
                cells());
      name(row.name.substr(row.name.find_last_of('/') + 1), row.total);
      marks(row.mapped, most, look_.theme.lane(trace::Lane::kFile));
      marks(row.bytes, most, look_.theme.progress);
    }
    y_ += row_;
  }

  /// Cells of two pixels, as bright as the brightest column in each. Few shades, so that neighbours
  /// are often one shape: a row that is busy all the time has a thousand cells.
  void marks(const std::vector<std::uint64_t>& bytes,
             std::uint64_t most,
             const picture::Colour& colour) {
    const Box box = cells();
    const double width = look_.px(2);
    std::vector<int> shades(static_cast<std::size_t>(std::max(std::ceil(box.width / width), 1.0)),
                            0);
    const auto last = static_cast<double>(shades.size() - 1);
    for (std::size_t c = 0; c < bytes.size(); ++c) {
      if (bytes[c] == 0 || edges_[c + 1] < 0 || edges_[c] > 1) {
        continue;
      }
      const double from = std::floor(std::max(edges_[c], 0.0) * box.width / width);
      const double to = std::ceil(std::min(edges_[c + 1], 1.0) * box.width / width);
      const int shade = shade_of(bytes[c], most);
      auto cell = static_cast<std::size_t>(std::min(from, last));
      do {
        shades[cell] = std::max(shades[cell], shade);
      } while (++cell < shades.size() && static_cast<double>(cell) < to);
    }
    fill_runs(shades, width, colour);
  }

  /// 1 to kShades, by the square root: so that little is seen beside much.
  static int shade_of(std::uint64_t bytes, std::uint64_t most) {
    const double share = std::sqrt(static_cast<double>(bytes) / static_cast<double>(most));
    return static_cast<int>(std::ceil(share * kShades));
  }

  void fill_runs(const std::vector<int>& shades, double width, const picture::Colour& colour) {
    const Box box = cells();
    for (std::size_t begin = 0; begin < shades.size();) {
      const auto differs = [&](int shade) { return shade != shades[begin]; };
      const auto from = shades.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto end =
          static_cast<std::size_t>(std::find_if(from, shades.end(), differs) - shades.begin());
      if (shades[begin] > 0) {
        const double left = box.x + static_cast<double>(begin) * width;
        const double right = std::min(box.x + static_cast<double>(end) * width, box.right());
        const double share = static_cast<double>(shades[begin]) / kShades;
        pen_.fill(Part::kProgress,
                  picture::mixed(colour, look_.theme.background, 0.2 + 0.8 * share),
                  Box{left, box.y, right - left, box.height});
      }
      begin = end;
    }
  }

  [[nodiscard]] double share_of(std::uint64_t ns) const {
    return input_.range.share_of(input_.warp->x_of(ns));
  }

  /// One row for each name: the same layer may come again and again.
  void phases() {
    std::vector<std::string> names;
    std::map<std::string, std::vector<const analyzer::Phase*>> by_name;
    for (const analyzer::Phase& phase : input_.subject->phases) {
      auto& same = by_name[phase.name];
      if (same.empty()) {
        names.push_back(phase.name);
      }
      same.push_back(&phase);
    }
    for (const std::string& one : names) {
      if (is_visible()) {
        phase_row(one, by_name[one]);
      }
      y_ += row_;
    }
  }

  void phase_row(const std::string& text, const std::vector<const analyzer::Phase*>& phases) {
    std::uint64_t peak = 0;
    const Box box = cells();
    for (const analyzer::Phase* const phase : phases) {
      peak = std::max(peak, phase->peak_bytes);
      const double from = std::clamp(share_of(phase->begin_ns), 0.0, 1.0);
      const double to = std::clamp(share_of(phase->end_ns), 0.0, 1.0);
      const double left = std::min(box.x + from * box.width, box.right() - 1);
      pen_.fill(Part::kPhase, colour_of(number_of(text), look_.dark),
                Box{left, box.y, std::max((to - from) * box.width, 1.0), box.height});
    }
    name(text, peak);
  }

  picture::Pen pen_;
  const ActivityInput& input_;
  const Box& place_;
  const Look& look_;
  double line_;  // Of a name.
  double bar_;   // Of what it did.
  double row_;   // Of both, with a gap.
  double y_;
  std::vector<double> edges_;  // The activity's borders, as shares of the view.
};

}  // namespace

double draw_activity(picture::Scene& scene,
                     const ActivityInput& input,
                     const Box& place,
                     const Look& look) {
  return ActivityPainter(scene, input, place, look).draw();
}

}  // namespace tidemark::gui
