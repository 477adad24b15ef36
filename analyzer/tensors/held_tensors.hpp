/// Which tensors are in memory at an instant, in which blocks.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "collector/trace/types/event.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace tidemark::analyzer {

/// In which element types memory holds tensors.
struct HeldTypes {
  bool as_in_file = false;            ///< Some of them, or a part, in the type of the file.
  std::set<std::string> converted{};  ///< The others.

  void add(const HeldTypes& other) {
    as_in_file = as_in_file || other.as_in_file;
    converted.insert(other.converted.begin(), other.converted.end());
  }
  /// ` as f64`; ` as f16 and f64`; `, also as f64` beside the file's own; empty: none but that.
  [[nodiscard]] std::string text() const;
};

/// A tensor of a file that the program used.
struct HeldTensor {
  trace::TensorId tensor{0};
  std::uint64_t bytes = 0;         ///< In blocks of the footprint; counted twice if there twice.
  std::uint64_t mapped_bytes = 0;  ///< In mappings of its file.
  std::uint64_t blocks = 0;        ///< Blocks with bytes of it, without mappings.
  trace::StackId stack = trace::kNoStack;  ///< Stack of the block with most of it.
  bool is_by_size = false;                 ///< A block of it is known only by its size.
  HeldTypes types{};
};

/// A block that holds a tensor, as its size says.
struct SizedBlock {
  trace::TensorId tensor{0};
  trace::AllocationNumber allocation = 0;
  std::uint64_t bytes = 0;
  trace::StackId stack = trace::kNoStack;
};

struct HeldTensors {
  /// Tensors of which at least a byte is in memory, in the order of their files; of several that
  /// share their bytes in the file, only the first.
  std::vector<HeldTensor> tensors;
  std::size_t listed = 0;          ///< Tensors in those files; those sharing bytes count once.
  std::uint64_t listed_bytes = 0;  ///< Their bytes in the files.
  std::uint64_t bytes = 0;         ///< Bytes of the footprint in such tensors.
};

/// Goes by where in its file each byte was read, copied from or is mapped, so bytes moved by a
/// program's own loops or in small pieces are not included. A block counts as holding what comes
/// into it later: an arena stands for its tensors from its allocation on.
/// @param sized blocks alive at that instant; ignored if their contents are known by their bytes.
HeldTensors tensors_held_at(LoadedTrace& trace,
                            const Instant& at,
                            std::span<const SizedBlock> sized);

}  // namespace tidemark::analyzer
