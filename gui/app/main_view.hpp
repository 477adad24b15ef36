/// Everything that the window shows of one or two traces, and its keys.
#pragma once

#include "gui/app/dialogs/dialogs.hpp"
#include "gui/app/notes_book.hpp"
#include "gui/app/pane_tabs.hpp"
#include "gui/app/panes/desk.hpp"
#include "gui/app/panes/timeline/minimap_pane.hpp"
#include "gui/app/panes/timeline/timeline_pane.hpp"
#include "gui/app/picture_export.hpp"
#include "gui/app/settings.hpp"
#include "gui/app/steering/alignment.hpp"
#include "gui/app/steering/keys.hpp"
#include "gui/app/steering/message.hpp"
#include "gui/app/steering/navigation.hpp"
#include "gui/app/steering/places.hpp"
#include "gui/app/steering/removals.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {

/// Connects the parts of the window: their requests to each other pass through here.
class MainView {
 public:
  /// `settings` stays borrowed. `wake`: see TraceWorker.
  MainView(std::unique_ptr<Session> session,
           const ViewState& state,
           Settings& settings,
           const std::function<void()>& wake);

  /// Draws one frame. `seconds` since the last one; `keys`: pressed since then (see Window).
  void show(const Fonts& fonts,
            const picture::Type& type,
            double seconds,
            const std::vector<int>& keys);
  /// Takes the workers' answers. @return true when there is something new to show.
  bool update() { return session_->update(); }

  /// True while something moves, so the next frame must follow at once.
  [[nodiscard]] bool is_moving() const { return glide_.is_moving() || tabs_.looks_elsewhere(); }
  /// True while something may become ready without a further `wake`.
  [[nodiscard]] bool must_poll() const { return tabs_.is_busy(); }
  /// True when there is nothing to wait for but input.
  [[nodiscard]] bool is_idle() const { return session_->is_idle() && !must_poll(); }
  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] Glide& glide() { return glide_; }
  [[nodiscard]] ViewState& state() { return state_; }
  /// What went wrong, in one sentence.
  void say(std::string trouble) { message_ = {std::move(trouble), true}; }
  /// See PaneTabs.
  void turn_to(Pane pane) { tabs_.turn_to(pane); }
  /// The traces to open instead.
  std::optional<std::vector<std::string>> take_wanted() { return std::exchange(wanted_, {}); }

 private:
  void prepare(const Desk& desk, double seconds);
  void window(const Desk& desk, const std::vector<int>& keys);
  void bars(const Desk& desk);
  void timeline_and_panes(const Desk& desk);
  void foot(const Desk& desk);
  void dialogs(const Desk& desk, float top);
  void obey(const Desk& desk, const Asked& asked);
  void obey(const Desk& desk, Command command);
  void arrive(const Desk& desk, const Arrival& arrival);
  void escape();
  void save_state();
  void tell(std::optional<Message> message);

  std::unique_ptr<Session> session_;
  ViewState state_;
  Settings& settings_;
  Glide glide_;
  Navigation navigation_;
  Alignment alignment_;
  Removals removals_;
  Way way_;
  NotesBook notes_;
  SourceExcerpts sources_;
  TimelinePane timeline_;
  MinimapPane minimap_;
  PaneTabs tabs_;
  Dialogs dialogs_;
  PictureExport export_;
  Message message_;  // The last one.
  std::optional<std::vector<std::string>> wanted_;
  bool wants_save_ = false;
  float foot_height_ = 0;  // In the last frame.
};

}  // namespace tidemark::gui
