/// The window on a display that nobody sees, and somebody who uses it.
#pragma once

#include "gui/view/session/view_state.hpp"
#include "tests/analyzer/trace_builder.hpp"
#include "tests/end_to_end/running_program.hpp"
#include "tests/gui/picture.hpp"
#include "tests/gui/reading.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::tests {

/// False, and it is said, where there is no Xvfb or no xdotool.
bool can_play();

/// True as soon as `value()` has been the same for `period`; false at the deadline.
template <typename Value>
bool comes_to_rest(const Value& value, std::chrono::milliseconds period) {
  auto last = value();
  auto since = std::chrono::steady_clock::now();
  return wait_until([&] {
    if (auto next = value(); next != last) {
      last = std::move(next);
      since = std::chrono::steady_clock::now();
    }
    return std::chrono::steady_clock::now() - since >= period;
  });
}

struct Popup {
  Area area;
  std::vector<Span> lines;
};

/// Has a folder of its own, in which the window runs and where its settings are, and can be opened
/// several times, one after the other.
class WindowAtWork {
 public:
  WindowAtWork();

  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  [[nodiscard]] std::string settings() const { return file("config/tidemark/gui.json"); }
  /// Of a file in the folder that the window runs in.
  [[nodiscard]] std::string path(const std::string& name) const { return file("work/" + name); }
  /// Copies a trace there.
  void bring(const std::string& trace, const std::string& name) const {
    std::filesystem::copy_file(trace, path(name));
  }

  /// Starts the window and waits until it is to be seen. Throws at the deadline.
  void open(const std::vector<std::string>& arguments = {});
  /// The same of a command that opens the window itself, with pipes to its program.
  RunningProgram& open_by(const std::vector<std::string>& words);
  /// Ends it as the end of a person's session does: what it shall remember it knows by then.
  void close();
  [[nodiscard]] pid_t pid() const { return window_->pid(); }
  /// Of the process that has drawn it, as X knows that.
  [[nodiscard]] pid_t drawing_pid() const;
  [[nodiscard]] bool is_running() const;
  [[nodiscard]] const std::string& display() const { return display_; }
  /// Of the window, as X knows it.
  [[nodiscard]] const std::string& id() const { return id_; }

  [[nodiscard]] Picture look() const;
  /// As soon as it has been the same for half a second: nothing more is coming.
  [[nodiscard]] Picture look_when_still() const;
  /// The same, once it `shows` what is to come, however long that takes; at the deadline as it is.
  [[nodiscard]] Picture look_when(const std::function<bool(const Picture&)>& shows) const;
  /// What it would show again, as it saves that beside a trace. Throws at the deadline.
  [[nodiscard]] gui::ViewState saved(const std::string& trace) const;
  [[nodiscard]] std::string title() const;
  /// True as soon as the title is that one.
  [[nodiscard]] bool is_called(const std::string& title) const;
  /// The lines of text at the window's left edge.
  [[nodiscard]] std::vector<Span> lines() const;
  /// True as soon as there are so many of them.
  [[nodiscard]] bool has_lines(std::size_t count) const;

  void point(int x, int y) const;
  void click(int x, int y) const;
  /// With the left button, and so slowly that a frame sees each part of it.
  void drag(const std::pair<int, int>& from, const std::pair<int, int>& to) const;
  /// The same with a key down all the time.
  void drag_with(const std::string& key,
                 const std::pair<int, int>& from,
                 const std::pair<int, int>& to) const;
  /// xdotool's name of a key: `e`, `ctrl+a`, `Escape`.
  void press(const std::string& key) const;
  void type(const std::string& text) const;
  /// xdotool's words for what is done while the window does not look, and then finds all at once.
  void do_at_once(const std::vector<std::string>& words) const;
  /// Presses one of the buttons at the top, counted from the left.
  void press_button(std::size_t index) const;
  /// What has popped up, as soon as it has so many lines. Throws at the deadline.
  [[nodiscard]] Popup popup(std::size_t lines) const;
  /// True as soon as there is none.
  [[nodiscard]] bool has_no_popup() const;
  /// Where a popup or a tooltip is now; empty: there is none.
  [[nodiscard]] Area popup_area() const;
  /// Takes a picture of the window, without showing one.
  [[nodiscard]] Picture photograph(const std::string& trace,
                                   std::vector<std::string> options = {}) const;

 private:
  [[nodiscard]] Command command(const std::vector<std::string>& arguments) const;
  std::string xdotool(const std::vector<std::string>& words) const;
  void wait_until_seen();

  TemporaryFolder folder_;
  std::string display_;
  std::string id_;
  std::unique_ptr<RunningProgram> server_;
  std::unique_ptr<RunningProgram> window_;
};

}  // namespace tidemark::tests
