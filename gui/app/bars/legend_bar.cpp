#include "gui/app/bars/legend_bar.hpp"

#include "gui/app/panes/timeline/timeline_pane.hpp"
#include "gui/app/panes/toolbar.hpp"
#include "gui/app/panes/widgets.hpp"

#include <string>

namespace tidemark::gui {

std::optional<picture::Align> show_switches(const Desk& desk) {
  const picture::Align before = desk.session.alignment();
  picture::Align align = before;
  Toolbar bar(desk);
  bar.label("footprint by");
  for (const analyzer::LayerGrouping grouping : analyzer::kLayerGroupings) {
    bar.choice(std::string(analyzer::grouping_word(grouping)), grouping, desk.state.by);
  }
  if (desk.session.size() > 1) {
    bar.apart();
    bar.label("align by");
    bar.choice("time", picture::Align::kTime, align);
    bar.choice("phase", picture::Align::kPhase, align);
    bar.choice("bytes read", picture::Align::kBytes, align);
    bar.apart();
    bar.choice("apart", false, desk.state.overlaid);
    bar.choice("overlaid", true, desk.state.overlaid);
    bar.apart();
    bar.label("details of");
    bar.choice("before", std::size_t{0}, desk.state.side);
    bar.choice("after", std::size_t{1}, desk.state.side);
  }
  bar.show();
  return align == before ? std::nullopt : std::optional(align);
}

void show_legend(const Desk& desk, std::optional<double> pointed_at) {
  // The timeline needs the room.
  const int most_rows = is_low(desk) ? 1 : 2;
  const picture::Box place = rest_of_window();
  picture::Scene scene;
  const double height =
      draw_timeline_legend(scene, legend_of(desk, pointed_at), place, most_rows, desk.look);
  paint(*ImGui::GetWindowDrawList(), scene, desk.fonts);
  ImGui::Dummy({static_cast<float>(place.width), static_cast<float>(height)});
}

}  // namespace tidemark::gui
