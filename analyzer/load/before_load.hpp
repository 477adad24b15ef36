/// What stood before the load of the model began: imports, the program's own tables.
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
  std::uint64_t at_peak_bytes = 0;  ///< What of it stood at the peak, too.
  struct Buffers {
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
    void add(std::uint64_t block_bytes) {
      bytes += block_bytes;
      ++blocks;
    }
  };
  /// By stack, blocks that were there already for the model and stand at the peak: large ones that
  /// it was read into, by half of each at least; and such as were seen to hold its values at some
  /// time, with those of the same stacks that surely were made for the rest. They are a part of the
  /// load.
  std::map<trace::StackId, Buffers> buffers{};
  [[nodiscard]] std::uint64_t buffer_bytes() const;
};

/// None where no opening of a file of the model is known, where the peak was before any was opened,
/// and where what stood is too little to be worth a word. Else goes through the blocks between the
/// two once; and through their events, where single blocks that stood are worth a word.
/// @param at_ns when the model was opened: not when it was first read, as buffers for that are a
/// part of the load. @param model_files those of the model.
std::optional<BeforeLoad> find_before_load(LoadedTrace& trace,
                                           const Peak& peak,
                                           std::uint64_t at_ns,
                                           std::span<const FileUse> model_files);

}  // namespace tidemark::analyzer
