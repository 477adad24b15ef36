#include "analyzer/export/csv.hpp"

#include "analyzer/export/stacks/stack_lines.hpp"
#include "analyzer/query/footprint/resident.hpp"
#include "analyzer/query/footprint/timeline.hpp"
#include "analyzer/report/parts/json_document.hpp"
#include "analyzer/text/shown_text.hpp"

#include <fmt/format.h>

#include <iterator>
#include <optional>

namespace tidemark::exports {
namespace {

constexpr std::size_t kRows = 1000;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string field = "\"";
  for (const char c : text) {
    field += c == '"' ? "\"\"" : std::string(1, c);
  }
  return field + '"';
}

std::string values_of(const StackValues& values, bool is_range) {
  return is_range
             ? fmt::format("{},{},{},{},{},{}", values.bytes, values.blocks, values.allocated_bytes,
                           values.allocated_blocks, values.freed_bytes(), values.freed_blocks())
             : fmt::format("{},{}", values.bytes, values.blocks);
}

/// The frames from a node up to the root: innermost first.
std::vector<analyzer::NamedFrame> frames_of(const StackTree& tree,
                                            const FrameNames& names,
                                            const TreeNode& node) {
  std::vector<analyzer::NamedFrame> frames;
  for (const TreeNode* at = &node; at->depth > 0; at = &tree.nodes()[at->parent]) {
    frames.push_back(names[at->name]);
  }
  return frames;
}

/// Hands out samples in order of time: the highest of each column.
class ResidentColumns {
 public:
  explicit ResidentColumns(std::vector<analyzer::ResidentTotals> series)
      : series_(std::move(series)) {}

  /// The highest sample in [from_ns, to_ns), which must be after the last call's.
  std::optional<analyzer::ResidentTotals> highest(std::uint64_t from_ns, std::uint64_t to_ns) {
    std::optional<analyzer::ResidentTotals> highest;
    for (; next_ < series_.size() && series_[next_].at_ns < to_ns; ++next_) {
      const analyzer::ResidentTotals& sample = series_[next_];
      if (sample.at_ns >= from_ns && (!highest || highest->total() < sample.total())) {
        highest = sample;
      }
    }
    return highest;
  }

 private:
  std::vector<analyzer::ResidentTotals> series_;
  std::size_t next_ = 0;
};

void append_extents(const analyzer::Extents& column, std::string& text) {
  for (const trace::Lane lane : trace::kShownLanes) {
    const analyzer::Extent& extent = column.lanes.at(static_cast<std::size_t>(lane));
    fmt::format_to(std::back_inserter(text), "{},{},", extent.minimum, extent.maximum);
  }
  fmt::format_to(std::back_inserter(text), "{},{},", column.footprint.minimum,
                 column.footprint.maximum);
}

std::vector<std::uint64_t> borders_of(const TimeSpan& span) {
  const std::uint64_t width = span.end_ns + 1 - span.begin_ns;
  const std::uint64_t rows = std::min<std::uint64_t>(kRows, width);
  std::vector<std::uint64_t> borders;
  for (std::uint64_t i = 0; i < rows; ++i) {
    borders.push_back(span.begin_ns + width / rows * i + width % rows * i / rows);
  }
  borders.push_back(span.begin_ns + width);
  return borders;
}

}  // namespace

std::string stacks_csv(const trace::Definitions& definitions, const StackTable& table) {
  const bool is_range = table.since_ns.has_value();
  std::string text = is_range ? "lane,kept_bytes,kept_blocks,allocated_bytes,allocated_blocks,"
                                "freed_bytes,freed_blocks,function,file,line,stack\n"
                              : "lane,bytes,blocks,function,file,line,stack\n";
  FrameNames names(definitions, Reading::kModule);
  for (const trace::Lane lane : trace::kShownLanes) {
    const StackTree tree = tree_of_lane(table, lane, names);
    for_each_stack_line(tree, names, "", [&](const std::string& line, const TreeNode& node) {
      const auto frames = frames_of(tree, names, node);
      const analyzer::NamedFrame& asking = frames[analyzer::asking_frame(frames)];
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", trace::key_of(lane),
                     values_of(node.self, is_range), quoted(analyzer::shown_text(asking.function)),
                     quoted(analyzer::shown_text(asking.file)),
                     asking.line == 0 ? "" : std::to_string(asking.line), quoted(line));
    });
  }
  return text;
}

std::string timeline_csv(analyzer::LoadedTrace& trace, const TimeSpan& span) {
  std::string text = "begin_ns,end_ns";
  for (const trace::Lane lane : trace::kShownLanes) {
    fmt::format_to(std::back_inserter(text), ",{0}_min,{0}_max", trace::key_of(lane));
  }
  text += ",footprint_min,footprint_max,rss_anon,rss_file,rss_shmem\n";
  const auto borders = borders_of(span);
  const auto columns = analyzer::Timeline(trace).columns(borders);
  ResidentColumns resident(analyzer::resident_series(trace));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{},{},", borders[i], borders[i + 1]);
    append_extents(columns[i], text);
    const auto sample = resident.highest(borders[i], borders[i + 1]);
    text += sample ? fmt::format("{},{},{}\n", sample->anon_bytes, sample->file_bytes,
                                 sample->shmem_bytes)
                   : ",,\n";
  }
  return text;
}

}  // namespace tidemark::exports
