#include "gui/view/basics/input_queue.hpp"

#include <algorithm>

namespace tidemark::gui {
namespace {

using Kind = InputEvent::Kind;

bool has(const std::vector<InputEvent>& turn, Kind kind) {
  return std::ranges::any_of(turn, [&](const InputEvent& event) { return event.kind == kind; });
}

bool has_same(const std::vector<InputEvent>& turn, const InputEvent& wanted) {
  return std::ranges::any_of(turn, [&](const InputEvent& event) {
    return event.kind == wanted.kind && event.code == wanted.code;
  });
}

bool has_key_press(const std::vector<InputEvent>& turn) {
  return std::ranges::any_of(
      turn, [](const InputEvent& event) { return event.kind == Kind::kKey && event.is_down; });
}

/// Whether a frame that shows `turn` can also show `next` as coming after all of it.
bool fits_behind(const std::vector<InputEvent>& turn, const InputEvent& next) {
  switch (next.kind) {
    case Kind::kMove:  // Presses and scrolls need the pointer as it was then.
      return !has(turn, Kind::kButton) && !has(turn, Kind::kScroll);
    case Kind::kButton:
      return !has_same(turn, next) && !has(turn, Kind::kKey) && !has(turn, Kind::kText) &&
             !has(turn, Kind::kScroll);
    case Kind::kScroll:
      return !has(turn, Kind::kButton);
    case Kind::kKey:  // A click may move the focus, which decides who gets later keys; and other
                      // keys held down change what a key press means.
      return !has_key_press(turn) && !has(turn, Kind::kButton) && !has(turn, Kind::kText);
    case Kind::kText:
      return !has(turn, Kind::kButton);
  }
  return false;
}

}  // namespace

std::vector<InputEvent> InputQueue::take_turn() {
  std::vector<InputEvent> turn;
  while (!waiting_.empty() && (turn.empty() || fits_behind(turn, waiting_.front()))) {
    turn.push_back(waiting_.front());
    waiting_.pop_front();
  }
  return turn;
}

}  // namespace tidemark::gui
