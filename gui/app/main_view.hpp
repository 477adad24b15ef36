/// All that the window shows of one or two traces, and its keys.
#pragma once

#include "gui/app/dialogs/dialogs.hpp"
#include "gui/app/notes_book.hpp"
#include "gui/app/panes/activity_pane.hpp"
#include "gui/app/panes/blocks/blocks_pane.hpp"
#include "gui/app/panes/blocks/pages_pane.hpp"
#include "gui/app/panes/desk.hpp"
#include "gui/app/panes/difference_pane.hpp"
#include "gui/app/panes/findings_pane.hpp"
#include "gui/app/panes/holders_pane.hpp"
#include "gui/app/panes/timeline/minimap_pane.hpp"
#include "gui/app/panes/timeline/timeline_pane.hpp"
#include "gui/app/panes/usage_pane.hpp"
#include "gui/app/picture_export.hpp"
#include "gui/app/settings.hpp"
#include "gui/app/steering/alignment.hpp"
#include "gui/app/steering/keys.hpp"
#include "gui/app/steering/message.hpp"
#include "gui/app/steering/navigation.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {

class MainView {
 public:
  /// `settings` stays borrowed. `wake`: see TraceWorker.
  MainView(std::unique_ptr<Session> session,
           const ViewState& state,
           Settings& settings,
           const std::function<void()>& wake);

  /// One frame. `seconds` since the last one; `keys` went down meanwhile (see Window).
  void show(const Fonts& fonts,
            const picture::Type& type,
            double seconds,
            const std::vector<int>& keys);
  /// Takes what the workers have found. @return true when there is something new to show.
  bool update() { return session_->update(); }

  /// True while something moves, so that the next frame must follow at once.
  [[nodiscard]] bool is_moving() const { return glide_.is_moving() || looks_elsewhere_; }
  /// True while something may become ready without a wake.
  [[nodiscard]] bool must_poll() const { return difference_.is_busy() || blocks_.is_busy(); }
  /// True when there is nothing to wait for but input.
  [[nodiscard]] bool is_idle() const { return session_->is_idle() && !must_poll(); }
  [[nodiscard]] Session& session() { return *session_; }
  [[nodiscard]] Glide& glide() { return glide_; }
  [[nodiscard]] ViewState& state() { return state_; }
  /// What went wrong, in one sentence.
  void say(std::string trouble) { message_ = {std::move(trouble), true}; }
  /// Nothing happens where there is no such pane: one trace has no difference.
  void turn_to(Pane pane) {
    if (pane != Pane::kDifference || session_->size() > 1) {
      turn_ = pane;
    }
  }
  /// Traces that shall be opened instead.
  std::optional<std::vector<std::string>> take_wanted() { return std::exchange(wanted_, {}); }

 private:
  void tell(std::optional<Message> message) {
    if (message) {
      message_ = std::move(*message);
    }
  }
  void top_bar(const Desk& desk);
  void reasons(const Desk& desk);
  void warnings(const Desk& desk);
  void bar(const std::string& text, const picture::Colour& colour, const Desk& desk);
  void take_away();
  void what_if_bar(const Desk& desk);
  void what_if_buttons();
  void untick_next();
  [[nodiscard]] std::string what_if_markdown() const;
  void save_what_if();
  void legend(const Desk& desk);
  void switches(const Desk& desk);
  void splitter(const Desk& desk, float height);
  float begin_beside_details(const Desk& desk);
  void details(const Desk& desk, float panel);
  void panes(const Desk& desk);
  void show_pane(const Desk& desk, Pane pane);
  void dialogs(const Desk& desk);
  void save_state();
  void obey(const Desk& desk, const Asked& asked);
  void obey(const Desk& desk, Command command);
  void take_escape();
  void look_at(const Desk& desk, const StackAt& wanted);

  std::unique_ptr<Session> session_;
  ViewState state_;
  Settings& settings_;
  Glide glide_;
  Navigation navigation_;
  Alignment alignment_;
  TimelinePane timeline_;
  MinimapPane minimap_;
  HoldersPane holders_;
  DifferencePane difference_;
  BlocksPane blocks_;
  ActivityPane activity_;
  FindingsPane findings_;
  UsagePane usage_;
  PagesPane pages_;
  SourceExcerpts sources_;
  /// What was taken away of each trace last, and of which facts.
  struct Taken {
    const TraceFacts* facts = nullptr;
    std::vector<Unticked> unticked;
  };
  std::array<Taken, 2> taken_;
  std::optional<std::vector<std::string>> wanted_;
  NotesBook notes_;
  Dialogs dialogs_;
  PictureExport export_;
  Message message_;               // What was done or went wrong last.
  std::optional<Pane> turn_;      // The tab to turn to.
  bool looks_elsewhere_ = false;  // The last frame has changed what the next one shows.
  float toolbar_bottom_ = 0;
  bool wants_save_ = false;
};

}  // namespace tidemark::gui
