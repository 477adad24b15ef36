/// Texts about what blocks hold of files, as far as only their values tell.
#pragma once

#include "analyzer/tensors/block_contents.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace tidemark::analyzer {

/// For a group of blocks into which nothing was seen to come from a file: another process may have
/// sent it, or a loop may have copied it.
class ValuesHeld {
 public:
  /// Adds a block of `bytes`. Ignores contents that are also known otherwise, or that do not fit
  /// into a block of that size. Nothing stays borrowed.
  void add(const BlockContents& contents, trace::AllocationNumber allocation, std::uint64_t bytes);

  /// `72.0 MiB of it hold 6 tensors of a.safetensors, layer.0.weight to layer.5.weight, by their
  /// values`, `200.0 MiB of it hold f32 of raw.bin as f64, by their values`; empty if there are
  /// none.
  /// @param definitions of the contents that `add` was called with.
  /// @param blocks the word for the group: `it`, `them`.
  [[nodiscard]] std::string text(const trace::Definitions& definitions,
                                 std::string_view blocks) const;

 private:
  std::uint64_t bytes_ = 0;  // In memory.
  std::set<std::uint32_t> tensors_;
  std::set<std::uint32_t> files_;
  std::set<std::pair<std::string, std::string>> types_;  // In the file, and in the blocks.
};

}  // namespace tidemark::analyzer
