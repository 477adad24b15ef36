#include "analyzer/tensors/tensor_sets.hpp"

#include "analyzer/flow/places.hpp"
#include "analyzer/query/pass/excerpt.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kMaxSetsOfAPlace = 4;
constexpr std::size_t kMaxSets = 8;

/// A block at the peak.
struct Standing {
  std::uint32_t life = 0;
  std::uint64_t bytes = 0;
};

class SetFinder {
 public:
  SetFinder(const trace::Definitions& definitions,
            const std::vector<WeightTensor>& tensors,
            const FlowIndex& flow,
            trace::EventOrdinal peak,
            std::vector<bool> is_taken)
      : tensors_(tensors),
        flow_(flow),
        peak_(peak),
        is_taken_(std::move(is_taken)),
        places_(definitions) {}

  std::vector<TensorSet> find() {
    // Processes are separate: each may have its own set once.
    std::map<std::uint32_t, std::vector<Standing>> by_process;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Standing>> by_place;
    const auto& lives = flow_.lives();
    for (std::uint32_t i = 0; i < lives.size(); ++i) {
      if (lives[i].is_alive_after(peak_) && !lives[i].is_mapping && !is_taken_[i]) {
        const Standing block{i, flow_.size_after(i, peak_ - 1)};
        const std::uint32_t process = trace::index(lives[i].process);
        by_process[process].push_back(block);
        by_place[{process, places_.of(lives[i].stack)}].push_back(block);
        bytes_of_[process] += block.bytes;
      }
    }
    for (const auto& [place, blocks] : by_place) {
      take_sets(blocks, bytes_of_[place.first]);
    }
    for (const auto& [process, blocks] : by_process) {
      take_sets(blocks, bytes_of_[process]);
    }
    std::ranges::stable_sort(sets_, std::ranges::greater{}, &TensorSet::bytes);
    return std::move(sets_);
  }

 private:
  /// @param all_bytes of all blocks of their process.
  void take_sets(std::vector<Standing> blocks, std::uint64_t all_bytes) {
    for (std::size_t i = 0; i < kMaxSetsOfAPlace && sets_.size() < kMaxSets; ++i) {
      std::erase_if(blocks, [this](const Standing& block) { return is_taken_[block.life]; });
      std::ranges::sort(blocks, {},
                        [this](const Standing& block) { return flow_.lives()[block.life].born; });
      std::vector<std::uint64_t> sizes;
      for (const Standing& block : blocks) {
        sizes.push_back(block.bytes);
      }
      auto match = match_sizes(tensors_, sizes, all_bytes, kLargeBlockBytes);
      if (!match) {
        return;
      }
      add_set(std::move(*match), blocks);
    }
  }

  void add_set(SizeMatch match, const std::vector<Standing>& blocks) {
    TensorSet set;
    std::map<std::uint32_t, std::pair<std::uint64_t, trace::StackId>> by_place;
    for (const auto& [tensor, number] : match.pairs) {
      const Standing& block = blocks[number];
      const BlockLife& life = flow_.lives()[block.life];
      is_taken_[block.life] = true;
      set.lives.push_back(block.life);
      set.bytes += block.bytes;
      set.first_born_ns = std::min(set.first_born_ns, life.born_ns);
      set.last_born_ns = std::max(set.last_born_ns, life.born_ns);
      set.process = life.process;
      set.read_bytes += std::min(block.bytes, life.read_bytes + life.copied_in_bytes);
      auto& [bytes, stack] = by_place[places_.of(life.stack)];
      bytes += block.bytes;
      stack = life.stack;
    }
    std::uint64_t most = 0;
    for (const auto& [place, held] : by_place) {
      if (held.first > most) {
        most = held.first;
        set.stack = held.second;
      }
    }
    set.match = std::move(match);
    sets_.push_back(std::move(set));
  }

  const std::vector<WeightTensor>& tensors_;
  const FlowIndex& flow_;
  trace::EventOrdinal peak_;
  std::vector<bool> is_taken_;
  Places places_;
  std::map<std::uint32_t, std::uint64_t> bytes_of_;  ///< By process: of its blocks.
  std::vector<TensorSet> sets_;
};

}  // namespace

std::vector<WeightTensor> model_tensors(const trace::Definitions& definitions,
                                        const LoadFacts& load) {
  std::set<std::string> paths;
  std::uint64_t file_bytes = 0;
  for (const std::size_t file : load.model.files) {
    paths.insert(load.files[file].path);
    file_bytes += load.files[file].size;
  }
  std::set<std::pair<std::uint32_t, std::uint64_t>> were_seen;
  std::vector<WeightTensor> tensors;
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < definitions.tensors.size(); ++i) {
    const trace::Tensor& tensor = definitions.tensors[i];
    const std::uint32_t file = trace::index(tensor.file);
    if (paths.contains(definitions.files[file].path) &&
        were_seen.emplace(file, tensor.begin).second) {
      tensors.push_back({tensor.elements, tensor.bytes, trace::TensorId{i}});
      bytes += tensor.bytes;
    }
  }
  return is_most_of(bytes, file_bytes) ? tensors : std::vector<WeightTensor>();
}

std::vector<WeightTensor> pieces_as_read(const FlowIndex& flow, const LoadFacts& load) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;  // When, and how many bytes.
  std::uint64_t bytes = 0;
  for (const BlockLife& life : flow.lives()) {
    const bool was_filled_once = is_most_of(life.read_bytes, life.room()) &&
                                 life.read_bytes <= life.room() && life.copied_in_bytes == 0;
    if (life.read_bytes != 0 && was_filled_once && !life.is_mapping && life.growth_steps == 0) {
      pieces.emplace_back(life.first_read_ns, life.read_bytes);
      bytes += life.read_bytes;
    }
  }
  if (!is_most_of(bytes, load.model.bytes)) {
    return {};
  }
  std::ranges::sort(pieces);
  std::vector<WeightTensor> found;
  for (const auto& [at_ns, size] : pieces) {
    found.push_back({.elements = size, .bytes = size});
  }
  return found;
}

std::uint64_t made_at_once_until_ns(const LoadFacts& load) {
  std::uint64_t first_ns = UINT64_MAX;
  std::uint64_t last_ns = 0;
  for (const std::size_t file : load.model.files) {
    first_ns = std::min(first_ns, load.files[file].first_use_ns);
    last_ns = std::max(last_ns, load.files[file].last_use_ns);
  }
  return last_ns + std::max(last_ns - std::min(last_ns, first_ns), kMinWaitNs);
}

std::vector<TensorSet> find_tensor_sets(const trace::Definitions& definitions,
                                        const std::vector<WeightTensor>& tensors,
                                        const FlowIndex& flow,
                                        trace::EventOrdinal peak,
                                        std::vector<bool> is_taken) {
  return SetFinder(definitions, tensors, flow, peak, std::move(is_taken)).find();
}

}  // namespace tidemark::analyzer
