/// What blocks hold of files where their values alone say so, in words.
#pragma once

#include "analyzer/tensors/block_contents.hpp"
#include "collector/trace/types/definitions.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace tidemark::analyzer {

/// Of a group of blocks. Nothing was seen to come into them from a file: another process may have
/// sent it, or a loop may have copied it.
class ValuesHeld {
 public:
  /// A block that has so many bytes. What is known of it otherwise, or cannot be so in a block of
  /// that size, is passed over. Nothing stays borrowed.
  void add(const trace::Definitions& definitions,
           const BlockContents& contents,
           trace::AllocationNumber allocation,
           std::uint64_t bytes);

  /// `72.0 MiB of it hold 6 tensors of a.safetensors, layer.0.weight to layer.5.weight, by their
  /// values`; empty where there are none.
  /// @param definitions those that it was added with.
  /// @param blocks what the group is called: `it`, `them`.
  [[nodiscard]] std::string text(const trace::Definitions& definitions,
                                 std::string_view blocks) const;

 private:
  std::uint64_t bytes_ = 0;  // Of memory.
  std::set<std::uint32_t> tensors_;
  std::set<std::uint32_t> files_;
};

}  // namespace tidemark::analyzer
