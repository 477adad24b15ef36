#include "tests/gui/window_at_work.hpp"

#include "analyzer/picture/drawing/theme.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <utility>

namespace tidemark::tests {
namespace {

/// Where text begins at the left edge of the window and of a popup in it: behind frames.
constexpr Span kLeftEdge{14, 220};

/// By its ground, as gui/app/platform/style.cpp has it, of which there is nothing else.
Area popup_in(const Picture& picture) {
  for (const picture::Theme* theme : {&picture::light_theme(), &picture::dark_theme()}) {
    const std::uint32_t ground = shown(picture::mixed(theme->phases[0], theme->background, 0.6));
    if (picture.count(shown(theme->background)) > picture.pixels.size() / 10) {
      return box_of(picture, ground);
    }
  }
  return {};
}

}  // namespace

bool can_play() {
  if (std::system("command -v Xvfb >/dev/null 2>&1 && command -v xdotool >/dev/null 2>&1") == 0) {
    return true;
  }
  SKIP_TEST("somebody at the window, there is no Xvfb or no xdotool here");
  return false;
}

WindowAtWork::WindowAtWork() {
  std::filesystem::create_directory(file("screen"));
  std::filesystem::create_directory(file("work"));
  // The server itself chooses a number that is free, and says which one.
  Command server;
  server.words = {"Xvfb",   "-displayfd",   "1",        "-screen",   "0",         "1600x900x24",
                  "-fbdir", file("screen"), "-noreset", "-nocursor", "-nolisten", "tcp"};
  server.is_interactive = true;
  server_ = std::make_unique<RunningProgram>(server, file("server"));
  display_ = ":" + server_->read_line();
}

Command WindowAtWork::command(const std::vector<std::string>& arguments) const {
  Command command;
  command.words = {TIDEMARK_GUI};
  command.words.insert(command.words.end(), arguments.begin(), arguments.end());
  command.environment = {"DISPLAY=" + display_, "WAYLAND_DISPLAY",
                         "XDG_CONFIG_HOME=" + file("config")};
  command.folder = file("work");
  return command;
}

void WindowAtWork::open(const std::vector<std::string>& arguments) {
  window_ = std::make_unique<RunningProgram>(command(arguments), file("window"));
  wait_until_seen();
}

RunningProgram& WindowAtWork::open_by(const std::vector<std::string>& words) {
  Command opener = command({});
  opener.words = words;
  opener.is_interactive = true;
  window_ = std::make_unique<RunningProgram>(opener, file("window"));
  wait_until_seen();
  return *window_;
}

pid_t WindowAtWork::drawing_pid() const {
  return static_cast<pid_t>(std::stol(xdotool({"getwindowpid", id_})));
}

void WindowAtWork::wait_until_seen() {
  const bool came = wait_until([&] {
    id_ = xdotool({"search", "--onlyvisible", "--name", "^tidemark"});
    return !id_.empty();
  });
  if (!came) {
    throw std::runtime_error("no window came: " + read_text(file("window.err")));
  }
  xdotool({"windowfocus", "--sync", id_});
  if (!wait_until([&] { return !lines().empty(); })) {
    throw std::runtime_error("the window stays empty");
  }
}

void WindowAtWork::close() {
  window_->signal(SIGTERM);
  window_->wait();
  window_.reset();
}

bool WindowAtWork::is_running() const {
  // A process that has ended and that nobody has waited for is there too, but has no memory.
  return !read_text("/proc/" + std::to_string(pid()) + "/maps").empty();
}

Picture WindowAtWork::look() const {
  return read_xwd(file("screen/Xvfb_screen0"));
}

Picture WindowAtWork::look_when_still() const {
  Picture last;
  comes_to_rest(
      [&] {
        last = look();
        return last.pixels;
      },
      std::chrono::milliseconds(500));
  return last;
}

Picture WindowAtWork::look_when(const std::function<bool(const Picture&)>& shows) const {
  (void)wait_until([&] { return shows(look()); });
  return look_when_still();
}

gui::ViewState WindowAtWork::saved(const std::string& trace) const {
  const std::string file = trace + ".view.json";
  std::filesystem::remove(file);
  press("s");
  auto state = gui::parse_state("");
  if (!wait_until([&] { return (state = gui::parse_state(read_text(file))).ok(); })) {
    throw std::runtime_error("no view was saved: " + state.error().message);
  }
  return state.value();
}

std::string WindowAtWork::title() const {
  return xdotool({"getwindowname", id_});
}

bool WindowAtWork::is_called(const std::string& title) const {
  return wait_until([&] { return this->title() == title; });
}

std::vector<Span> WindowAtWork::lines() const {
  const Picture picture = look();
  return lines_in(picture, {kLeftEdge, {0, picture.height}});
}

bool WindowAtWork::has_lines(std::size_t count) const {
  const bool has = wait_until([&] { return lines().size() == count; });
  if (!has) {
    std::cout << "there are " << lines().size() << " lines, not " << count << '\n';
  }
  return has;
}

void WindowAtWork::point(int x, int y) const {
  xdotool({"mousemove", std::to_string(x), std::to_string(y)});
}

void WindowAtWork::click(int x, int y) const {
  xdotool({"mousemove", std::to_string(x), std::to_string(y), "click", "1"});
}

void WindowAtWork::drag(const std::pair<int, int>& from, const std::pair<int, int>& to) const {
  constexpr int kSteps = 4;
  point(from.first, from.second);
  (void)look_when_still();
  xdotool({"mousedown", "1"});
  for (int step = 1; step <= kSteps; ++step) {
    point(from.first + (to.first - from.first) * step / kSteps,
          from.second + (to.second - from.second) * step / kSteps);
    (void)look_when_still();
  }
  xdotool({"mouseup", "1"});
}

void WindowAtWork::drag_with(const std::string& key,
                             const std::pair<int, int>& from,
                             const std::pair<int, int>& to) const {
  xdotool({"keydown", key});
  drag(from, to);
  xdotool({"keyup", key});
}

void WindowAtWork::press(const std::string& key) const {
  xdotool({"key", key});
}

void WindowAtWork::type(const std::string& text) const {
  xdotool({"type", "--delay", "30", text});
}

void WindowAtWork::do_at_once(const std::vector<std::string>& words) const {
  window_->signal(SIGSTOP);
  xdotool(words);
  window_->signal(SIGCONT);
}

void WindowAtWork::press_button(std::size_t index) const {
  constexpr std::size_t kButtons = 5;
  constexpr int kMinWidthPixels = 30;
  constexpr int kMinHeightPixels = 60;
  const Picture picture = look();
  const std::uint32_t background = main_colour(picture, all_of(picture));
  for (int y = 0; y < kMinHeightPixels; ++y) {
    const auto rims =
        stretches(picture, y, {picture.width / 2, picture.width}, kMinWidthPixels, background);
    if (rims.size() == kButtons) {
      return click(rims.at(index).middle(), y + 4);
    }
  }
  throw std::runtime_error("no buttons at the top");
}

Popup WindowAtWork::popup(std::size_t lines) const {
  Popup popup;
  const bool came = wait_until([&] {
    const Picture now = look();
    popup.area = popup_in(now);
    const int left = popup.area.across.begin;
    const Area text{{left + kLeftEdge.begin, left + kLeftEdge.end}, popup.area.down};
    popup.lines =
        popup.area.across.size() > kLeftEdge.end ? lines_in(now, text) : std::vector<Span>();
    return popup.lines.size() == lines;
  });
  if (!came) {
    throw std::runtime_error("no popup of " + std::to_string(lines) + " lines, but of " +
                             std::to_string(popup.lines.size()));
  }
  return popup;
}

bool WindowAtWork::has_no_popup() const {
  return wait_until([&] { return popup_in(look()).across.size() == 0; });
}

Area WindowAtWork::popup_area() const {
  return popup_in(look_when_still());
}

Picture WindowAtWork::photograph(const std::string& trace, std::vector<std::string> options) const {
  const std::string png = file("window.png");
  options.insert(options.end(), {trace, "--screenshot", png});
  const Outcome said = run(command(options), file("photograph"));
  if (said.status != 0) {
    throw std::runtime_error("no picture: " + said.err);
  }
  return read_png(png);
}

/// What it prints, without the end of its last line.
std::string WindowAtWork::xdotool(const std::vector<std::string>& words) const {
  Command command;
  command.words = {"xdotool"};
  command.words.insert(command.words.end(), words.begin(), words.end());
  command.environment = {"DISPLAY=" + display_};
  std::string said = run(command, file("xdotool")).out;
  said.erase(std::min(said.find('\n'), said.size()));
  return said;
}

}  // namespace tidemark::tests
