#include "gui/app/start_view.hpp"

#include "gui/app/platform/style.hpp"

#include <array>

#include <imgui.h>

namespace tidemark::gui {
namespace {

struct Hint {
  const char* what;
  const char* how;
};

constexpr std::array kHints{
    Hint{"A trace is recorded by", "tidemark record -o load.tmk -- PROGRAM ..."},
    Hint{"Two loads are compared by", "tidemark view before.tmk after.tmk"},
    Hint{"A program can be watched while it runs", "tidemark view --record -- PROGRAM ..."},
    Hint{"In the window",
         "the wheel zooms, dragging pans, a click says who held the memory then;\n"
         "? lists all keys"},
};

/// Beside the list of files, if there is room.
void show_hints(const Look& look, const ImVec2& at) {
  const auto left = static_cast<float>(look.px(620));
  if (ImGui::GetWindowWidth() < left + static_cast<float>(look.px(460))) {
    return;
  }
  ImGui::SetCursorPos({left, at.y});
  ImGui::BeginGroup();
  for (const Hint& hint : kHints) {
    ImGui::TextDisabled("%s", hint.what);
    ImGui::TextUnformatted(hint.how);
    ImGui::Spacing();
  }
  ImGui::EndGroup();
}

}  // namespace

void StartView::show(const Fonts& fonts,
                     const picture::Type& type,
                     const std::vector<std::string>& recent) {
  const picture::MeasureText measure = fonts.measure();
  const Look look{dark_ ? picture::dark_theme() : picture::light_theme(), type, measure, dark_};
  apply_style(look);
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.WorkPos);
  ImGui::SetNextWindowSize(viewport.WorkSize);
  ImGui::Begin("start", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
  ImGui::PushFont(fonts.title());
  ImGui::TextUnformatted("tidemark");
  ImGui::PopFont();
  const ImVec2 below = ImGui::GetCursorPos();
  ImGui::TextDisabled("Drag a trace in, or:");
  if (auto chosen = dialog_.show(look, recent)) {
    wanted_ = std::move(chosen);
  }
  if (!message_.empty()) {
    ImGui::TextWrapped("%s", message_.c_str());
  }
  show_hints(look, below);
  ImGui::End();
}

}  // namespace tidemark::gui
