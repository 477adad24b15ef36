/// The anatomy of a peak: where the bytes of the model went, why the peak is as high as it is, and
/// how low it could be. Computed from the events alone: what they do not show is not said.
#pragma once

#include "analyzer/findings/finding.hpp"
#include "analyzer/findings/peak_groups.hpp"
#include "analyzer/flow/model_chain.hpp"
#include "analyzer/load/load_facts.hpp"
#include "analyzer/query/loaded_trace.hpp"
#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/tensors/held_tensors.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::analyzer {

class ModelFollower;

/// The lowest peak of the same load that is known to be possible: had every byte of the model that
/// was copied on been given back when it was, or had what one finding is about not been there.
struct Floor {
  std::uint64_t peak_bytes = 0;
  std::optional<double> ratio{};  ///< peak_bytes / W.

  /// Whether it is far enough below `peak`.
  [[nodiscard]] bool is_worth_saying(std::uint64_t peak) const {
    return peak_bytes + peak / kWorthSayingPart <= peak;
  }
};

/// How much of a peak its findings explain.
struct Explained {
  std::uint64_t saved_bytes = 0;  ///< So much lower is the peak without all that they name.
  /// Of what they say no lower peak for: what stood before the load, Python's arenas. It may be
  /// part of what is saved.
  std::uint64_t accounted_bytes = 0;
};

/// Of a program that loads no model only findings that need none: there is nothing to compare with.
struct Anatomy {
  std::vector<Finding> findings;  ///< What lowers the peak first, most bytes first.
  std::optional<Floor> floor;     ///< None where no copy of model bytes was seen.
  /// Without all that the findings name. Where several of them lower the peak, no one to near the
  /// weights, and all together to less.
  std::optional<std::uint64_t> peak_without_all_bytes{};
  Chain chain;
  std::vector<SizedBlock> sized;  ///< Blocks at the peak that hold tensors, as their sizes say.
  /// The peak is higher than the weights, and the findings leave more than half of that open.
  bool is_unexplained = false;
  Explained explained;            ///< Of such a peak.
  std::vector<PeakGroup> groups;  ///< Who holds such a peak.
};

/// `follower` listened to the pass that `report` was made with. Where it is null, or followed other
/// files than turned out to be the model, one more pass over `trace` is needed. `load` must have
/// its peak, model, files and resident peaks. Memory: some hundred bytes a block of at least 64 KiB
/// that held model bytes, and within bounds for any number of blocks and copies.
Anatomy build_anatomy(LoadedTrace& trace, const LoadFacts& load, ModelFollower* follower);

}  // namespace tidemark::analyzer
