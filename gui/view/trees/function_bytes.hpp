/// What is held through each function of a trace: also those inside of the one that asked, which
/// trees leave out.
#pragma once

#include "gui/view/trees/named_stacks.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {

class FunctionBytes {
 public:
  /// Names each frame of the trace once.
  explicit FunctionBytes(const trace::Definitions& definitions);

  /// `load_all`, `loader.cpp:40`: each once, whatever module or inlined call it is in.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& functions() const {
    return functions_;
  }
  /// By function: the bytes of all stacks through it, a recursive one once. Work: the trace's tree
  /// of stacks.
  /// @param definitions those of the constructor.
  [[nodiscard]] std::vector<std::uint64_t> held(const NamedStacks& stacks,
                                                const trace::Definitions& definitions) const;

 private:
  std::vector<std::pair<std::string, std::string>> functions_;
  std::vector<std::size_t> begins_;  // By FrameId, and one more: where in `ids_` it begins.
  std::vector<std::uint32_t> ids_;   // Functions of all frames, one behind the other.
};

}  // namespace tidemark::gui
