/// Keyboard and pointer input, dealt out frame by frame.
///
/// A frame sees only states: which buttons and keys are down. A press and release between two
/// frames of a busy machine would go unseen, and a letter typed after a click could reach the
/// widget that had the focus before. So each frame gets only what it can show in order; the rest
/// waits for the next frame. (Dear ImGui does this itself from 1.87 on, except for modifiers: see
/// begin_imgui_frame.)
#pragma once

#include <deque>
#include <vector>

namespace tidemark::gui {

struct InputEvent {
  enum class Kind { kMove, kButton, kScroll, kKey, kText };

  Kind kind = Kind::kMove;
  double x = 0;          ///< kMove: the pointer's position. kScroll: distance to the right.
  double y = 0;          ///< The same: position from the top; scroll distance upwards.
  int code = 0;          ///< kButton, kKey: which one. kText: the character, Unicode.
  int scancode = 0;      ///< kKey: the keyboard's own number for it.
  bool is_down = false;  ///< kButton, kKey: pressed, or repeating because it is held.
  bool repeats = false;  ///< kKey.
  int modifiers = 0;     ///< kButton, kKey: held at that time.
};

/// Not thread-safe.
class InputQueue {
 public:
  void push(const InputEvent& event) { waiting_.push_back(event); }
  [[nodiscard]] bool empty() const { return waiting_.empty(); }

  /// @return the oldest events, as many as one frame can show without losing an event or the order.
  /// At least one if any waits.
  std::vector<InputEvent> take_turn();

 private:
  std::deque<InputEvent> waiting_;
};

}  // namespace tidemark::gui
