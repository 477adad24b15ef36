#include "analyzer/load/before_load.hpp"

#include "analyzer/query/live/live_set.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// Less than this part of the peak is not worth a word.
constexpr std::uint64_t kWorthSayingPart = 20;

/// Not the first read: buffers for it are a part of the load.
std::uint64_t first_opening(std::span<const FileUse> files) {
  std::uint64_t first_ns = UINT64_MAX;
  for (const FileUse& file : files) {
    first_ns = std::min(first_ns, file.opened_ns.value_or(UINT64_MAX));
  }
  return first_ns;
}

std::uint64_t came_between(LoadedTrace& trace, const Instant& from, const Instant& to) {
  std::uint64_t bytes = 0;
  for (const LiveStack& stack : kept_stacks(trace, from, to)) {
    bytes += trace::in_footprint(stack.lane) ? stack.bytes : 0;
  }
  return bytes;
}

/// By FileId.
std::vector<bool> are_model(const trace::Definitions& definitions,
                            std::span<const FileUse> model_files) {
  std::set<std::string_view> paths;
  for (const FileUse& file : model_files) {
    paths.insert(file.path);
  }
  std::vector<bool> are;
  for (const trace::File& file : definitions.files) {
    are.push_back(paths.contains(file.path));
  }
  return are;
}

/// Blocks that were seen to hold values of the model's files at some time.
std::set<trace::AllocationNumber> blocks_with_values(const trace::Definitions& definitions,
                                                     const std::vector<bool>& is_model) {
  std::set<trace::AllocationNumber> blocks;
  const auto note = [&](const auto& match) {
    const std::size_t file = trace::index(match.file);
    if (file < is_model.size() && is_model[file]) {
      blocks.insert(match.allocation);
    }
  };
  std::ranges::for_each(definitions.matches, note);
  std::ranges::for_each(definitions.packed, note);
  return blocks;
}

/// Follows what is read of the model's files into blocks.
class ModelReads {
 public:
  explicit ModelReads(std::vector<bool> is_model) : is_model_(std::move(is_model)) {}
  void see(const trace::Event& event) {
    if (event.kind == trace::EventKind::kRead) {
      reads_model_[event.thread] = event.extra < is_model_.size() && is_model_[event.extra];
    } else if (event.kind == trace::EventKind::kReadInto && reads_model_[event.thread]) {
      bytes_[event.allocation] += event.size;
    }
  }
  [[nodiscard]] std::uint64_t into(trace::AllocationNumber block) const {
    const auto found = bytes_.find(block);
    return found == bytes_.end() ? 0 : found->second;
  }

 private:
  std::vector<bool> is_model_;  // By FileId.
  std::map<trace::ThreadId, bool> reads_model_;
  std::unordered_map<trace::AllocationNumber, std::uint64_t> bytes_;
};

ModelReads reads_since(LoadedTrace& trace, const Instant& from, const std::vector<bool>& is_model) {
  ModelReads reads(is_model);
  for (std::size_t block = from.block; block < trace.blocks().size(); ++block) {
    const std::vector<trace::Event>* const events = trace.events(block);
    if (events == nullptr) {
      continue;  // Damaged: what was read then is not known.
    }
    for (std::size_t i = block == from.block ? from.events : 0; i < events->size(); ++i) {
      reads.see((*events)[i]);
    }
  }
  return reads;
}

/// Of blocks that were seen to hold the model's values, and of those with `least` bytes or more
/// that it was read into: an import has none of either, mostly, and costs no look at events.
std::map<trace::StackId, BeforeLoad::Buffers> find_buffers(LoadedTrace& trace,
                                                           const Instant& from,
                                                           const Instant& to,
                                                           std::uint64_t least,
                                                           std::span<const FileUse> model_files) {
  const std::vector<bool> is_model = are_model(trace.definitions(), model_files);
  const auto with_values = blocks_with_values(trace.definitions(), is_model);
  std::set<trace::AllocationNumber> of_load;
  std::set<trace::AllocationNumber> large;
  visit_live(trace, {}, from, [&](const trace::Event& event, std::uint64_t bytes) {
    if (!trace::in_footprint(event.lane)) {
      return;
    }
    if (with_values.contains(event.allocation)) {
      of_load.insert(event.allocation);
    } else if (bytes >= least) {
      large.insert(event.allocation);
    }
  });
  std::map<trace::StackId, BeforeLoad::Buffers> buffers;
  if (large.empty() && of_load.empty()) {
    return buffers;
  }
  // Also behind the peak, which may be there as soon as they are asked for.
  const ModelReads reads = large.empty() ? ModelReads({}) : reads_since(trace, from, is_model);
  visit_live(trace, {}, to, [&](const trace::Event& event, std::uint64_t bytes) {
    const bool is_read_into =
        large.contains(event.allocation) && reads.into(event.allocation) >= bytes / 2;
    if (is_read_into || of_load.contains(event.allocation)) {
      BeforeLoad::Buffers& found = buffers[event.stack];
      found.bytes += bytes;
      ++found.blocks;
    }
  });
  return buffers;
}

}  // namespace

std::optional<BeforeLoad> find_before_load(LoadedTrace& trace,
                                           const Peak& peak,
                                           std::span<const FileUse> model_files) {
  const std::uint64_t at_ns = first_opening(model_files);
  if (at_ns >= peak.at.at_ns) {
    return std::nullopt;
  }
  const Instant begin = trace.instant_at(at_ns);
  const auto totals = trace.totals_at(begin);
  const auto is_little = [&peak](std::uint64_t bytes) {
    return bytes < peak.footprint_bytes / kWorthSayingPart || bytes == 0;
  };
  if (!totals || is_little(totals->footprint())) {
    return std::nullopt;
  }
  const std::uint64_t least = peak.footprint_bytes / kWorthSayingPart;
  BeforeLoad before{.at_ns = at_ns,
                    .buffers = find_buffers(trace, begin, peak.at, least, model_files)};
  std::uint64_t of_load = 0;
  for (const auto& [stack, found] : before.buffers) {
    of_load += found.bytes;
  }
  before.stood_bytes = totals->footprint() - std::min(totals->footprint(), of_load);
  if (is_little(before.stood_bytes)) {
    return std::nullopt;
  }
  const std::uint64_t since = came_between(trace, begin, peak.at) + of_load;
  before.at_peak_bytes =
      std::min(before.stood_bytes, peak.footprint_bytes - std::min(since, peak.footprint_bytes));
  return before;
}

}  // namespace tidemark::analyzer
