#include "gui/view/blocks/tensor_holders.hpp"

#include "analyzer/query/live/live_set.hpp"
#include "analyzer/tensors/block_contents.hpp"
#include "analyzer/tensors/tensor_places.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace tidemark::gui {
namespace {

using analyzer::BlockContents;
using analyzer::TensorPart;
using trace::AllocationNumber;

/// What a block holds of one tensor, all parts together.
using HeldByTensor = std::map<std::uint32_t, TensorHolder>;

HeldByTensor held_of(const trace::Event& allocation, const std::vector<TensorPart>& parts) {
  HeldByTensor held;
  for (const TensorPart& part : parts) {
    const auto [entry, is_new] = held.try_emplace(trace::index(part.tensor));
    TensorHolder& holder = entry->second;
    holder.allocation = allocation.allocation;
    holder.is_mapping = allocation.lane == trace::Lane::kFile;
    holder.bytes += part.bytes;
    holder.at_ns = is_new ? part.at_ns : std::min(holder.at_ns, part.at_ns);
  }
  return held;
}

/// Whether `one` is the better target of a search for the tensor.
bool is_better(const TensorHolder& one, const std::optional<TensorHolder>& other) {
  const auto rank = [](const TensorHolder& holder) {
    return std::tuple(!holder.is_mapping, holder.bytes, ~holder.at_ns, ~holder.allocation);
  };
  return !other || rank(one) > rank(*other);
}

void offer(const HeldByTensor& held, TensorHolders& holders) {
  for (const auto& [tensor, holder] : held) {
    if (is_better(holder, holders[tensor])) {
      holders[tensor] = holder;
    }
  }
}

TensorHolders holders_at_peak(analyzer::LoadedTrace& trace,
                              const analyzer::Instant& peak,
                              std::span<const analyzer::SizedBlock> sized) {
  TensorHolders holders(trace.definitions().tensors.size());
  BlockContents contents(trace.definitions(), peak.at_ns);
  contents.add_parts(peak.at_ns);
  const auto offer_at_peak = [&](HeldByTensor held) {
    for (auto& [tensor, holder] : held) {
      holder.at_ns = peak.at_ns;
    }
    offer(held, holders);
  };
  analyzer::visit_live(trace, {}, peak, [&](const trace::Event& event, std::uint64_t bytes) {
    offer_at_peak(held_of(event, contents.held_parts(event.allocation, event.lane, bytes)));
  });
  for (const analyzer::SizedBlock& block : sized) {
    if (!contents.names_tensors(block.allocation)) {
      offer_at_peak(
          {{trace::index(block.tensor), {.allocation = block.allocation, .bytes = block.bytes}}});
    }
  }
  return holders;
}

/// The allocations known to have held bytes of a file, sorted, each once.
std::vector<AllocationNumber> known_holders(const trace::Definitions& definitions) {
  std::vector<AllocationNumber> known;
  const auto add = [&known](const auto& table) {
    std::ranges::transform(table, std::back_inserter(known),
                           [](const auto& entry) { return entry.allocation; });
  };
  add(definitions.origins);
  add(definitions.matches);
  add(definitions.packed);
  std::ranges::sort(known);
  // Not std::ranges::unique: clang 14 cannot compile its subrange.
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return known;
}

bool lacks_block(const TensorHolders& holders, const std::vector<TensorPart>& parts) {
  return std::ranges::any_of(parts, [&](const TensorPart& part) {
    const auto& holder = holders[trace::index(part.tensor)];
    return !holder || holder->is_mapping;
  });
}

/// Calls `visit(event)` for each of the `wanted` allocations, which are sorted. Skips damaged
/// blocks of events.
template <typename Visit>
void visit_allocations(analyzer::LoadedTrace& trace,
                       const std::vector<AllocationNumber>& wanted,
                       const Visit& visit) {
  const auto blocks = trace.blocks();
  auto next = wanted.begin();
  for (std::size_t block = 0; block < blocks.size() && next != wanted.end(); ++block) {
    const auto end = block + 1 == blocks.size()
                         ? wanted.end()
                         : std::lower_bound(next, wanted.end(), blocks[block + 1].first_allocation);
    const auto* const events = next == end ? nullptr : trace.events(block);
    for (std::size_t i = 0; events != nullptr && i < events->size(); ++i) {
      const trace::Event& event = (*events)[i];
      if (trace::is_allocation(event.kind) && std::binary_search(next, end, event.allocation)) {
        visit(event);
      }
    }
    next = end;
  }
}

/// The best holders at any time, of tensors that no block holds at the peak.
TensorHolders other_holders(analyzer::LoadedTrace& trace, const TensorHolders& at_peak) {
  TensorHolders holders(at_peak.size());
  BlockContents contents(trace.definitions());
  contents.add_parts();
  auto wanted = known_holders(trace.definitions());
  std::erase_if(wanted, [&](AllocationNumber allocation) {
    return !lacks_block(at_peak, contents.parts_of(allocation));
  });
  visit_allocations(trace, wanted, [&](const trace::Event& event) {
    // A mapping's size is what has been touched of it: nothing at first.
    const std::uint64_t room = trace::is_mapped(event.lane) ? UINT64_MAX : event.size;
    offer(held_of(event, contents.parts_of(event.allocation, room)), holders);
  });
  return holders;
}

}  // namespace

TensorHolders tensor_holders(analyzer::LoadedTrace& trace,
                             const analyzer::Instant& peak,
                             std::span<const analyzer::SizedBlock> sized) {
  const auto& tensors = trace.definitions().tensors;
  if (tensors.empty()) {
    return {};
  }
  TensorHolders holders = holders_at_peak(trace, peak, sized);
  const TensorHolders others = other_holders(trace, holders);
  for (std::size_t i = 0; i < holders.size(); ++i) {
    const bool is_block_elsewhere = others[i] && !others[i]->is_mapping;
    if (!holders[i] || (holders[i]->is_mapping && is_block_elsewhere)) {
      holders[i] = others[i];
    }
  }
  // If several tensors are at the same place in a file, only the first is recorded as held.
  const analyzer::TensorPlaces places(trace.definitions());
  for (std::size_t i = 0; i < holders.size(); ++i) {
    const auto first = places.at(tensors[i].file, tensors[i].begin);
    holders[i] = first ? holders[*first] : holders[i];
  }
  return holders;
}

}  // namespace tidemark::gui
