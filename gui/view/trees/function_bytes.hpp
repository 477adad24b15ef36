/// What is held through each function of a trace, also through those called by the asking function,
/// which trees leave out.
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

  /// `load_all`, `loader.cpp:40`: each once, in whatever modules and inlined calls it occurs.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& functions() const {
    return functions_;
  }
  /// By function: the bytes of all stacks through it; a stack counts once even if the function
  /// recurs in it. Work: linear in the trace's tree of stacks.
  /// @param definitions those of the constructor.
  [[nodiscard]] std::vector<std::uint64_t> held(const NamedStacks& stacks,
                                                const trace::Definitions& definitions) const;

 private:
  std::vector<std::pair<std::string, std::string>> functions_;
  std::vector<std::size_t> begins_;  // By FrameId, and one more: its begin in `ids_`.
  std::vector<std::uint32_t> ids_;   // Functions of all frames, frame after frame.
};

}  // namespace tidemark::gui
