/// Memory in use before the load of the model began: imports, the program's own tables.
#pragma once

#include "analyzer/load/file_use.hpp"
#include "analyzer/query/footprint/peak.hpp"
#include "analyzer/query/loaded_trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace tidemark::analyzer {

struct BeforeLoad {
  std::uint64_t at_ns = 0;          ///< When the model was first opened.
  std::uint64_t stood_bytes = 0;    ///< The footprint then, without `buffers`.
  std::uint64_t at_peak_bytes = 0;  ///< How much of it was still there at the peak.
  struct Buffers {
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
    void add(std::uint64_t block_bytes) {
      bytes += block_bytes;
      ++blocks;
    }
  };
  /// By stack, blocks allocated earlier for the model and alive at the peak, which count as part of
  /// the load: large ones of which at least half was filled by reading it, and ones seen to hold
  /// its values at some time, with blocks of the same stacks that certainly were made for the rest.
  std::map<trace::StackId, Buffers> buffers{};
  [[nodiscard]] std::uint64_t buffer_bytes() const;
};

/// None if no opening of a model file is known, the peak precedes all of them, or too little was in
/// use to matter. Otherwise goes once through the blocks between opening and peak, and through
/// their events if single earlier blocks are large enough to matter.
/// @param at_ns when the model was opened, not first read: buffers for reading it are part of the
/// load. @param model_files those of the model.
std::optional<BeforeLoad> find_before_load(LoadedTrace& trace,
                                           const Peak& peak,
                                           std::uint64_t at_ns,
                                           std::span<const FileUse> model_files);

}  // namespace tidemark::analyzer
