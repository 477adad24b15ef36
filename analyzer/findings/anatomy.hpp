/// The anatomy of a peak: where the bytes of the model went, why the peak is as high as it is, and
/// how low it could be. Computed only from events, so it claims nothing that they do not show.
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

/// The lowest peak that is known to be possible for the same load: if every byte of the model had
/// been given back as soon as it was copied on, or if the subject of one finding had not been
/// there.
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
  std::uint64_t saved_bytes = 0;  ///< How much lower the peak is without all that they name.
  /// Bytes of findings without a lower peak: what was there before the load, Python's arenas. May
  /// overlap with `saved_bytes`.
  std::uint64_t accounted_bytes = 0;
};

/// For a program that loads no model, only findings that need none, as there is nothing to compare
/// with.
struct Anatomy {
  std::vector<Finding> findings;  ///< Those that lower the peak first, most bytes first.
  std::optional<Floor> floor;     ///< None if no copy of model bytes was seen.
  /// The peak without all that the findings name. Set if several of them lower the peak, none of
  /// them alone to near the weights, and all together by more than any one.
  std::optional<std::uint64_t> peak_without_all_bytes{};
  Chain chain;
  std::vector<SizedBlock> sized;  ///< Blocks at the peak that hold tensors, by their sizes.
  /// The peak is higher than the weights, and the findings leave more than half of that open.
  bool is_unexplained = false;
  Explained explained;            ///< For an unexplained peak.
  std::vector<PeakGroup> groups;  ///< Who holds an unexplained peak.
};

/// `follower` must have listened to the pass that `report` was made with; if it is null, or
/// followed other files than the model turned out to be, this takes one more pass over `trace`.
/// `load` must have its peak, model, files and resident peaks. Memory: some hundred bytes for each
/// block of at least 64 KiB that held model bytes, bounded for any number of blocks and copies.
Anatomy build_anatomy(LoadedTrace& trace, const LoadFacts& load, ModelFollower* follower);

}  // namespace tidemark::analyzer
