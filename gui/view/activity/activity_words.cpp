#include "gui/view/activity/activity_words.hpp"

#include "analyzer/text/size_text.hpp"
#include "gui/view/timeline/axis_ticks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::gui {
namespace {

using analyzer::format_count;
using analyzer::format_size;
using Lines = std::vector<std::string>;

constexpr std::size_t kMaxNames = 8;

/// `from 1.204 s to 1.280 s (76 ms)`: with as many decimals as the span needs.
std::string span_text(std::uint64_t begin_ns, std::uint64_t end_ns) {
  constexpr std::uint64_t kSteps = 100;
  const std::uint64_t span = end_ns - begin_ns;
  const std::uint64_t step = std::max<std::uint64_t>(span / kSteps, 1);
  if (span == 0) {
    return "at " + precise_time(end_ns, std::max<std::uint64_t>(end_ns / 10'000, 1), end_ns);
  }
  return fmt::format("from {} to {} ({})", precise_time(begin_ns, step, end_ns),
                     precise_time(end_ns, step, end_ns), analyzer::format_time(span));
}

std::string per_second(double count, std::uint64_t span_ns) {
  const double seconds = std::max(static_cast<double>(span_ns), 1.0) / 1e9;
  return format_count(static_cast<std::uint64_t>(count / seconds));
}

std::string counted(std::uint64_t count, const std::string& one, const std::string& several) {
  return format_count(count) + " " + (count == 1 ? one : several);
}

Lines words_of_reads(const Activity& activity, const ReadStretch& reads) {
  const FileRow& file = activity.files[reads.file];
  const std::string& thread = activity.threads[reads.thread].name;
  Lines lines{
      fmt::format("{} {} {}", thread, reads.is_mapping ? "mapped" : "read", short_path(file.path)),
      reads_text(reads), span_text(reads.begin_ns, reads.end_ns)};
  if (reads.is_mapping) {
    lines.push_back(counted(reads.calls, "mapping", "mappings"));
  } else {
    lines.push_back(
        fmt::format("{}, {} on average", counted(reads.calls, "read", "reads"),
                    format_size(reads.bytes / std::max<std::uint64_t>(reads.calls, 1))));
    if (reads.calls > 1) {
      lines.back() += " (small ones in a row count as one)";
    }
  }
  if (reads.offsets) {
    const auto& [first, end] = *reads.offsets;
    lines.push_back(fmt::format("{} {} to {}",
                                end - first > reads.bytes ? "parts of offsets" : "offsets",
                                format_size(first), format_size(end)) +
                    (file.size > 0 ? " of " + format_size(file.size) : ""));
  }
  lines.push_back(file.path);
  return lines;
}

Lines words_of_file(const Activity& activity, const FileRow& file) {
  Lines lines{short_path(file.path)};
  if (file.size > 0) {
    lines.push_back("a file of " + format_size(file.size));
  }
  for (std::size_t i = 0; i < std::min(file.readers.size(), kMaxNames); ++i) {
    const auto& [thread, bytes] = file.readers[i];
    lines.push_back(format_size(bytes) + " read or mapped by " + activity.threads[thread].name);
  }
  if (file.readers.size() > kMaxNames) {
    lines.push_back(fmt::format("and by {} more threads", file.readers.size() - kMaxNames));
  }
  lines.push_back(file.path);
  return lines;
}

Lines words_of_thread(const ThreadRow& thread) {
  return {thread.name,
          fmt::format("{} allocated in {}", format_size(thread.allocated),
                      counted(thread.allocations, "allocation", "allocations")),
          counted(thread.frees, "free", "frees"), format_size(thread.read) + " read"};
}

/// The columns that the span touches; one at least.
Lines words_of_allocations(const Activity& activity,
                           const ThreadRow& thread,
                           std::pair<std::uint64_t, std::uint64_t> span_ns) {
  const auto& borders = activity.borders;
  const std::uint64_t until_ns = std::max(span_ns.second, span_ns.first + 1);
  const auto touches = [&](std::size_t c) {
    return borders[c + 1] > span_ns.first && borders[c] < until_ns;
  };
  std::uint64_t begin_ns = borders.back();
  std::uint64_t end_ns = 0;
  for (std::size_t c = 0; c + 1 < borders.size(); ++c) {
    if (touches(c)) {
      begin_ns = std::min(begin_ns, borders[c]);
      end_ns = borders[c + 1];
    }
  }
  if (end_ns <= begin_ns) {
    return words_of_thread(thread);
  }
  ThreadColumn sum;
  for (const ThreadColumn& column : thread.columns) {
    if (touches(column.column)) {
      sum.add(column);
    }
  }
  const std::uint64_t span = end_ns - begin_ns;
  return {thread.name, span_text(begin_ns, end_ns),
          fmt::format("{} ({} per second)", counted(sum.allocations, "allocation", "allocations"),
                      per_second(sum.allocations, span)),
          format_size(sum.bytes) + " allocated",
          fmt::format("{} ({} per second)", counted(sum.frees, "free", "frees"),
                      per_second(sum.frees, span))};
}

Lines words_of_phase(const analyzer::Phase& phase) {
  return {"phase " + phase.name, span_text(phase.begin_ns, phase.end_ns),
          "a footprint of " + format_size(phase.peak_bytes) + " at most"};
}

/// The names of the rows folded into one.
template <typename Rows, typename NameOf>
Lines words_of_folded(const std::string& text, const Rows& rows, std::size_t begin, NameOf name) {
  Lines lines{text};
  const std::size_t end = std::min(rows.size(), begin + kMaxNames);
  for (std::size_t i = begin; i < end; ++i) {
    lines.push_back(name(rows[i]));
  }
  if (end < rows.size()) {
    lines.push_back(fmt::format("and {} more", rows.size() - end));
  }
  return lines;
}

}  // namespace

std::vector<std::string> activity_words(const ActivityInput& input,
                                        const ActivityPlace& place,
                                        std::pair<std::uint64_t, std::uint64_t> span_ns) {
  const Activity& activity = *input.activity;
  if (place.row == nullptr) {
    return {};
  }
  if (place.bar != nullptr) {
    return place.bar->phase ? words_of_phase(input.subject->phases[*place.bar->phase])
                            : words_of_reads(activity, place.bar->reads);
  }
  const bool is_lane = place.lane != nullptr;
  switch (place.row->kind) {
    case ActivityRow::Kind::kHeading:
      return {};
    case ActivityRow::Kind::kFile:
      return words_of_file(activity, activity.files[place.row->index]);
    case ActivityRow::Kind::kMoreFiles:
      return words_of_folded(
          place.row->name, activity.files, place.row->index, [](const FileRow& file) {
            return format_size(file.read + file.mapped) + "  " + short_path(file.path);
          });
    case ActivityRow::Kind::kThread:
      return is_lane && place.lane->kind == ActivityLane::Kind::kAllocations
                 ? words_of_allocations(activity, activity.threads[place.row->index], span_ns)
                 : words_of_thread(activity.threads[place.row->index]);
    case ActivityRow::Kind::kIdle:
      return words_of_folded(place.row->name, activity.threads, place.row->index,
                             [](const ThreadRow& thread) {
                               return thread.name + ", " + format_size(thread.allocated);
                             });
    case ActivityRow::Kind::kPhase:
      return words_of_phase(input.subject->phases[place.row->index]);
  }
  return {};
}

}  // namespace tidemark::gui
