#include "gui/view/activity/activity_layout.hpp"

#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tidemark::gui {
namespace {

using picture::Box;
using Row = ActivityRow;
using Lane = ActivityLane;

constexpr std::size_t kMaxReaders = 4;  // Named ones.

/// Empty if it is not known.
std::string rate_text(const ReadStretch& reads) {
  const auto rate = reads.rate();
  return rate ? (reads.is_guess ? "about " : "≥ ") + analyzer::format_size(*rate) + "/s" : "";
}

class ActivityRows {
 public:
  ActivityRows(const ActivityInput& input, const Box& place, const Look& look)
      : input_(input),
        activity_(*input.activity),
        place_(place),
        look_(look),
        line_(std::round(look.type.small * 1.5)),
        thin_(std::round(look.type.small * 0.95)),
        thick_(std::round(look.type.small * 1.45)),
        gap_(std::round(look.px(4))),
        y_(place.y - input.scrolled) {}

  ActivityLayout take() {
    const double begin = y_;
    heading("files: who read them, and how fast", activity_.files.empty());
    files();
    heading("threads: what they allocated and read", activity_.threads.empty());
    threads();
    heading("phases", input_.subject->phases.empty());
    phases();
    layout_.height = y_ - begin;
    return std::move(layout_);
  }

 private:
  void heading(const std::string& text, bool is_empty) {
    if (!is_empty) {
      Row row{.box = {place_.x, y_, place_.width, line_ + gap_}, .name = text};
      add(std::move(row), [] {});
    }
  }

  /// Rows out of sight cost next to nothing: only their height is computed. If a row is partly in
  /// sight, its name is at the edge.
  template <typename Fill>
  void add(Row row, const Fill& fill) {
    y_ = row.box.bottom();
    lane_y_ = row.box.y + line_;
    row.box.y = std::max(row.box.y, place_.y);
    row.box.height = std::min(y_, place_.bottom()) - row.box.y;
    if (row.box.height < line_ - 0.5) {
      return;
    }
    row.lanes.reserve(kMaxLanes);
    layout_.rows.push_back(std::move(row));
    fill();
  }

  [[nodiscard]] Row row(Row::Kind kind, std::size_t index, double lanes) const {
    return {
        .kind = kind, .index = index, .box = {place_.x, y_, place_.width, line_ + lanes + gap_}};
  }

  /// Adds a lane below the previous one. Null if it is not wholly in sight. Valid until the next
  /// row.
  Lane* add_lane(Lane::Kind kind, double height) {
    Row& row = layout_.rows.back();
    const Box box{place_.x + input_.left, lane_y_, place_.width - input_.left, height};
    lane_y_ = box.bottom() + 1;
    if (box.y < row.box.y + line_ - 0.5 || box.bottom() > row.box.bottom() + 0.5) {
      return nullptr;
    }
    return &row.lanes.emplace_back(Lane{.kind = kind, .box = box});
  }

  void files() {
    const std::size_t own = activity_.large_files;
    const std::size_t end = input_.all_files ? activity_.files.size() : own;
    for (std::size_t i = 0; i < end; ++i) {
      file(i);
    }
    if (own < activity_.files.size()) {
      more_files(own);
    }
  }

  void file(std::size_t index) {
    const FileRow& file = activity_.files[index];
    const std::size_t lanes = std::min(file.readers.size(), kMaxLanes);
    const auto count = static_cast<double>(lanes);
    add(row(Row::Kind::kFile, index, count * (thick_ + 1)), [&] {
      Row& row = layout_.rows.back();
      row.name = short_path(file.path);
      row.facts = facts_of(file);
      std::array<Lane*, kMaxLanes> shown{};
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        shown.at(lane) = add_lane(Lane::Kind::kBars, thick_);
      }
      fill(file.reads, [&](const ReadStretch& one) { return shown.at(one.lane); });
    });
  }

  /// `160.0 MiB read at ≥ 2.10 GiB/s by python3 1234`.
  [[nodiscard]] std::string facts_of(const FileRow& file) const {
    const auto& readers = file.readers;
    std::string text;
    if (file.read > 0) {
      const ReadStretch whole{
          .busy_ns = file.read_ns, .bytes = file.read, .is_guess = file.is_guess};
      const std::string rate = rate_text(whole);
      text = analyzer::format_size(file.read) + " read" + (rate.empty() ? "" : " at " + rate);
    }
    if (file.mapped > 0) {
      text += (text.empty() ? "" : ", ") + analyzer::format_size(file.mapped) + " mapped";
    }
    text += " by ";
    for (std::size_t i = 0; i < std::min(readers.size(), kMaxReaders); ++i) {
      const auto& [thread, bytes] = readers[i];
      text += (i == 0 ? "" : ", ") + activity_.threads[thread].name +
              (readers.size() == 1 ? "" : " (" + analyzer::format_size(bytes) + ")");
    }
    if (readers.size() > kMaxReaders) {
      text += fmt::format(" and {} more threads", readers.size() - kMaxReaders);
    }
    return text;
  }

  void more_files(std::size_t begin) {
    add(row(Row::Kind::kMoreFiles, begin, input_.all_files ? 0 : thick_ + 1), [&] {
      Row& row = layout_.rows.back();
      std::uint64_t bytes = 0;
      for (std::size_t i = begin; i < activity_.files.size(); ++i) {
        const FileRow& file = activity_.files[i];
        bytes += file.read + file.mapped;
      }
      const std::size_t count = activity_.files.size() - begin;
      row.name = input_.all_files ? "fewer files" : fmt::format("{} more files", count);
      if (!input_.all_files) {
        row.facts = analyzer::format_size(bytes) + " read or mapped; a click here shows each";
        fill_one(activity_.folded);
      }
    });
  }

  void threads() {
    const auto& threads = activity_.threads;
    const auto idle = static_cast<std::size_t>(
        std::ranges::find(threads, true, &ThreadRow::is_idle) - threads.begin());
    const bool folds = idle + 1 < threads.size();
    const std::size_t end = folds && !input_.all_threads ? idle : threads.size();
    for (std::size_t i = 0; i < end; ++i) {
      thread(i);
    }
    if (folds) {
      add(row(Row::Kind::kIdle, idle, 0), [&] {
        std::uint64_t bytes = 0;
        for (std::size_t i = idle; i < threads.size(); ++i) {
          bytes += threads[i].allocated;
        }
        Row& row = layout_.rows.back();
        row.name = input_.all_threads ? "without idle threads"
                                      : fmt::format("{} idle threads", threads.size() - idle);
        row.facts = input_.all_threads ? ""
                                       : "read nothing, allocated " + analyzer::format_size(bytes) +
                                             "; a click here shows each";
      });
    }
  }

  void thread(std::size_t index) {
    const ThreadRow& thread = activity_.threads[index];
    const double reads = thread.reads.empty() ? 0 : thick_ + 1;
    const double allocations = thread.columns.empty() ? 0 : thin_ + 1;
    add(row(Row::Kind::kThread, index, reads + allocations), [&] {
      Row& row = layout_.rows.back();
      row.name = thread.name;
      row.facts = analyzer::format_size(thread.allocated) + " allocated";
      if (thread.read > 0) {
        row.facts += ", " + analyzer::format_size(thread.read) + " read";
      }
      if (!thread.columns.empty()) {
        add_lane(Lane::Kind::kAllocations, thin_);
      }
      if (!thread.reads.empty()) {
        fill_one(thread.reads);
      }
    });
  }

  /// One row for each name: the same layer may come again and again.
  void phases() {
    const auto& phases = input_.subject->phases;
    std::vector<std::vector<std::size_t>> rows;
    std::unordered_map<std::string_view, std::size_t> row_of;  // By name.
    for (std::size_t i = 0; i < phases.size(); ++i) {
      const auto [row, is_new] = row_of.try_emplace(phases[i].name, rows.size());
      if (is_new) {
        rows.emplace_back();
      }
      rows[row->second].push_back(i);
    }
    for (const std::vector<std::size_t>& same : rows) {
      add(row(Row::Kind::kPhase, same.front(), thin_ + 1),
          [&] { phase(phases[same.front()].name, same); });
    }
  }

  void phase(const std::string& name, const std::vector<std::size_t>& same) {
    Lane* const lane = add_lane(Lane::Kind::kBars, thin_);
    std::uint64_t peak = 0;
    for (const std::size_t i : same) {
      const analyzer::Phase& one = input_.subject->phases[i];
      peak = std::max(peak, one.peak_bytes);
      const ReadStretch time{.begin_ns = one.begin_ns, .end_ns = one.end_ns};
      const Box box = lane == nullptr
                          ? Box()
                          : box_of(*lane, x_of(*lane, one.begin_ns), x_of(*lane, one.end_ns), 1);
      if (!box.is_empty()) {
        lane->bars.push_back({.box = box, .reads = time, .phase = i});
      }
    }
    Row& row = layout_.rows.back();
    row.name = name;
    row.facts = analyzer::format_size(peak);
  }

  [[nodiscard]] double x_of(const Lane& lane, std::uint64_t ns) const {
    return lane.box.x + input_.range.share_of(input_.warp->x_of(ns)) * lane.box.width;
  }

  /// Empty if out of view.
  [[nodiscard]] static Box box_of(const Lane& lane, double from, double to, double least) {
    if (to < lane.box.x || from > lane.box.right()) {
      return {};
    }
    const double width = std::min(least, lane.box.width);
    const double left = std::max(std::min(from, lane.box.right() - width), lane.box.x);
    return {left, lane.box.y, std::max(std::min(to, lane.box.right()) - left, width),
            lane.box.height};
  }

  void fill_one(const std::vector<std::uint32_t>& reads) {
    Lane* const lane = add_lane(Lane::Kind::kBars, thick_);
    fill(reads, [lane](const ReadStretch&) { return lane; });
  }

  /// Merges stretches of one thread and file that are close together on the screen into one bar
  /// with their sum; zooming in separates them.
  /// @param reads by their beginning.
  /// @param lane_of the lane of a stretch; null: it is not in sight.
  template <typename LaneOf>
  void fill(const std::vector<std::uint32_t>& reads, const LaneOf& lane_of) const {
    const double least = look_.px(2);
    const double close = look_.px(8);
    std::unordered_map<std::uint64_t, std::size_t> last;
    for (const std::uint32_t i : reads) {
      const ReadStretch& one = activity_.stretches[i];
      Lane* const lane = lane_of(one);
      if (lane == nullptr) {
        continue;
      }
      const double from = x_of(*lane, one.begin_ns);
      if (from > lane->box.right()) {
        return;  // And so do all later ones.
      }
      const Box box = box_of(*lane, from, x_of(*lane, one.end_ns), least);
      if (box.is_empty()) {
        continue;
      }
      const std::uint64_t key = std::uint64_t{one.thread} << 33 | std::uint64_t{one.file} << 1 |
                                (one.is_mapping ? 1U : 0U);
      const auto [entry, is_new] = last.try_emplace(key, lane->bars.size());
      if (!is_new && box.x - lane->bars[entry->second].box.right() < close) {
        ActivityBar& before = lane->bars[entry->second];
        before.reads.join(one);
        before.box.width = std::max(before.box.right(), box.right()) - before.box.x;
        continue;
      }
      entry->second = lane->bars.size();
      lane->bars.push_back({.box = box, .reads = one});
    }
  }

  const ActivityInput& input_;
  const Activity& activity_;
  const Box& place_;
  const Look& look_;
  double line_;   // A line with a name.
  double thin_;   // A lane without text.
  double thick_;  // One with text.
  double gap_;
  double y_;
  double lane_y_ = 0;  // Where the row's next lane begins.
  ActivityLayout layout_;
};

bool are_same(const std::vector<analyzer::Phase>& some,
              const std::vector<analyzer::Phase>& others) {
  const auto all = [](const analyzer::Phase& one) {
    return std::tie(one.name, one.begin_ns, one.end_ns, one.peak_bytes);
  };
  return std::ranges::equal(some, others, {}, all, all);
}

bool are_same(const std::vector<picture::Warp::Knot>& some,
              const std::vector<picture::Warp::Knot>& others) {
  const auto both = [](const picture::Warp::Knot& one) { return std::pair(one.x, one.ns); };
  return std::ranges::equal(some, others, {}, both, both);
}

bool holds(const Box& box, const picture::Point& at) {
  return at.x >= box.x && at.x < box.right() && at.y >= box.y && at.y < box.bottom();
}

}  // namespace

ActivityLayout lay_out_activity(const ActivityInput& input, const Box& place, const Look& look) {
  return ActivityRows(input, place, look).take();
}

const ActivityLayout& KeptActivityLayout::of(const ActivityInput& input,
                                             const Box& place,
                                             const Look& look) {
  const Made made{input,
                  {place.x, place.y, place.width, place.height, look.type.small, look.px(1)}};
  const auto& phases = input.subject->phases;
  const auto& knots = input.warp->knots();
  if (made_ != made || !are_same(phases_, phases) || !are_same(knots_, knots)) {
    layout_ = lay_out_activity(input, place, look);
    made_ = made;
    phases_ = phases;
    knots_ = knots;
  }
  return layout_;
}

ActivityPlace activity_at(const ActivityLayout& layout, const picture::Point& at) {
  constexpr double kNear = 3;
  ActivityPlace place;
  for (const ActivityRow& row : layout.rows) {
    place.row = holds(row.box, at) ? &row : place.row;
  }
  for (std::size_t i = 0; place.row != nullptr && i < place.row->lanes.size(); ++i) {
    place.lane = holds(place.row->lanes[i].box, at) ? &place.row->lanes[i] : place.lane;
  }
  double nearest = kNear;
  for (std::size_t i = 0; place.lane != nullptr && i < place.lane->bars.size(); ++i) {
    const ActivityBar& bar = place.lane->bars[i];
    // Later bars are drawn over earlier ones.
    if (const double off = std::max({bar.box.x - at.x, at.x - bar.box.right(), 0.0});
        off <= nearest) {
      nearest = off;
      place.bar = &bar;
    }
  }
  return place;
}

std::string short_path(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string reads_text(const ReadStretch& reads) {
  const std::string rate = rate_text(reads);
  return analyzer::format_size(reads.bytes) + (reads.is_mapping ? " mapped" : "") +
         (rate.empty() ? "" : ", " + rate);
}

}  // namespace tidemark::gui
