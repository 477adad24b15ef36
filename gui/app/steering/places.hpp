/// The way to what was found by its name.
#pragma once

#include "gui/app/panes/desk.hpp"
#include "gui/app/steering/message.hpp"
#include "gui/view/session/find_anything.hpp"

#include <cstdint>
#include <optional>

namespace tidemark::gui {

struct Arrival {
  std::optional<Pane> pane{};        ///< In which it can be seen; none: in all of them.
  std::optional<Message> message{};  ///< What of it cannot be seen.
  /// To be pinned, of the chosen trace.
  std::optional<std::uint64_t> block{};
};

class Way {
 public:
  /// Brings its time, where it has one, into view, and chooses its trace. Which block holds a
  /// tensor is not known at once: `settle` goes there.
  Arrival go_to(const Desk& desk, const Place& place);
  /// To the largest block that the chosen trace has at its peak, the same.
  Arrival go_to_largest(const Desk& desk);
  /// Once a frame: goes on as soon as what it waits for is known.
  Arrival settle(const Desk& desk);
  /// Whoever waits for a way does not want it any more.
  void give_up() { *this = {}; }

 private:
  Arrival go_to_tensor(const Desk& desk, const Place& tensor);
  Arrival go_to_largest_of(const Desk& desk, const BlockList* blocks);
  Arrival pin(const Desk& desk, std::uint64_t allocation);
  void show_life(const Desk& desk);

  std::optional<Place> tensor_;         // Whose block is not known yet.
  std::optional<std::size_t> largest_;  // The trace of which no block is known yet.
  std::optional<std::uint64_t> block_;  // That is pinned, and shall come into view.
  ViewRange from_;                      // What was in view then.
};

}  // namespace tidemark::gui
