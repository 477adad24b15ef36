/// What a person did at keyboard and pointer, dealt out frame by frame.
///
/// A frame sees states: this button is down, that key is down. What goes down and up again between
/// two frames of a busy machine would be seen by none, and a letter that was typed after a click
/// could reach what had the focus before it. So each frame gets only what it can show in order; the
/// rest waits for the next one. (Dear ImGui does this itself from 1.87 on,
/// but for modifiers: see begin_imgui_frame.)
#pragma once

#include <deque>
#include <vector>

namespace tidemark::gui {

struct InputEvent {
  enum class Kind { kMove, kButton, kScroll, kKey, kText };

  Kind kind = Kind::kMove;
  double x = 0;          ///< kMove: where the pointer is now. kScroll: how far, to the right.
  double y = 0;          ///< The same, downwards; kScroll: upwards.
  int code = 0;          ///< kButton, kKey: which one. kText: the character, Unicode.
  int scancode = 0;      ///< kKey: the keyboard's own number of it.
  bool is_down = false;  ///< kButton, kKey: pressed, or held so long that it repeats.
  bool repeats = false;  ///< kKey.
  int modifiers = 0;     ///< kButton, kKey: held at that time.
};

/// Not for several threads.
class InputQueue {
 public:
  void push(const InputEvent& event) { waiting_.push_back(event); }
  [[nodiscard]] bool empty() const { return waiting_.empty(); }

  /// @return the oldest events, as many as one frame can show without losing one or their order.
  /// Never none while something waits.
  std::vector<InputEvent> take_turn();

 private:
  std::deque<InputEvent> waiting_;
};

}  // namespace tidemark::gui
