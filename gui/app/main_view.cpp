#include "gui/app/main_view.hpp"

#include "gui/app/panes/widgets.hpp"
#include "gui/app/platform/style.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::gui {
namespace {

constexpr std::array<const char*, kPanes> kPaneNames{
    "Who holds it", "Difference",  "Blocks", "Threads and files",
    "Findings",     "Allocations", "Pages"};

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
      difference_(wake),
      blocks_(wake) {
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
  if (session_->has_facts()) {
    tell(alignment_.settle(desk));
  }
  take_away();
  glide_.step(seconds);
  looks_elsewhere_ = false;
  navigation_.keep_range(desk);
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.WorkPos);
  ImGui::SetNextWindowSize(viewport.WorkSize);
  ImGui::Begin("tidemark", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus);
  if (!ImGui::GetIO().WantTextInput) {
    for (const Asked& asked : asked_by(keys)) {
      obey(desk, asked);
    }
  }
  top_bar(desk);
  reasons(desk);
  warnings(desk);
  legend(desk);
  what_if_bar(desk);
  const float panel = begin_beside_details(desk);
  const float height = ImGui::GetContentRegionAvail().y;
  ImGui::BeginChild("timeline", {0, height * static_cast<float>(state_.timeline)}, false,
                    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar);
  timeline_.show(desk);
  ImGui::EndChild();
  minimap_.show(desk);
  splitter(desk, height);
  panes(desk);
  details(desk, panel);
  if (!turn_) {
    tell(export_.end());
  }
  dialogs(desk);
  ImGui::End();
  state_.range = glide_.goal();
  // What was pressed just before shall be in it: a tab is only turned to a frame later.
  if (wants_save_ && !turn_) {
    wants_save_ = false;
    save_state();
  }
}

/// Where a block is pinned, what is known of it stands beside the timeline and the pane below:
/// these keep one axis. @return the width of its panel; 0: there is none.
float MainView::begin_beside_details(const Desk& desk) {
  const float width = ImGui::GetContentRegionAvail().x;
  const float panel = BlocksPane::has_details(desk)
                          ? std::min(static_cast<float>(desk.look.px(430)), width * 0.4F)
                          : 0;
  // The same child with and without: it knows which tab is open.
  ImGui::BeginChild("beside", {width - panel, 0}, false,
                    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoScrollbar);
  return panel;
}

void MainView::details(const Desk& desk, float panel) {
  ImGui::EndChild();
  if (panel == 0) {
    return;
  }
  ImGui::SameLine(0, static_cast<float>(desk.look.px(10)));
  ImGui::BeginChild("details");
  if (const auto wanted = blocks_.show_details(desk)) {
    look_at(desk, *wanted);
  }
  ImGui::EndChild();
}

void MainView::splitter(const Desk& desk, float height) {
  const auto thickness = static_cast<float>(desk.look.px(5));
  ImGui::InvisibleButton("splitter", {ImGui::GetContentRegionAvail().x, thickness});
  const bool is_taken = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (is_taken) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  }
  // A short bar says that there is something to take.
  const ImVec2 from = ImGui::GetItemRectMin();
  const ImVec2 to = ImGui::GetItemRectMax();
  const auto half = static_cast<float>(desk.look.px(22));
  const auto thin = static_cast<float>(desk.look.px(1));
  const float middle = (from.x + to.x) / 2;
  ImGui::GetWindowDrawList()->AddRectFilled(
      {middle - half, (from.y + to.y) / 2 - thin}, {middle + half, (from.y + to.y) / 2 + thin},
      packed(picture::mixed(desk.look.theme.soft, desk.look.theme.background, is_taken ? 1 : 0.5)));
  if (ImGui::IsItemActive() && height > 1) {
    const auto by = static_cast<double>(ImGui::GetIO().MouseDelta.y / height);
    state_.timeline = std::clamp(state_.timeline + by, 0.15, 0.85);
  }
}

void MainView::panes(const Desk& desk) {
  ImGui::BeginChild("panes", {0, 0}, false, ImGuiWindowFlags_NoScrollWithMouse);
  if (ImGui::BeginTabBar("tabs")) {
    for (std::size_t i = 0; i < kPanes; ++i) {
      const auto pane = static_cast<Pane>(i);
      if (pane == Pane::kDifference && session_->size() < 2) {
        continue;
      }
      const auto flags = turn_ == pane ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None;
      if (ImGui::BeginTabItem(kPaneNames.at(i), nullptr, flags)) {
        if (!turn_ || turn_ == pane) {
          state_.pane = pane;
        }
        show_pane(desk, pane);
        ImGui::EndTabItem();
      }
    }
    ImGui::EndTabBar();
  }
  if (turn_ == state_.pane) {
    turn_.reset();
  }
  ImGui::EndChild();
}

void MainView::show_pane(const Desk& desk, Pane pane) {
  switch (pane) {
    case Pane::kHolders:
      if (const auto wanted = holders_.show(desk)) {
        look_at(desk, *wanted);
      }
      break;
    case Pane::kDifference:
      difference_.show(desk);
      break;
    case Pane::kBlocks:
      blocks_.show(desk);
      break;
    case Pane::kActivity:
      activity_.show(desk);
      break;
    case Pane::kFindings:
      if (const auto wanted = findings_.show(desk)) {
        look_at(desk, *wanted);
      }
      break;
    case Pane::kUsage:
      if (const auto wanted = usage_.show(desk)) {
        look_at(desk, *wanted);
      }
      break;
    case Pane::kPages:
      pages_.show(desk);
      break;
  }
}

}  // namespace tidemark::gui
