#include "gui/app/pane_tabs.hpp"

#include "gui/app/steering/navigation.hpp"

#include <array>

#include <imgui.h>

namespace tidemark::gui {
namespace {

constexpr std::array<const char*, kPanes> kPaneNames{
    "Who holds it", "Difference",  "Blocks", "Threads and files",
    "Findings",     "Allocations", "Pages"};

}  // namespace

void PaneTabs::show(const Desk& desk) {
  looks_elsewhere_ = false;
  ImGui::BeginChild("panes", {0, 0}, false, ImGuiWindowFlags_NoScrollWithMouse);
  if (ImGui::BeginTabBar("tabs")) {
    for (std::size_t tab = 0; const auto pane = pane_at(tab, has_difference_); ++tab) {
      show_tab(desk, tab, *pane);
    }
    ImGui::EndTabBar();
  }
  if (turn_ == desk.state.pane) {
    turn_.reset();
  }
  ImGui::EndChild();
}

void PaneTabs::show_tab(const Desk& desk, std::size_t tab, Pane pane) {
  const char* const name = kPaneNames.at(static_cast<std::size_t>(pane));
  const auto flags = turn_ == pane ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None;
  const bool is_open = ImGui::BeginTabItem(name, nullptr, flags);
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("key %zu", tab + 1);
  }
  if (!is_open) {
    return;
  }
  if (!turn_ || turn_ == pane) {
    desk.state.pane = pane;
  }
  look_at(desk, show_pane(desk, pane));
  ImGui::EndTabItem();
}

void PaneTabs::show_details(const Desk& desk) {
  look_at(desk, blocks_.show_details(desk));
}

std::optional<StackAt> PaneTabs::show_pane(const Desk& desk, Pane pane) {
  switch (pane) {
    case Pane::kHolders:
      return holders_.show(desk);
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
      return findings_.show(desk);
    case Pane::kUsage:
      return usage_.show(desk);
    case Pane::kPages:
      pages_.show(desk);
      break;
  }
  return std::nullopt;
}

/// Brings the wanted instant into view and turns to who held memory then.
void PaneTabs::look_at(const Desk& desk, const std::optional<StackAt>& wanted) {
  if (wanted) {
    look_at_ns(desk, wanted->at_ns);
    looks_elsewhere_ = true;
    holders_.select(*wanted);
    turn_to(Pane::kHolders);
  }
}

}  // namespace tidemark::gui
