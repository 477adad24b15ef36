#include "analyzer/picture/alignment.hpp"

#include "analyzer/picture/ticks.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace tidemark::picture {
namespace {

using analyzer::Phase;

/// One past the end, so that the last instant is inside.
std::uint64_t end_of(const Subject& subject) {
  return subject.duration_ns + 1;
}

Axis align_time(std::span<const Subject> subjects, std::size_t most_ticks) {
  const std::uint64_t longest = end_of(*std::ranges::max_element(subjects, {}, end_of));
  const auto x_of = [longest](std::uint64_t ns) {
    return static_cast<double>(ns) / static_cast<double>(longest);
  };
  Axis axis;
  for (const Subject& subject : subjects) {
    axis.warps.push_back(Warp({{0, 0}, {x_of(end_of(subject)), end_of(subject)}}));
  }
  for (Tick& tick : time_ticks(longest, most_ticks)) {
    axis.ticks.push_back({x_of(tick.value), std::move(tick.text)});
  }
  return axis;
}

/// Phases found from file I/O carry the file's name: a model that is read in one trace and mapped
/// in the other, or is in another folder, still is the same phase.
std::string_view key_of(const Phase& phase) {
  const std::string_view name = phase.name;
  return !phase.marked && (name.starts_with("read ") || name.starts_with("map ")) ? "read" : name;
}

using Pairs = std::vector<std::array<std::size_t, 2>>;

/// The longest common subsequence of the names.
Pairs matching_phases(std::span<const Phase> before, std::span<const Phase> after) {
  // Rows and columns of one more, for the empty ends.
  std::vector<std::vector<std::size_t>> longest(before.size() + 1,
                                                std::vector<std::size_t>(after.size() + 1));
  for (std::size_t i = before.size(); i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      longest[i][j] = key_of(before[i]) == key_of(after[j])
                          ? longest[i + 1][j + 1] + 1
                          : std::max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  Pairs pairs;
  for (std::size_t i = 0, j = 0; i < before.size() && j < after.size();) {
    if (key_of(before[i]) == key_of(after[j])) {
      pairs.push_back({i++, j++});
    } else {
      longest[i + 1][j] >= longest[i][j + 1] ? ++i : ++j;
    }
  }
  return pairs;
}

/// Limited, so that matching stays fast: thousands of phases are too narrow to be seen.
std::vector<Phase> outer_phases(const Subject& subject) {
  constexpr std::size_t kMaxPhases = 1000;
  auto rows = phase_rows(subject.phases, 1);
  std::vector<Phase> phases = rows.empty() ? std::vector<Phase>{} : std::move(rows.front());
  phases.resize(std::min(phases.size(), kMaxPhases));
  return phases;
}

/// The instants between which the traces are stretched over each other: the start, begin and end of
/// each matching phase, the end.
struct Stations {
  std::vector<std::uint64_t> before{0};
  std::vector<std::uint64_t> after{0};

  void add(std::uint64_t in_before, std::uint64_t in_after) {
    before.push_back(std::max(before.back(), in_before));
    after.push_back(std::max(after.back(), in_after));
  }
};

Axis axis_between(const Stations& stations) {
  const auto share = [](const std::vector<std::uint64_t>& instants, std::size_t i) {
    return static_cast<double>(instants[i] - instants[i - 1]) /
           static_cast<double>(instants.back());
  };
  std::vector<Warp::Knot> before{{0, 0}};
  std::vector<Warp::Knot> after{{0, 0}};
  double x = 0;
  for (std::size_t i = 1; i < stations.before.size(); ++i) {
    // As wide as it is long on average: a stretch that matters in either trace stays visible.
    x += (share(stations.before, i) + share(stations.after, i)) / 2;
    before.push_back({std::min(x, 1.0), stations.before[i]});
    after.push_back({std::min(x, 1.0), stations.after[i]});
  }
  before.back().x = 1;
  after.back().x = 1;
  return {.warps = {Warp(before), Warp(after)}, .ticks = {}, .caption = "aligned by phase"};
}

Result<Axis> align_phases(std::span<const Subject> subjects, std::size_t most_ticks) {
  if (subjects.size() < 2) {
    return align_time(subjects, most_ticks);
  }
  const auto before = outer_phases(subjects[0]);
  const auto after = outer_phases(subjects[1]);
  const Pairs pairs = matching_phases(before, after);
  if (pairs.empty()) {
    return Error{ErrorCode::kUsage,
                 "the two traces have no phase of the same name; use --align time or bytes"};
  }
  Stations stations;
  for (const auto& [i, j] : pairs) {
    stations.add(before[i].begin_ns, after[j].begin_ns);
    stations.add(before[i].end_ns, after[j].end_ns);
  }
  stations.add(end_of(subjects[0]), end_of(subjects[1]));
  return axis_between(stations);
}

// Parts of the axis by bytes: there is space before the first read and after the last.
constexpr double kReadBegins = 0.06;
constexpr double kReadEnds = 0.76;

Warp warp_by_bytes(const Subject& subject) {
  const auto total = static_cast<double>(subject.progress.back().bytes);
  std::vector<Warp::Knot> knots{{0, 0}};
  for (const ProgressPoint& point : subject.progress) {
    const double share = static_cast<double>(point.bytes) / total;
    knots.push_back({kReadBegins + (kReadEnds - kReadBegins) * share, point.ns});
  }
  knots.push_back({1, end_of(subject)});
  return Warp(std::move(knots));
}

std::string without_model(const Subject& subject) {
  return subject.model_advice.empty() ? "no model file was read by '" + subject.command +
                                            "'; name it with --model FILE, or use --align time"
                                      : "'" + subject.command + "': " + subject.model_advice;
}

Result<Axis> align_bytes(std::span<const Subject> subjects) {
  Axis axis;
  axis.caption = "aligned by the share of the model read";
  for (const Subject& subject : subjects) {
    if (subject.progress.empty()) {
      return Error{ErrorCode::kUsage, without_model(subject)};
    }
    axis.warps.push_back(warp_by_bytes(subject));
  }
  constexpr std::array<std::pair<double, const char*>, 5> kShares{
      {{0, "0 %"}, {0.25, "25 %"}, {0.5, "50 %"}, {0.75, "75 %"}, {1, "100 %"}}};
  for (const auto& [share, text] : kShares) {
    axis.ticks.push_back({kReadBegins + (kReadEnds - kReadBegins) * share, text});
  }
  return axis;
}

}  // namespace

Result<Axis> align(std::span<const Subject> subjects, Align align, std::size_t most_ticks) {
  switch (align) {
    case Align::kPhase:
      return align_phases(subjects, most_ticks);
    case Align::kBytes:
      return align_bytes(subjects);
    case Align::kTime:
      break;
  }
  return align_time(subjects, most_ticks);
}

std::vector<std::vector<Phase>> phase_rows(std::span<const Phase> phases, std::size_t most_rows) {
  std::vector<std::vector<Phase>> rows;
  for (const Phase& phase : phases) {
    const auto free = std::ranges::find_if(
        rows, [&phase](const auto& row) { return row.back().end_ns <= phase.begin_ns; });
    if (free != rows.end()) {
      free->push_back(phase);
    } else if (rows.size() < most_rows) {
      rows.push_back({phase});
    }
  }
  return rows;
}

}  // namespace tidemark::picture
