#include "gui/view/activity/activity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

namespace tidemark::gui {
namespace {

/// Those in which anything happened, most bytes first.
std::vector<ActivityRow> sorted(std::vector<ActivityRow> rows) {
  std::erase_if(rows, [](const ActivityRow& row) { return row.total == 0; });
  std::ranges::stable_sort(rows, std::ranges::greater{}, &ActivityRow::total);
  return rows;
}

/// A file that several processes read is one.
std::vector<ActivityRow> merged(std::vector<ActivityRow> rows) {
  std::vector<ActivityRow> found;
  std::unordered_map<std::string, std::size_t> by_name;
  for (ActivityRow& row : rows) {
    if (row.total == 0) {
      continue;
    }
    const auto [entry, is_new] = by_name.try_emplace(row.name, found.size());
    if (is_new) {
      found.push_back(std::move(row));
      continue;
    }
    ActivityRow& same = found[entry->second];
    same.total += row.total;
    std::ranges::transform(same.bytes, row.bytes, same.bytes.begin(), std::plus<>());
    std::ranges::transform(same.mapped, row.mapped, same.mapped.begin(), std::plus<>());
  }
  return found;
}

}  // namespace

ActivityGatherer::ActivityGatherer(analyzer::LoadedTrace& trace, std::size_t columns)
    : trace_(trace), columns_(columns), width_ns_(trace.duration_ns() / columns + 1) {}

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

ActivityRow& ActivityGatherer::row(std::vector<ActivityRow>& rows, std::size_t index) const {
  if (index >= rows.size()) {
    rows.resize(index + 1);
  }
  if (rows[index].bytes.empty()) {
    rows[index].bytes.resize(columns_);
    rows[index].mapped.resize(columns_);
  }
  return rows[index];
}

void ActivityGatherer::see(const trace::Event& event) {
  const std::size_t column = std::min<std::size_t>(event.at_ns / width_ns_, columns_ - 1);
  const auto add = [&](ActivityRow& to, std::vector<std::uint64_t>& values) {
    values[column] += event.size;
    to.total += event.size;
  };
  const bool has_file = event.extra < trace_.definitions().files.size();
  if (event.kind == trace::EventKind::kRead && has_file) {
    ActivityRow& file = row(files_, event.extra);
    add(file, file.bytes);
  } else if (trace::is_allocation(event.kind)) {
    if (event.lane == trace::Lane::kFile) {
      if (has_file) {
        ActivityRow& file = row(files_, event.extra);
        add(file, file.mapped);
      }
    } else if (trace::index(event.thread) < trace_.definitions().threads.size()) {
      ActivityRow& thread = row(threads_, trace::index(event.thread));
      add(thread, thread.bytes);
    }
  }
}

Activity ActivityGatherer::take() {
  const trace::Definitions& definitions = trace_.definitions();
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const trace::Thread& thread = definitions.threads[i];
    threads_[i].name = thread.name.empty() ? fmt::format("thread {}", thread.tid)
                                           : fmt::format("{} {}", thread.name, thread.tid);
  }
  for (std::size_t i = 0; i < files_.size(); ++i) {
    files_[i].name = definitions.files[i].path;
  }
  Activity activity;
  for (std::size_t c = 0; c <= columns_; ++c) {
    activity.borders.push_back(c * width_ns_);
  }
  activity.threads = sorted(std::move(threads_));
  activity.files = sorted(merged(std::move(files_)));
  return activity;
}

}  // namespace tidemark::gui
