/// Goes to places that were found by name.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/steering/message.hpp"
#include "gui/view/session/find_anything.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::gui {

struct Arrival {
  std::optional<Pane> pane{};        ///< The pane that shows it; none: any pane.
  std::optional<Message> message{};  ///< What cannot be shown.
  /// The block to pin, of the chosen trace.
  std::optional<std::uint64_t> block{};
};

class Way {
 public:
  /// Chooses the place's trace, and brings its time, if it has one, into view. For a tensor,
  /// `settle` does so later, once its block is known.
  Arrival go_to(const Desk& desk, const Place& place);
  /// Goes to the largest block of the chosen trace at its peak, perhaps later as well.
  Arrival go_to_largest(const Desk& desk);
  /// Call in each frame: goes on once the answer it waits for has come.
  Arrival settle(const Desk& desk);
  /// Stops waiting.
  void give_up() { *this = {}; }

 private:
  Arrival go_to_tensor(const Desk& desk, const Place& tensor);
  Arrival go_to_largest_of(const Desk& desk, const BlockList* blocks);
  Arrival pin(const Desk& desk, std::uint64_t allocation);
  void show_life(const Desk& desk);

  std::optional<Place> tensor_;         // Waits for its block.
  std::optional<std::size_t> largest_;  // The trace; waits for its blocks.
  std::optional<std::uint64_t> block_;  // Pinned; waits for its life.
  ViewRange from_;                      // The view when `block_` was pinned.
};

}  // namespace tidemark::gui
