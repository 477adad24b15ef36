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
  for (const trace::PackedMatch& match : definitions.packed) {
    if (!match.is_part()) {
      note(match);
    }
  }
  return blocks;
}

/// Follows the reads of the model's files into blocks.
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
      continue;  // Damaged: it is unknown what was read then.
    }
    for (std::size_t i = block == from.block ? from.events : 0; i < events->size(); ++i) {
      reads.see((*events)[i]);
    }
  }
  return reads;
}

/// Blocks of one stack that were alive at both instants.
struct StoodOfStack {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t seen = 0;  ///< Blocks that were seen to hold values of the model,
  std::uint64_t seen_bytes = 0;

  void add(std::uint64_t block_bytes, bool is_seen) {
    ++blocks;
    bytes += block_bytes;
    seen += is_seen ? 1 : 0;
    seen_bytes += is_seen ? block_bytes : 0;
  }
};

/// Looks meet only some of the blocks in time. So all blocks of a stack count as holding the
/// model's values if a quarter of them, and at least four, were seen to; or if one was, and the
/// stack as a whole has the model's size to 2 %, in any type of float that the file's may be
/// converted to.
bool are_alike(const StoodOfStack& stood, std::uint64_t model_bytes) {
  constexpr std::uint64_t kMinSeen = 4;
  constexpr std::uint64_t kTolerance = 50;
  if (stood.seen == 0) {
    return false;
  }
  // Multiples in sixteenths: from float64 as half to half as float64.
  for (const std::uint64_t sixteenths : {4U, 8U, 16U, 32U, 64U}) {
    const std::uint64_t whole = model_bytes / 16 * sixteenths;
    const std::uint64_t apart = std::max(whole, stood.bytes) - std::min(whole, stood.bytes);
    if (apart <= whole / kTolerance) {
      return true;
    }
  }
  return stood.seen >= kMinSeen && stood.seen_bytes >= stood.bytes / 4;
}

/// Blocks of these stacks that are alive at an instant.
std::set<trace::AllocationNumber> blocks_of(LoadedTrace& trace,
                                            const Instant& at,
                                            const std::set<trace::StackId>& stacks) {
  constexpr std::uint64_t kMinBytes = 4096;  // Smaller ones are no tensors, and may be millions.
  std::set<trace::AllocationNumber> blocks;
  if (stacks.empty()) {
    return blocks;
  }
  visit_live(trace, {}, at, [&](const trace::Event& event, std::uint64_t bytes) {
    if (bytes >= kMinBytes && stacks.contains(event.stack)) {
      blocks.insert(event.allocation);
    }
  });
  return blocks;
}

/// Finds blocks that were seen to hold the model's values, others that were made for them, and
/// those with `least` bytes or more that it was read into. An import mostly has none of these, and
/// then costs no look at events.
std::map<trace::StackId, BeforeLoad::Buffers> find_buffers(LoadedTrace& trace,
                                                           const Instant& from,
                                                           const Instant& to,
                                                           std::uint64_t least,
                                                           std::span<const FileUse> model_files) {
  const std::vector<bool> is_model = are_model(trace.definitions(), model_files);
  const auto with_values = blocks_with_values(trace.definitions(), is_model);
  std::set<trace::AllocationNumber> of_load;
  std::set<trace::StackId> stacks_of_load;
  std::set<trace::AllocationNumber> large;
  visit_live(trace, {}, from, [&](const trace::Event& event, std::uint64_t bytes) {
    if (!trace::in_footprint(event.lane)) {
      return;
    }
    if (with_values.contains(event.allocation)) {
      of_load.insert(event.allocation);
      stacks_of_load.insert(event.stack);
    } else if (bytes >= least) {
      large.insert(event.allocation);
    }
  });
  std::map<trace::StackId, BeforeLoad::Buffers> buffers;
  if (large.empty() && of_load.empty()) {
    return buffers;
  }
  // Also after the peak, which may be there as soon as they are asked for.
  const ModelReads reads = large.empty() ? ModelReads({}) : reads_since(trace, from, is_model);
  const auto may_be_alike = blocks_of(trace, from, stacks_of_load);
  std::map<trace::StackId, StoodOfStack> stood;
  visit_live(trace, {}, to, [&](const trace::Event& event, std::uint64_t bytes) {
    const bool is_seen = of_load.contains(event.allocation);
    const bool is_read_into =
        large.contains(event.allocation) && reads.into(event.allocation) >= bytes / 2;
    if (is_read_into || is_seen) {
      buffers[event.stack].add(bytes);
    }
    if (is_seen || may_be_alike.contains(event.allocation)) {
      stood[event.stack].add(bytes, is_seen);
    }
  });
  std::uint64_t model_bytes = 0;
  for (const FileUse& file : model_files) {
    model_bytes += file.taken_bytes();
  }
  for (const auto& [stack, all] : stood) {
    if (are_alike(all, model_bytes)) {
      buffers[stack] = {.bytes = all.bytes, .blocks = all.blocks};
    }
  }
  return buffers;
}

}  // namespace

std::uint64_t BeforeLoad::buffer_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [stack, found] : buffers) {
    bytes += found.bytes;
  }
  return bytes;
}

std::optional<BeforeLoad> find_before_load(LoadedTrace& trace,
                                           const Peak& peak,
                                           std::uint64_t at_ns,
                                           std::span<const FileUse> model_files) {
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
  const std::uint64_t of_load = before.buffer_bytes();
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
