#include "gui/app/application.hpp"

#include "analyzer/io/whole_file.hpp"
#include "gui/app/main_view.hpp"
#include "gui/app/platform/picture_file.hpp"
#include "gui/app/platform/window.hpp"
#include "gui/app/start_view.hpp"
#include "gui/app/tour.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <utility>

namespace tidemark::gui {
namespace {

using Clock = std::chrono::steady_clock;

/// Processor time of all threads.
double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

ReadAs read_as(const Options& options) {
  using analyzer::FrameChoice;
  ReadAs how{.model = options.model};
  if (options.frames != "both") {
    how.frames = options.frames == "python" ? FrameChoice::kPython : FrameChoice::kNative;
  }
  return how;
}

Result<ViewState> first_state(const Options& options, const Settings& settings) {
  ViewState state;
  state.dark = settings.dark;
  if (!options.state.empty()) {
    const auto text = analyzer::read_whole_file(options.state);
    if (!text.ok()) {
      return text.error();
    }
    auto parsed = parse_state(text.value());
    if (!parsed.ok()) {
      return Error{parsed.error().code, options.state + ": " + parsed.error().message};
    }
    state = parsed.value();
  }
  state.pane = pane_named(options.pane).value_or(state.pane);
  state.by = analyzer::grouping_named(options.by).value_or(state.by);
  if (!options.theme.empty()) {
    state.dark = options.theme == "dark";
  }
  return state;
}

/// False for screenshots and tours: they must not depend on what was done before.
bool remembers(const Options& options) {
  return options.screenshot.empty() && !options.tour;
}

/// A window and what it shows: traces, or what to open.
class Application {
 public:
  Application(const Options& options,
              Settings& settings,
              const ViewState& state,
              std::unique_ptr<Window> window)
      : options_(options),
        settings_(settings),
        state_(state),
        window_(std::move(window)),
        type_(screen_type(options.scale > 0 ? options.scale : window_->content_scale())),
        fonts_(type_),
        start_(state.dark) {}

  void show(std::unique_ptr<Session> session) {
    if (view_) {
      state_ = for_other_traces(view_->state());
    }
    view_ = std::make_unique<MainView>(std::move(session), state_, settings_, Window::wake);
    take_names();
  }

  void run() {
    while (!window_->should_close()) {
      draw_until_settled();
      wait_for_news();
    }
  }

  Status take_screenshot() {
    constexpr double kPatience = 120;
    const Clock::time_point begin = Clock::now();
    Pixels pixels;
    // Widgets need a frame or two to settle, and may ask for more.
    for (int settled = 0; settled < 4; ++settled) {
      frame(&pixels);
      window_->wait(0);
      while (!view_->is_idle()) {
        if (seconds_since(begin) > kPatience) {
          return Error{ErrorCode::kIo, "the trace took more than two minutes to read"};
        }
        // Draws only when needed: with software OpenGL, drawing takes time from the worker.
        window_->wait(0.1);
        if (view_->update() || view_->must_poll()) {
          frame(nullptr);
        }
        settled = 0;
      }
      view_->update();
    }
    const auto png = png_of(pixels);
    if (!png.ok()) {
      return png.error();
    }
    return analyzer::write_whole_file(options_.screenshot, png.value());
  }

  void tour() {
    run_tour(*view_, [this] {
      window_->wait(0);
      update();
      frame(nullptr);
    });
  }

 private:
  /// Draws until all input is shown, and a few frames more, which widgets need to settle: input
  /// that arrives meanwhile must not wait for the next event.
  void draw_until_settled() {
    constexpr int kSettling = 3;
    for (int left = kSettling; left > 0 && !window_->should_close(); --left) {
      window_->wait(0);
      frame(nullptr);
      if (update() || has_input_ || window_->has_waiting_input() || (view_ && view_->is_moving())) {
        left = kSettling;
      }
    }
  }

  /// Updates the title and the list of recent traces. A recording changes its name when it ends.
  void take_names() {
    std::string names;
    const Session& session = view_->session();
    for (std::size_t side = 0; side < session.size(); ++side) {
      const std::string& path = session.trace(side).path();
      settings_.remember(path);
      names += (names.empty() ? "" : " and ") + path.substr(path.find_last_of('/') + 1);
    }
    if (std::exchange(names_, names) == names) {
      return;
    }
    window_->set_title("tidemark: " + names);
    if (remembers(options_)) {
      save_settings(settings_);
    }
  }

  /// Waits until there may be something to draw. A wait that ran into its timeout brought no input.
  void wait_for_news() {
    bool has_news = false;
    while (!has_news) {
      const double longest = patience();
      const Clock::time_point begin = Clock::now();
      window_->wait(longest);
      const bool was_woken = longest < 0 || seconds_since(begin) < longest;
      has_news = update() || was_woken || (view_ && view_->must_poll());
    }
  }

  /// The longest wait, in seconds; below 0: for ever.
  [[nodiscard]] double patience() const {
    if (!view_) {
      return -1;
    }
    return view_->must_poll() ? 0.1 : view_->session().is_recording() ? 0.5 : -1;
  }

  /// @return true when there is something new to show.
  bool update() {
    auto wanted = view_ ? view_->take_wanted() : start_.take_wanted();
    if (auto dropped = window_->take_dropped(); !dropped.empty()) {
      dropped.resize(std::min<std::size_t>(dropped.size(), 2));
      wanted = std::move(dropped);
    }
    if (wanted) {
      open(*wanted);
      return true;
    }
    return view_ && (view_->update() || follow());
  }

  /// Reads a growing recording again, using at most a twentieth of a processor's time, and one that
  /// has ended at once. @return true if it did.
  bool follow() {
    constexpr double kPauses = 20;
    constexpr double kLongestPause = 10;
    const double used = processor_seconds();
    const double pause = std::min(kPauses * (used - used_when_followed_), kLongestPause);
    const bool is_due = seconds_since(followed_) >= pause || view_->session().has_ended();
    if (!is_due || !view_->is_idle() || !view_->session().follow()) {
      return false;
    }
    followed_ = Clock::now();
    used_when_followed_ = used;
    take_names();
    return true;
  }

  void open(const std::vector<std::string>& files) {
    auto session = Session::open(files, read_as(options_), Window::wake);
    if (session.ok()) {
      show(std::move(session.value()));
    } else if (view_) {
      view_->say(session.error().message);
    } else {
      start_.say(session.error().message);
    }
  }

  void frame(Pixels* pixels) {
    const double seconds = seconds_since(last_);
    last_ = Clock::now();
    window_->begin_frame();
    const std::vector<int> keys = window_->pressed_keys();
    has_input_ = !keys.empty() || Window::has_input();
    if (view_) {
      view_->show(fonts_, type_, seconds, keys);
    } else {
      start_.show(fonts_, type_, settings_.recent);
    }
    const bool dark = view_ ? view_->state().dark : state_.dark;
    window_->end_frame((dark ? picture::dark_theme() : picture::light_theme()).background, pixels);
  }

  const Options& options_;
  Settings& settings_;
  ViewState state_;
  std::unique_ptr<Window> window_;
  picture::Type type_;
  Fonts fonts_;
  StartView start_;
  std::unique_ptr<MainView> view_;  // Null: nothing is open.
  std::string names_;               // In the title.
  bool has_input_ = false;          // The last frame saw input.
  Clock::time_point followed_ = Clock::now();
  double used_when_followed_ = processor_seconds();
  Clock::time_point last_ = Clock::now();
};

}  // namespace

Status run_application(const Options& options) {
  Settings settings = remembers(options) ? load_settings() : Settings{};
  const auto state = first_state(options, settings);
  if (!state.ok()) {
    return state.error();
  }
  std::unique_ptr<Session> session;
  if (!options.files.empty()) {
    auto opened = Session::open(options.files, read_as(options), Window::wake);
    if (!opened.ok()) {
      return opened.error();
    }
    session = std::move(opened.value());
  }
  auto window = Window::open(
      {.width = options.width, .height = options.height, .hidden = !options.screenshot.empty()});
  if (!window.ok()) {
    return window.error();
  }
  Application application(options, settings, state.value(), std::move(window.value()));
  if (session) {
    application.show(std::move(session));
  }
  if (!options.screenshot.empty()) {
    return application.take_screenshot();
  }
  if (options.tour) {
    application.tour();
    return success();
  }
  application.run();
  save_settings(settings);
  return success();
}

}  // namespace tidemark::gui
