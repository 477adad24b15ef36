// What a frame of the window sees of what a person did.
#include "gui/view/basics/input_queue.hpp"

#include "tests/support/catch.hpp"

#include <cstddef>
#include <vector>

using namespace tidemark::gui;

namespace {

using Kind = InputEvent::Kind;

constexpr bool kReleased = false;
constexpr bool kPressed = true;

InputEvent move_to(double x) {
  return {.kind = Kind::kMove, .x = x};
}

InputEvent button(bool is_down) {
  return {.kind = Kind::kButton, .is_down = is_down};
}

InputEvent key(int code, bool is_down) {
  return {.kind = Kind::kKey, .code = code, .is_down = is_down};
}

InputEvent text(int character) {
  return {.kind = Kind::kText, .code = character};
}

const InputEvent kScrolled{.kind = Kind::kScroll, .y = 1};

/// How many events each frame sees.
std::vector<std::size_t> frames_of(const std::vector<InputEvent>& events) {
  InputQueue queue;
  for (const InputEvent& event : events) {
    queue.push(event);
  }
  std::vector<std::size_t> sizes;
  while (!queue.empty()) {
    sizes.push_back(queue.take_turn().size());
  }
  return sizes;
}

}  // namespace

TEST_CASE("an empty queue of input has nothing for a frame") {
  InputQueue queue;
  CHECK(queue.empty());
  CHECK(queue.take_turn().empty());
}

TEST_CASE("events come out in the order in which they went in") {
  InputQueue queue;
  for (const double x : {1.0, 2.0, 3.0}) {
    queue.push(move_to(x));
  }
  const auto turn = queue.take_turn();
  REQUIRE(turn.size() == 3);
  CHECK(turn[0].x == 1.0);
  CHECK(turn[2].x == 3.0);
  CHECK(queue.empty());
}

TEST_CASE("a press that is shorter than a frame is seen, where the pointer was") {
  // Somebody clicks at 1 and is at 2 before the next frame.
  CHECK(frames_of({move_to(1), button(kPressed), button(kReleased), move_to(2)}) ==
        std::vector<std::size_t>{2, 1, 1});
  CHECK(frames_of({kScrolled, kScrolled, move_to(2)}) == std::vector<std::size_t>{2, 1});
  CHECK(frames_of({button(kPressed), kScrolled}) == std::vector<std::size_t>{1, 1});
  CHECK(frames_of({kScrolled, button(kPressed)}) == std::vector<std::size_t>{1, 1});
}

TEST_CASE("what is typed after a click comes a frame later than the click") {
  CHECK(frames_of({button(kPressed), text('a')}) == std::vector<std::size_t>{1, 1});
  CHECK(frames_of({button(kPressed), key('A', kPressed)}) == std::vector<std::size_t>{1, 1});
  CHECK(frames_of({text('a'), button(kPressed)}) == std::vector<std::size_t>{1, 1});
  CHECK(frames_of({key('A', kPressed), button(kPressed)}) == std::vector<std::size_t>{1, 1});
}

TEST_CASE("a key that goes down and up is down for a frame, with what was held beside it") {
  constexpr int kControl = 341;
  CHECK(frames_of({key(kControl, kPressed), key('A', kPressed), key(kControl, kReleased),
                   key('A', kReleased)}) == std::vector<std::size_t>{1, 1, 2});
  CHECK(frames_of({key('A', kReleased), key('B', kPressed), text('b'), key('B', kReleased)}) ==
        std::vector<std::size_t>{3, 1});
  // A key after a letter may take that letter away.
  constexpr int kBackspace = 259;
  CHECK(frames_of({text('a'), key(kBackspace, kPressed)}) == std::vector<std::size_t>{1, 1});
}
