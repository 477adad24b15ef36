#include "gui/view/activity/activity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>

namespace tidemark::gui {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr std::size_t kColumnsOfEachThread = 4;

/// A thread may do other things for a long time without leaving an event. So no read is taken to be
/// slower than 4 MiB/s plus 1 ms for the call.
std::uint64_t longest_read_ns(std::uint64_t bytes) {
  constexpr double kSlowest = 4 << 20;
  constexpr std::uint64_t kCall = 1'000'000;
  return kCall + static_cast<std::uint64_t>(static_cast<double>(bytes) / kSlowest * kNsPerSecond);
}

/// Events for pages that came or went are recorded when pages are looked at, perhaps in the middle
/// of the thread's read.
bool is_of_thread(trace::EventKind kind) {
  return kind != trace::EventKind::kGrow && kind != trace::EventKind::kReleasePart;
}

std::string name_of(const trace::Thread& thread) {
  return thread.name.empty() ? fmt::format("thread {}", thread.tid)
                             : fmt::format("{} {}", thread.name, thread.tid);
}

/// Puts `rows` into `order`, dropping the others. @return by old index, the new one.
template <typename Row>
std::vector<std::uint32_t> placed(std::vector<Row>& rows, const std::vector<std::size_t>& order) {
  std::vector<std::uint32_t> place(rows.size());
  std::vector<Row> sorted;
  sorted.reserve(order.size());
  for (const std::size_t from : order) {
    place[from] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(rows[from]));
  }
  rows = std::move(sorted);
  return place;
}

/// By FileId: the first one of the same path.
std::vector<std::uint32_t> rows_of(const std::vector<trace::File>& files) {
  std::vector<std::uint32_t> rows;
  std::unordered_map<std::string_view, std::uint32_t> by_path;
  for (std::uint32_t i = 0; i < files.size(); ++i) {
    rows.push_back(by_path.try_emplace(files[i].path, i).first->second);
  }
  return rows;
}

/// How many files have a row of their own, unless all are asked for.
std::size_t large_files_of(const std::vector<FileRow>& files) {
  constexpr std::size_t kMaxFiles = 8;
  constexpr std::uint64_t kSmallFile = 100;  // Not if smaller than this part of the largest.
  const auto bytes = [](const FileRow& file) { return file.read + file.mapped; };
  const auto is_small = [&](const FileRow& file) {
    return file.is_code || bytes(file) < bytes(files.front()) / kSmallFile;
  };
  std::size_t count = 0;
  while (count < std::min(files.size(), kMaxFiles) && !is_small(files[count])) {
    ++count;
  }
  return count + 1 == files.size() ? files.size() : count;
}

/// A lane for each of the first readers, and the last one for all others.
void choose_lanes(Activity& activity, const FileRow& file) {
  std::unordered_map<std::uint32_t, std::size_t> lanes;  // By thread.
  for (std::size_t i = 0; i < file.readers.size(); ++i) {
    lanes[file.readers[i].first] = std::min(i, kMaxLanes - 1);
  }
  for (const std::uint32_t i : file.reads) {
    ReadStretch& one = activity.stretches[i];
    one.lane = static_cast<std::uint8_t>(lanes.at(one.thread));
  }
}

/// Bytes that came at the very begin of a stretch were read by the read before it.
std::uint64_t first_ns(const ReadStretch& stretch) {
  return std::min(stretch.begin_ns + 1, stretch.end_ns);
}

/// By file: the stretches during which no other thread read it.
std::unordered_map<std::uint32_t, std::vector<ReadStretch*>> stretches_apart(
    std::vector<ReadStretch>& stretches) {
  std::unordered_map<std::uint32_t, std::vector<ReadStretch*>> by_file;
  for (ReadStretch& stretch : stretches) {
    if (!stretch.is_mapping) {
      by_file[stretch.file].push_back(&stretch);
    }
  }
  for (auto& [file, all] : by_file) {
    std::ranges::stable_sort(all, {}, &ReadStretch::begin_ns);
    std::vector<ReadStretch*> apart;
    std::uint64_t until_ns = 0;  // The latest end of the stretches before.
    for (ReadStretch* const one : all) {
      const bool overlaps = until_ns >= first_ns(*one);
      if (overlaps && !apart.empty() && apart.back()->end_ns >= first_ns(*one)) {
        apart.pop_back();
      }
      if (!overlaps) {
        apart.push_back(one);
      }
      until_ns = std::max(until_ns, one->end_ns);
    }
    all = std::move(apart);
  }
  return by_file;
}

/// @param origins of the stretch's file, by their time.
std::optional<std::pair<std::uint64_t, std::uint64_t>> offsets_of(
    const ReadStretch& stretch, const std::vector<const trace::Origin*>& origins) {
  std::pair<std::uint64_t, std::uint64_t> offsets{UINT64_MAX, 0};
  std::uint64_t bytes = 0;
  auto one = std::ranges::lower_bound(origins, first_ns(stretch), {},
                                      [](const auto* origin) { return origin->at_ns; });
  for (; one != origins.end() && (*one)->at_ns <= stretch.end_ns; ++one) {
    offsets.first = std::min(offsets.first, (*one)->offset);
    offsets.second = std::max(offsets.second, (*one)->offset + (*one)->bytes);
    bytes += (*one)->bytes;
  }
  return bytes == stretch.bytes ? std::optional(offsets) : std::nullopt;
}

std::vector<std::pair<std::uint32_t, std::uint64_t>> readers_of(const Activity& activity,
                                                                const FileRow& file) {
  std::map<std::uint32_t, std::uint64_t> bytes;
  for (const std::uint32_t i : file.reads) {
    bytes[activity.stretches[i].thread] += activity.stretches[i].bytes;
  }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> readers(bytes.begin(), bytes.end());
  std::ranges::stable_sort(readers, std::ranges::greater{},
                           [](const auto& one) { return one.second; });
  return readers;
}

}  // namespace

void ThreadColumn::add(const ThreadColumn& more) {
  bytes += more.bytes;
  allocations += more.allocations;
  frees += more.frees;
}

std::optional<std::uint64_t> ReadStretch::rate() const {
  if (is_mapping || busy_ns == 0) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * kNsPerSecond /
                                    static_cast<double>(busy_ns));
}

void ReadStretch::join(const ReadStretch& other) {
  if (offsets && other.offsets) {
    offsets = {std::min(offsets->first, other.offsets->first),
               std::max(offsets->second, other.offsets->second)};
  } else {
    offsets.reset();
  }
  begin_ns = std::min(begin_ns, other.begin_ns);
  end_ns = std::max(end_ns, other.end_ns);
  busy_ns += other.busy_ns;
  bytes += other.bytes;
  calls += other.calls;
  is_guess = is_guess || other.is_guess;
}

ActivityGatherer::ActivityGatherer(analyzer::LoadedTrace& trace,
                                   std::size_t columns,
                                   std::size_t max_columns)
    : trace_(trace),
      columns_(columns),
      max_columns_(max_columns + kColumnsOfEachThread * trace.definitions().threads.size()),
      width_ns_(trace.duration_ns() / columns + 1),
      threads_(trace.definitions().threads.size() + 1),
      last_ns_(threads_.size()),
      row_of_(rows_of(trace.definitions().files)),
      busy_(row_of_.size()) {}

bool ActivityGatherer::step() {
  if (next_ >= trace_.blocks().size()) {
    return false;
  }
  if (const auto* events = trace_.events(next_++)) {
    for (const trace::Event& event : *events) {
      see(event);
    }
  }
  return next_ < trace_.blocks().size();
}

void ActivityGatherer::see(const trace::Event& event) {
  const auto thread = static_cast<std::uint32_t>(
      std::min<std::size_t>(trace::index(event.thread), threads_.size() - 1));
  const bool has_file = event.extra < trace_.definitions().files.size() && event.size > 0;
  const bool is_file_lane = event.lane == trace::Lane::kFile;
  if (event.kind == trace::EventKind::kRead && has_file) {
    add_read(event, thread, false);
  } else if (trace::is_allocation(event.kind) && is_file_lane && has_file) {
    add_read(event, thread, true);
  } else if (!is_file_lane) {
    see_in_thread(event, thread);
  }
  if (is_of_thread(event.kind)) {
    last_ns_[thread] = event.at_ns;
  }
}

void ActivityGatherer::see_in_thread(const trace::Event& event, std::uint32_t thread) {
  const bool is_free = event.kind == trace::EventKind::kRelease;
  if (!is_free && !trace::is_allocation(event.kind)) {
    return;
  }
  ThreadRow& row = threads_[thread];
  ThreadColumn& column = column_of(row, event.at_ns);
  if (is_free) {
    ++row.frees;
    ++column.frees;
    return;
  }
  ++row.allocations;
  ++column.allocations;
  row.allocated += event.size;
  column.bytes += event.size;
}

/// Valid until the next call.
ThreadColumn& ActivityGatherer::column_of(ThreadRow& row, std::uint64_t at_ns) {
  const auto now = [&] {
    return static_cast<std::uint32_t>(std::min<std::size_t>(at_ns / width_ns_, columns_ - 1));
  };
  const auto is_known = [&] { return !row.columns.empty() && row.columns.back().column == now(); };
  while (!is_known() && column_count_ >= max_columns_ && columns_ > 1) {
    widen_columns();
  }
  if (!is_known()) {
    row.columns.push_back({.column = now()});
    ++column_count_;
  }
  return row.columns.back();
}

/// Joins two columns at a time.
void ActivityGatherer::widen_columns() {
  columns_ = (columns_ + 1) / 2;
  width_ns_ *= 2;
  column_count_ = 0;
  for (ThreadRow& row : threads_) {
    std::size_t count = 0;
    for (ThreadColumn column : row.columns) {
      column.column /= 2;
      if (count > 0 && row.columns[count - 1].column == column.column) {
        row.columns[count - 1].add(column);
      } else {
        row.columns[count++] = column;
      }
    }
    row.columns.resize(count);
    column_count_ += count;
  }
}

void ActivityGatherer::add_read(const trace::Event& event, std::uint32_t thread, bool is_mapping) {
  const std::uint64_t earliest = event.at_ns - std::min(event.at_ns, longest_read_ns(event.size));
  const std::uint64_t begin_ns = is_mapping ? event.at_ns : std::max(last_ns_[thread], earliest);
  const ReadStretch one{.thread = thread,
                        .file = static_cast<std::uint32_t>(event.extra),
                        .is_mapping = is_mapping,
                        .begin_ns = begin_ns,
                        .end_ns = event.at_ns,
                        .busy_ns = event.at_ns - begin_ns,
                        .bytes = event.size,
                        .calls = 1,
                        .is_guess = !is_mapping && last_ns_[thread] < earliest};
  if (!is_mapping) {
    busy_[row_of_[one.file]].add(one.begin_ns, one.end_ns);
  }
  const std::uint64_t key =
      std::uint64_t{one.thread} << 33 | std::uint64_t{one.file} << 1 | (is_mapping ? 1 : 0);
  const auto [last, is_new] = open_.try_emplace(key, stretches_.size());
  if (!is_new && one.begin_ns <= stretches_[last->second].end_ns + width_ns_) {
    stretches_[last->second].join(one);
    return;
  }
  last->second = stretches_.size();
  stretches_.push_back(one);
}

/// Origins show which bytes of a file came into a block and when the first of these came, but not
/// by which read. So a stretch's offsets are known only if no other stretch overlaps it and its
/// origins add up to all that it read.
void ActivityGatherer::know_offsets() {
  std::unordered_map<std::uint32_t, std::vector<const trace::Origin*>> by_file;
  for (const trace::Origin& origin : trace_.definitions().origins) {
    by_file[static_cast<std::uint32_t>(trace::index(origin.file))].push_back(&origin);
  }
  for (auto& [file, origins] : by_file) {
    std::ranges::stable_sort(origins, {}, [](const auto* one) { return one->at_ns; });
  }
  for (auto& [file, stretches] : stretches_apart(stretches_)) {
    const auto origins = by_file.find(file);
    for (ReadStretch* const stretch : stretches) {
      if (origins != by_file.end()) {
        stretch->offsets = offsets_of(*stretch, origins->second);
      }
    }
  }
}

/// @return where each of the trace's is.
std::vector<std::uint32_t> ActivityGatherer::take_files(Activity& activity) {
  const auto& known = trace_.definitions().files;
  std::vector<FileRow> rows(known.size());  // Some stay empty.
  for (std::size_t i = 0; i < known.size(); ++i) {
    FileRow& row = rows[row_of_[i]];
    row.path = known[i].path;
    row.size = std::max(row.size, known[i].size);
    row.is_code = row.is_code || known[i].executable;
    row.read_ns = busy_[row_of_[i]].total_ns();
  }
  for (const ReadStretch& stretch : stretches_) {
    FileRow& row = rows[row_of_[stretch.file]];
    (stretch.is_mapping ? row.mapped : row.read) += stretch.bytes;
    row.is_guess = row.is_guess || stretch.is_guess;
  }
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t i) { return rows[i].read + rows[i].mapped == 0; });
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::pair(rows[i].is_code, ~(rows[i].read + rows[i].mapped));
  });
  const auto place = placed(rows, order);
  activity.files = std::move(rows);
  activity.large_files = large_files_of(activity.files);
  std::vector<std::uint32_t> places(known.size());
  std::ranges::transform(row_of_, places.begin(), [&](std::uint32_t row) { return place[row]; });
  return places;
}

/// @return where each of the trace's is.
std::vector<std::uint32_t> ActivityGatherer::take_threads(Activity& activity) {
  constexpr std::uint64_t kNextToNothing = 1000;  // As a part of what the busiest one allocated.
  const auto& known = trace_.definitions().threads;
  std::vector<bool> maps(threads_.size());
  for (const ReadStretch& stretch : stretches_) {
    threads_[stretch.thread].read += stretch.is_mapping ? 0 : stretch.bytes;
    maps[stretch.thread] = true;
  }
  std::uint64_t most = 0;
  for (const ThreadRow& row : threads_) {
    most = std::max(most, row.allocated);
  }
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    ThreadRow& row = threads_[i];
    row.name = i < known.size() ? name_of(known[i]) : "an unknown thread";
    row.is_idle = !maps[i] && row.allocated <= most / kNextToNothing;
  }
  std::vector<std::size_t> order(threads_.size());
  std::iota(order.begin(), order.end(), 0);
  if (threads_.back().columns.empty() && !maps.back()) {
    order.pop_back();  // No event is of an unknown thread.
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    return std::pair(threads_[i].is_idle, ~(threads_[i].allocated + threads_[i].read));
  });
  auto places = placed(threads_, order);
  activity.threads = std::move(threads_);
  return places;
}

Activity ActivityGatherer::take() {
  Activity activity;
  for (std::size_t c = 0; c <= columns_; ++c) {
    activity.borders.push_back(c * width_ns_);
  }
  know_offsets();
  const auto files = take_files(activity);
  const auto threads = take_threads(activity);
  std::ranges::stable_sort(stretches_, {}, &ReadStretch::begin_ns);
  for (std::uint32_t i = 0; i < stretches_.size(); ++i) {
    ReadStretch& stretch = stretches_[i];
    stretch.file = files[stretch.file];
    stretch.thread = threads[stretch.thread];
    activity.threads[stretch.thread].reads.push_back(i);
    activity.files[stretch.file].reads.push_back(i);
    if (stretch.file >= activity.large_files) {
      activity.folded.push_back(i);
    }
  }
  activity.stretches = std::move(stretches_);
  for (FileRow& file : activity.files) {
    file.readers = readers_of(activity, file);
    choose_lanes(activity, file);
  }
  return activity;
}

}  // namespace tidemark::gui
