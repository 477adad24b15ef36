#include "gui/app/start_view.hpp"

#include "gui/app/platform/style.hpp"

#include <imgui.h>

namespace tidemark::gui {

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
  ImGui::TextDisabled("Drag a trace in, or:");
  if (auto chosen = dialog_.show(look, recent)) {
    wanted_ = std::move(chosen);
  }
  if (!message_.empty()) {
    ImGui::TextWrapped("%s", message_.c_str());
  }
  ImGui::End();
}

}  // namespace tidemark::gui
