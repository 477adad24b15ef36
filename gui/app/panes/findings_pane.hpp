/// The report's sentences: why the peak is as high as it is, and how low it could be.
#pragma once

#include "gui/app/panes/desk.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::gui {

class FindingsPane {
 public:
  /// Into the rest of the current ImGui child. @return the stack to go to after a click.
  std::optional<StackAt> show(const Desk& desk);

 private:
  std::optional<StackAt> sentences(const Desk& desk, const analyzer::Report& report);
  static std::optional<StackAt> unexplained(const analyzer::Report& report);
  std::optional<StackAt> chain(const Desk& desk, const analyzer::Report& report);

  std::optional<std::size_t> hovered_;  // Index into the chain's nodes.
};

}  // namespace tidemark::gui
