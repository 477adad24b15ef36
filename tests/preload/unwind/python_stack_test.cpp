// The frames of interpreters that are made up here: no machine that runs these tests has all the
// versions.
#include "preload/unwind/python_stack.hpp"

#include "preload/python/code_table.hpp"
#include "preload/wire/stack_table.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <cstring>
#include <vector>

#include <pthread.h>

using namespace tidemark;
using unwind::PythonStack;

namespace {

/// Bytes with fields at the offsets of a layout.
class Block {
 public:
  template <typename Value>
  void set(std::uint32_t offset, Value value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
  }
  [[nodiscard]] std::uint64_t address() const {
    return reinterpret_cast<std::uint64_t>(bytes_.data());
  }

 private:
  alignas(16) std::array<std::byte, 1024> bytes_{};
};

std::uint32_t g_next_number = 0;

std::uint32_t tell(std::uint64_t code, const python::Runtime&) {
  python::keep_code_number(code, ++g_next_number);
  return g_next_number;
}

void dealloc(void*) {}

/// One thread of an interpreter: its state, code objects, and walks over its frames.
class Thread {
 public:
  explicit Thread(std::uint32_t version) {
    runtime_.layout = *python::find_layout(version);
    runtime_.base = base_.address();
    runtime_.code_type = type_.address();
    if (layout().auto_key != 0) {
      REQUIRE(pthread_key_create(&key_, nullptr) == 0);
      pthread_setspecific(key_, reinterpret_cast<void*>(state_.address()));
      base_.set(layout().auto_key, std::int32_t{1});
      base_.set(layout().auto_key + 4, key_);
    } else {
      state_of_thread = state_.address();
      runtime_.state_distance = reinterpret_cast<std::int64_t>(&state_of_thread) -
                                reinterpret_cast<std::int64_t>(__builtin_thread_pointer());
    }
    state_.set(layout().thread_id, reinterpret_cast<std::uint64_t>(__builtin_thread_pointer()));
    type_.set(python::kTypeDealloc, &dealloc);
    REQUIRE(python::watch_code_objects(type_.address()));
    for (Block& code : codes_) {
      code.set(python::kObjectReferences, std::uint64_t{1});
      code.set(python::kObjectType, type_.address());
    }
  }
  ~Thread() {
    if (layout().auto_key != 0)
      pthread_key_delete(key_);
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  Thread(Thread&&) = delete;
  Thread& operator=(Thread&&) = delete;

  [[nodiscard]] const python::Layout& layout() const { return runtime_.layout; }
  [[nodiscard]] std::uint64_t code(std::size_t i) const { return codes_.at(i).address(); }
  [[nodiscard]] PythonStack& stack() { return *stack_; }

  /// The code units of a walk, the outermost first.
  std::vector<std::uint64_t> walk() {
    stack_->begin(runtime_, tell, 0);
    std::vector<std::uint64_t> units;
    for (std::uint32_t i = 0; i < stack_->frame_count(); ++i)
      units.push_back(stack_->frame(i).address);
    return units;
  }

 protected:
  Block& state() { return state_; }
  [[nodiscard]] const Block& state() const { return state_; }

 private:
  static thread_local std::uint64_t state_of_thread;

  pthread_key_t key_ = 0;
  python::Runtime runtime_;
  Block base_;
  Block state_;
  Block type_;
  std::vector<Block> codes_ = std::vector<Block>(4);
  std::unique_ptr<PythonStack> stack_ = std::make_unique<PythonStack>();
};

thread_local std::uint64_t Thread::state_of_thread = 0;

/// Of Python 3.10: anchors and frames side by side, the outermost first.
class Interpreter : public Thread {
 public:
  Interpreter() : Thread(0x030a) { point(); }

  /// A call of the evaluator: an anchor and a frame.
  void call(std::size_t code, std::int32_t unit) {
    add_anchor();
    Block& frame = frames_.at(frame_count_);
    frame.set(layout().frame_previous, frame_count_ > 0 ? frames_[frame_count_ - 1].address() : 0);
    ++frame_count_;
    go_to(code, unit);
    point();
  }
  /// Where the innermost frame is.
  void go_to(std::size_t code, std::int32_t unit) {
    frames_[frame_count_ - 1].set(layout().frame_code, this->code(code));
    frames_[frame_count_ - 1].set(layout().frame_instruction, unit);
  }
  /// An anchor that no frame belongs to.
  void add_anchor() {
    places_.push_back(places_.size());
    link_anchors();
  }
  /// The same call's anchor is at another place now.
  void move_anchor(std::size_t i) {
    places_.at(i) += kCalls;
    link_anchors();
  }
  void end_call() {
    places_.pop_back();
    --frame_count_;
    point();
  }
  /// What is in memory that was never written to: nobody must take it for the list's end.
  void fill_root(std::uint64_t rubbish) {
    state().set(layout().root_anchor + layout().anchor_previous, rubbish);
  }

  [[nodiscard]] std::uint64_t anchor(std::size_t i) const {
    return anchors_.at(places_.at(i)).address();
  }

 private:
  static constexpr std::size_t kCalls = 8;

  [[nodiscard]] std::uint64_t root() const { return state().address() + layout().root_anchor; }
  void link_anchors() {
    for (std::size_t i = 0; i < places_.size(); ++i)
      anchors_.at(places_[i]).set(layout().anchor_previous, i > 0 ? anchor(i - 1) : root());
    point();
  }
  void point() {
    state().set(layout().start, places_.empty() ? root() : anchor(places_.size() - 1));
    state().set(layout().start_frame, frame_count_ > 0 ? frames_[frame_count_ - 1].address() : 0);
  }

  std::vector<Block> anchors_ = std::vector<Block>(2 * kCalls);
  std::vector<Block> frames_ = std::vector<Block>(kCalls);
  std::vector<std::size_t>
      places_;  ///< In anchors_, of each anchor in the list, the outermost first.
  std::size_t frame_count_ = 0;
};

/// Of Python 3.14 or 3.15: one list of frames, with a call's anchor behind its frames.
class NewInterpreter : public Thread {
 public:
  explicit NewInterpreter(std::uint32_t version) : Thread(version) {
    if (version >= 0x030f)
      add_anchor();  // the list's end, in the thread's state
  }

  /// What a call of the evaluator puts in front of its frames.
  void add_anchor() {
    add_frame();
    frames_[count_ - 1].set(layout().frame_owner, python::kOwnedByCStack);
  }
  void call(std::size_t code, std::uint64_t unit) {
    add_frame();
    frames_[count_ - 1].set(layout().frame_code, this->code(code) | 1);
    go_to(code, unit);
  }
  void go_to(std::size_t code, std::uint64_t unit) {
    frames_[count_ - 1].set(layout().frame_instruction,
                            this->code(code) + layout().code_begin + 2 * unit);
  }

  [[nodiscard]] std::uint64_t frame(std::size_t i) const { return frames_.at(i).address(); }

 private:
  void add_frame() {
    Block& added = frames_.at(count_);
    added.set(layout().frame_previous, count_ > 0 ? frames_[count_ - 1].address() : 0);
    ++count_;
    state().set(layout().start, added.address());
  }

  std::vector<Block> frames_ = std::vector<Block>(16);
  std::size_t count_ = 0;
};

/// What a walk says of a frame in this code object, whose number is known, at this unit.
std::uint64_t node_of(const Thread& python, std::size_t code, std::uint64_t unit) {
  const std::uint32_t number = python::find_code(python.code(code)).number;
  REQUIRE(number != 0);
  return wire::name_python_frame(number, unit);
}

}  // namespace

TEST_CASE("a frame of Python 3.10 belongs to the anchor beside it", "[python]") {
  Interpreter python;
  python.fill_root(0x1111111111111111);
  CHECK(python.walk().empty());
  python.call(0, 3);
  python.call(1, 7);
  const auto found = python.walk();
  CHECK(found == std::vector{node_of(python, 0, 3), node_of(python, 1, 7)});
  REQUIRE(python.stack().run_count() == 2);
  CHECK(python.stack().run(0).anchor == python.anchor(0));
  CHECK(python.stack().run(1).anchor == python.anchor(1));
  CHECK(python.walk() == found);
  CHECK(python.stack().held_frames() == 2);
}

TEST_CASE("a frame of Python 3.10 at the place of another is not taken for that", "[python]") {
  Interpreter python;
  python.call(0, 3);
  python.call(1, 7);
  REQUIRE(python.walk().size() == 2);
  const bool is_another_code = GENERATE(false, true);
  python.go_to(is_another_code ? 2 : 1, is_another_code ? 7 : 8);
  const auto found = python.walk();
  CHECK(found == std::vector{node_of(python, 0, 3),
                             is_another_code ? node_of(python, 2, 7) : node_of(python, 1, 8)});
  CHECK(python.stack().held_frames() == 1);
  python.end_call();
  const auto left = python.walk();
  CHECK(left == std::vector{node_of(python, 0, 3)});
}

TEST_CASE("what Python 3.10 has not begun is not shown", "[python]") {
  Interpreter python;
  python.call(0, 3);
  python.call(1, -1);
  const auto found = python.walk();
  CHECK(found == std::vector{node_of(python, 0, 3), std::uint64_t{0}});
}

TEST_CASE("where Python 3.10 has more anchors than frames nothing is said", "[python]") {
  Interpreter python;
  const bool is_greenlet = GENERATE(false, true);
  python.add_anchor();
  if (!is_greenlet)
    python.add_anchor();
  python.call(0, 3);
  const auto found = python.walk();
  if (is_greenlet)  // one of its own, before the root
    CHECK(found == std::vector{node_of(python, 0, 3)});
  else
    CHECK(found.empty());
}

TEST_CASE("a frame of Python 3.10 whose anchor has moved is read anew", "[python]") {
  Interpreter python;
  python.call(0, 3);
  python.call(1, 7);
  const auto found = python.walk();
  python.move_anchor(1);
  CHECK(python.walk() == found);
  CHECK(python.stack().run(1).anchor == python.anchor(1));
  CHECK(python.stack().held_frames() == 1);
  python.move_anchor(0);
  CHECK(python.walk() == found);
  CHECK(python.stack().run(0).anchor == python.anchor(0));
}

TEST_CASE("frames of Python 3.14 and 3.15 are those of the anchor behind them", "[python]") {
  const std::uint32_t version = GENERATE(0x030eU, 0x030fU);
  CAPTURE(version);
  NewInterpreter python(version);
  CHECK(python.walk().empty());
  const std::size_t first = version < 0x030f ? 0 : 1;
  python.add_anchor();
  python.call(0, 3);
  python.call(1, 7);
  python.add_anchor();
  python.call(2, 9);
  const auto found = python.walk();
  CHECK(found == std::vector{node_of(python, 0, 3), node_of(python, 1, 7), node_of(python, 2, 9)});
  REQUIRE(python.stack().run_count() == 2);
  CHECK(python.stack().run(0).anchor == python.frame(first));
  CHECK(python.stack().run(1).anchor == python.frame(first + 3));
}

TEST_CASE("what did not change in a stack of Python 3.14 or 3.15 is not read again", "[python]") {
  const std::uint32_t version = GENERATE(0x030eU, 0x030fU);
  CAPTURE(version);
  NewInterpreter python(version);
  python.add_anchor();
  python.call(0, 3);
  python.call(1, 7);
  const auto found = python.walk();
  CHECK(python.walk() == found);
  CHECK(python.stack().held_frames() == 2);
  python.go_to(1, 8);
  const auto moved = python.walk();
  CHECK(moved == std::vector{node_of(python, 0, 3), node_of(python, 1, 8)});
  CHECK(python.stack().held_frames() == 1);
  python.add_anchor();
  CHECK(python.walk() == moved);  // the call that begins has no frame yet
  python.call(3, 1);
  CHECK(python.walk().size() == 3);
  CHECK(python.stack().held_frames() == 2);
}
