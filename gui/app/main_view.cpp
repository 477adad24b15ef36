#include "gui/app/main_view.hpp"

#include "analyzer/io/whole_file.hpp"
#include "gui/app/bars/legend_bar.hpp"
#include "gui/app/bars/reasons.hpp"
#include "gui/app/bars/sentence_bar.hpp"
#include "gui/app/bars/splitter.hpp"
#include "gui/app/bars/top_bar.hpp"
#include "gui/app/bars/what_if_bar.hpp"
#include "gui/app/platform/style.hpp"

#include <algorithm>
#include <variant>

#include <imgui.h>

namespace tidemark::gui {
namespace {

bool is_escape(const Asked& asked) {
  const auto* const command = std::get_if<Command>(&asked);
  return command != nullptr && *command == Command::kEscape;
}

}  // namespace

MainView::MainView(std::unique_ptr<Session> session,
                   const ViewState& state,
                   Settings& settings,
                   const std::function<void()>& wake)
    : session_(std::move(session)),
      state_(state),
      settings_(settings),
      glide_(state.range),
      alignment_(state.align),
      tabs_(session_->size(), wake) {
  turn_to(state.pane);
  state_.side = std::min(state_.side, session_->size() - 1);
}

void MainView::show(const Fonts& fonts,
                    const picture::Type& type,
                    double seconds,
                    const std::vector<int>& keys) {
  const picture::MeasureText measure = fonts.measure();
  const Look look{state_.dark ? picture::dark_theme() : picture::light_theme(), type, measure,
                  state_.dark};
  apply_style(look);
  const auto layers = session_->layers(analyzer::LayerGrouping::kFunction);
  const LayerColours colours =
      layers == nullptr ? LayerColours() : LayerColours(*layers, look.theme);
  if (const std::string trouble = notes_.read(*session_); !trouble.empty()) {
    say(trouble);
  }
  const Desk desk{*session_,           state_,  glide_,   look,        fonts,
                  export_.pane_wish(), colours, sources_, notes_.all()};
  prepare(desk, seconds);
  window(desk, keys);
  state_.range = glide_.goal();
  // Saved once the tabs have turned: a tab is turned one frame after the key was pressed.
  if (wants_save_ && !tabs_.is_turning()) {
    wants_save_ = false;
    save_state();
  }
}

/// Does what follows from the passing of time and from new answers.
void MainView::prepare(const Desk& desk, double seconds) {
  if (session_->has_facts()) {
    tell(alignment_.settle(desk));
  }
  if (removals_.take_away(desk) && message_.is_of_removals) {
    message_ = {};
  }
  arrive(desk, way_.settle(desk));
  glide_.step(seconds);
  navigation_.keep_range(desk);
}

void MainView::window(const Desk& desk, const std::vector<int>& keys) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.WorkPos);
  ImGui::SetNextWindowSize(viewport.WorkSize);
  ImGui::Begin("tidemark", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoScrollWithMouse |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  const bool is_typing = ImGui::GetIO().WantTextInput || Dialogs::takes_letters();
  for (const Asked& asked : asked_by(keys)) {
    if (!is_typing) {
      obey(desk, asked);
    } else if (is_escape(asked)) {
      // In a text field, ImGui's Escape only reverts the text: the popup would stay and swallow the
      // next click.
      static_cast<void>(dialogs_.close());
    }
  }
  if (const auto pressed = show_top_bar(desk)) {
    obey(desk, *pressed);
  }
  const float below_top_bar = ImGui::GetCursorScreenPos().y;
  bars(desk);
  timeline_and_panes(desk);
  foot(desk);
  if (ImGui::GetScrollMaxY() > 0 && ImGui::IsWindowHovered()) {
    // Only over the bars: over the timeline the wheel zooms.
    ImGui::SetScrollY(ImGui::GetScrollY() -
                      ImGui::GetIO().MouseWheel * static_cast<float>(desk.look.px(40)));
  }
  if (!tabs_.is_turning()) {
    tell(export_.end());
  }
  dialogs(desk, below_top_bar);
  ImGui::End();
}

void MainView::bars(const Desk& desk) {
  if (const auto pane = show_reasons(desk)) {
    turn_to(*pane);
  }
  show_warnings(desk);
  if (const auto align = show_switches(desk)) {
    tell(alignment_.change(desk, *align));
  }
  show_legend(desk, timeline_.pointed_at());
}

/// Parts that appear and disappear with single keys take their space from the panes: nothing above
/// moves.
void MainView::foot(const Desk& desk) {
  const float top = ImGui::GetCursorPosY();
  show_message(desk, message_);
  tell(show_what_if(desk));
  foot_height_ = ImGui::GetCursorPosY() - top;
}

/// The details of a pinned block or layer are beside both timeline and pane, so that these keep one
/// common axis.
void MainView::timeline_and_panes(const Desk& desk) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float details =
      tabs_.has_details(desk) ? std::min(static_cast<float>(desk.look.px(430)), width * 0.4F) : 0;
  const Split split = split_height(state_, session_->size(), ImGui::GetContentRegionAvail().y,
                                   desk.look.type.scale);
  const float height = std::max(static_cast<float>(split.all) - foot_height_, 1.0F);
  // The same child with and without details: it remembers which tab is open.
  ImGui::BeginChild("beside", {width - details, height}, false,
                    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar);
  ImGui::BeginChild("timeline", {0, static_cast<float>(split.timeline)}, false,
                    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar);
  timeline_.show(desk);
  ImGui::EndChild();
  minimap_.show(desk);
  show_splitter(desk, split);
  tabs_.show(desk);
  ImGui::EndChild();
  if (details > 0) {
    ImGui::SameLine(0, static_cast<float>(desk.look.px(10)));
    ImGui::BeginChild("details", {0, height});
    tabs_.show_details(desk);
    ImGui::EndChild();
  }
}

void MainView::dialogs(const Desk& desk, float top) {
  auto choice = dialogs_.show(desk, settings_.recent, top);
  if (choice.traces) {
    wanted_ = std::move(choice.traces);
  }
  if (choice.picture) {
    tell(export_.begin(desk, timeline_, *choice.picture));
  }
  if (choice.place) {
    arrive(desk, way_.go_to(desk, *choice.place));
  }
  if (const auto& note = choice.note) {
    const std::string trouble = notes_.write(note->side, note->at_ns, note->text);
    message_ = {trouble, !trouble.empty()};
  }
}

void MainView::arrive(const Desk& desk, const Arrival& arrival) {
  tell(arrival.message);
  if (arrival.block) {
    tabs_.pin(desk, state_.side, *arrival.block);
  }
  if (arrival.pane) {
    turn_to(*arrival.pane);
  }
}

void MainView::obey(const Desk& desk, const Asked& asked) {
  if (const auto* const move = std::get_if<Move>(&asked)) {
    tell(navigation_.go(desk, *move));
    if (*move == Move::kBehindPeak) {
      turn_to(Pane::kHolders);
    }
  } else if (const auto* const tab = std::get_if<TabPlace>(&asked)) {
    tabs_.turn_to_tab(tab->place);
  } else {
    obey(desk, std::get<Command>(asked));
  }
}

void MainView::obey(const Desk& desk, Command command) {
  switch (command) {
    case Command::kOpen:
      return dialogs_.open(Dialog::kOpen);
    case Command::kExport:
      return dialogs_.open(Dialog::kExport);
    case Command::kFind:
      return dialogs_.open(Dialog::kFind);
    case Command::kKeys:
      return dialogs_.open(Dialog::kKeys);
    case Command::kNote:
      return dialogs_.open_note(desk, timeline_.pointed_at());
    case Command::kEscape:
      return escape();
    case Command::kTheme:
      state_.dark = settings_.dark = !state_.dark;
      return;
    case Command::kOverlay:
      state_.overlaid = !state_.overlaid;
      return;
    case Command::kOtherSide:
      state_.side = (state_.side + 1) % session_->size();
      return;
    case Command::kSaveView:
      wants_save_ = true;
      return;
    case Command::kTakeAway:
      return tell(untick_next(desk));
    case Command::kPutAllBack:
      return state_.unticked.clear();
    case Command::kSaveWhatIf:
      return tell(save_what_if(desk));
    case Command::kLargestBlock:
      return arrive(desk, way_.go_to_largest(desk));
  }
}

/// Closes the open dialog, or else resets what is chosen and the message.
void MainView::escape() {
  if (dialogs_.close()) {
    return;
  }
  way_.give_up();
  state_.cursor.reset();
  state_.selection.reset();
  state_.block.reset();
  tabs_.let_layer_go();
  message_ = {};
}

void MainView::save_state() {
  const std::string file = session_->trace(0).path() + ".view.json";
  const auto status = analyzer::write_whole_file(file, state_json(state_));
  tell(message_of(status, "saved " + file + "; show it again with --state"));
}

/// None leaves the last message.
void MainView::tell(std::optional<Message> message) {
  if (message) {
    message_ = std::move(*message);
  }
}

}  // namespace tidemark::gui
