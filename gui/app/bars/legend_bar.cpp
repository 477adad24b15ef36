#include "gui/app/bars/legend_bar.hpp"

#include "gui/app/panes/timeline/timeline_pane.hpp"
#include "gui/app/panes/widgets.hpp"

#include <string>

namespace tidemark::gui {

std::optional<picture::Align> show_switches(const Desk& desk) {
  const auto gap = static_cast<float>(desk.look.px(18));
  const picture::Align before = desk.session.alignment();
  picture::Align align = before;
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("footprint by");
  ImGui::SameLine();
  for (const analyzer::LayerGrouping grouping : analyzer::kLayerGroupings) {
    choice(std::string(analyzer::grouping_word(grouping)).c_str(), grouping, desk.state.by);
  }
  if (desk.session.size() > 1) {
    ImGui::SameLine(0, gap);
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("align by");
    ImGui::SameLine();
    choice("time", picture::Align::kTime, align);
    choice("phase", picture::Align::kPhase, align);
    choice("bytes read", picture::Align::kBytes, align);
    ImGui::SameLine(0, gap);
    choice("apart", false, desk.state.overlaid);
    choice("overlaid", true, desk.state.overlaid);
    ImGui::SameLine(0, gap);
    ImGui::TextDisabled("details of");
    ImGui::SameLine();
    choice("before", std::size_t{0}, desk.state.side);
    choice("after", std::size_t{1}, desk.state.side);
  }
  ImGui::NewLine();
  return align == before ? std::nullopt : std::optional(align);
}

void show_legend(const Desk& desk) {
  // The timeline needs the room.
  constexpr int kMostRows = 2;
  const picture::Box place = rest_of_window();
  picture::Scene scene;
  const double height = draw_timeline_legend(scene, legend_of(desk), place, kMostRows, desk.look);
  paint(*ImGui::GetWindowDrawList(), scene, desk.fonts);
  ImGui::Dummy({static_cast<float>(place.width), static_cast<float>(height)});
}

}  // namespace tidemark::gui
