#include "analyzer/flow/chain.hpp"

#include "analyzer/flow/places.hpp"
#include "analyzer/query/wrapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tidemark::analyzer {
namespace {

constexpr std::size_t kFileNode = 0;

class ChainBuilder {
 public:
  ChainBuilder(const FlowIndex& flow, const LoadFacts& load, const LoadedTrace& trace)
      : flow_(flow),
        definitions_(trace.definitions()),
        places_(definitions_),
        peak_(trace.ordinal(load.peak.at)) {}

  void add_files(const ModelFiles& files, const LoadFacts& load) {
    ChainNode node{.kind = ChainNode::Kind::kFile};
    std::uint64_t most = 0;
    bool are_sizes_known = true;
    for (const std::size_t i : files.files()) {
      const FileUse& file = load.files[i];
      const std::uint64_t bytes = std::max(file.bytes_read, file.bytes_mapped);
      if (node.name.empty() || bytes > most) {
        node.name = file.path;
        most = bytes;
      }
      node.bytes += bytes;
      node.file_bytes += file.size;
      node.file_count += 1;
      are_sizes_known = are_sizes_known && file.size != 0;
    }
    node.file_bytes = are_sizes_known ? node.file_bytes : 0;
    placed_.chain.nodes.push_back(std::move(node));
    steps_.emplace_back();
    largest_.push_back(0);
    last_ends_.emplace_back();
  }

  void add_lives() {
    const auto& lives = flow_.lives();
    placed_.node_of.assign(lives.size(), PlacedChain::kNoNode);
    for (std::uint32_t i = 0; i < lives.size(); ++i) {
      if (lives[i].holds_model()) {
        placed_.node_of[i] = node_for(lives[i]);
        add_life(i, placed_.node_of[i]);
      }
    }
    for (std::size_t node = 0; node < steps_.size(); ++node) {
      if (node != kFileNode) {
        placed_.chain.nodes[node].bytes = most_alive(steps_[node]);
        forget_followed(node);
      }
    }
  }

  void add_copies() {
    for (std::uint32_t i = 0; i < flow_.lives().size(); ++i) {
      for (const Departure& departure : flow_.departures(i)) {
        add_copy(departure);
      }
    }
  }

  PlacedChain take() {
    for (auto& [key, edge] : edges_) {
      placed_.chain.edges.push_back(std::move(edge));
    }
    arrange(placed_);
    return std::move(placed_);
  }

 private:
  /// A change of a node's live bytes, and when.
  using Step = std::pair<std::uint64_t, std::int64_t>;

  struct LastEnd {
    std::uint64_t at = 0;
    std::uint64_t footprint_after = 0;
  };

  std::size_t node_for(const BlockLife& life) {
    const auto key = std::tuple(places_.of(life.stack), life.lane, life.depth);
    const auto [entry, is_new] = nodes_.try_emplace(key, placed_.chain.nodes.size());
    if (is_new) {
      placed_.chain.nodes.push_back(
          {.kind = life.is_mapping ? ChainNode::Kind::kMapping : ChainNode::Kind::kBlocks,
           .lane = life.lane,
           .depth = life.depth});
      steps_.emplace_back();
      largest_.push_back(0);
      last_ends_.emplace_back();
    }
    return entry->second;
  }

  void add_life(std::uint32_t index, std::size_t at) {
    const BlockLife& life = flow_.lives()[index];
    ChainNode& node = placed_.chain.nodes[at];
    ++node.blocks;
    node.peak_bytes += life.is_alive_after(peak_) ? flow_.size_after(index, peak_ - 1) : 0;
    const std::uint64_t size = std::max(life.first_size, life.room());
    if (size > largest_[at] || node.frames.empty()) {
      largest_[at] = size;
      node.frames = named_stack(definitions_, life.stack);
    }
    if (life.read_bytes > 0) {
      add_edge(ChainEdge::Kind::kRead, kFileNode, at, life.read_stack,
               {life.first_read_ns, life.last_read_ns, life.read_bytes, life.read_count});
    }
    if (life.is_mapping) {
      add_edge(ChainEdge::Kind::kMap, kFileNode, at, life.stack,
               {life.born_ns, life.born_ns, life.first_size, 1});
    }
    add_steps(index, steps_[at]);
    note_end(index, at);
  }

  void add_steps(std::uint32_t index, std::vector<Step>& steps) const {
    const BlockLife& life = flow_.lives()[index];
    steps.emplace_back(life.born, static_cast<std::int64_t>(life.first_size));
    for (const Resize& resize : flow_.resizes(index)) {
      steps.emplace_back(resize.at, resize.change);
    }
    if (life.died != BlockLife::kNever) {
      steps.emplace_back(life.died, minus(life.size));
    }
  }

  void note_end(std::uint32_t index, std::size_t at) {
    const BlockLife& life = flow_.lives()[index];
    ChainNode& node = placed_.chain.nodes[at];
    const std::uint64_t arrived = life.read_bytes + life.copied_in_bytes;
    node.unfollowed_bytes += arrived - std::min(arrived, life.copied_out_bytes);
    const std::uint64_t died = life.swept ? BlockLife::kNever : life.died;
    if (died >= last_ends_[at].at) {
      last_ends_[at] = {died, life.footprint_after};
    }
  }

  /// Counts bytes as not followed only if the whole node is gone and something else is there
  /// instead: the last blocks of a chain rightly go at the end of the program without having been
  /// copied.
  void forget_followed(std::size_t at) {
    ChainNode& node = placed_.chain.nodes[at];
    const LastEnd& end = last_ends_[at];
    if (end.at == BlockLife::kNever || end.footprint_after < node.bytes / 2) {
      node.unfollowed_bytes = 0;
    }
  }

  static std::uint64_t most_alive(std::vector<Step>& steps) {
    std::ranges::sort(steps);
    std::int64_t alive = 0;
    std::int64_t most = 0;
    for (const auto& [at, change] : steps) {
      alive = wrapping_sum(alive, change);
      most = std::max(most, alive);
    }
    return static_cast<std::uint64_t>(most);
  }

  void add_copy(const Departure& departure) {
    if (departure.target == BlockLife::kNone) {
      return;
    }
    const std::size_t from = placed_.node_of[departure.source];
    const std::size_t to = placed_.node_of[departure.target];
    if (from != to) {
      add_edge(ChainEdge::Kind::kCopy, from, to, departure.stack,
               {departure.first_ns, departure.last_ns, departure.bytes, departure.count});
    }
  }

  struct Moved {
    std::uint64_t first_ns;
    std::uint64_t last_ns;
    std::uint64_t bytes;
    std::uint64_t count;
  };

  void add_edge(ChainEdge::Kind kind,
                std::size_t from,
                std::size_t to,
                trace::StackId stack,
                const Moved& moved) {
    const auto [entry, is_new] = edges_.try_emplace(std::tuple(from, to, kind));
    ChainEdge& edge = entry->second;
    if (is_new) {
      edge = {.kind = kind, .from = from, .to = to, .first_ns = moved.first_ns};
      edge.frames = named_stack(definitions_, stack);
    }
    edge.first_ns = std::min(edge.first_ns, moved.first_ns);
    edge.last_ns = std::max(edge.last_ns, moved.last_ns);
    edge.bytes += moved.bytes;
    edge.count += moved.count;
  }

  const FlowIndex& flow_;
  const trace::Definitions& definitions_;
  Places places_;
  std::uint64_t peak_;
  PlacedChain placed_;
  std::map<std::tuple<std::uint32_t, trace::Lane, std::uint32_t>, std::size_t> nodes_;
  std::map<std::tuple<std::size_t, std::size_t, ChainEdge::Kind>, ChainEdge> edges_;
  std::vector<std::vector<Step>> steps_;  // By node.
  std::vector<std::uint64_t> largest_;    // Block of each node.
  std::vector<LastEnd> last_ends_;        // By node.
};

}  // namespace

PlacedChain build_chain(const FlowIndex& flow,
                        const ModelFlow& totals,
                        const ModelFiles& files,
                        const LoadFacts& load,
                        const LoadedTrace& trace) {
  ChainBuilder builder(flow, load, trace);
  builder.add_files(files, load);
  builder.add_lives();
  builder.add_copies();
  PlacedChain placed = builder.take();
  placed.chain.unseen_read_bytes = totals.unseen_read_bytes;
  placed.chain.left_out_blocks = totals.left_out_blocks;
  placed.chain.left_out_copies = totals.left_out_copies;
  return placed;
}

}  // namespace tidemark::analyzer
