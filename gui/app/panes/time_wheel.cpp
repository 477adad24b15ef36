#include "gui/app/panes/time_wheel.hpp"

#include <algorithm>
#include <cmath>

#include <imgui.h>

namespace tidemark::gui {

void take_wheel(const Desk& desk, const picture::Box& plot) {
  constexpr double kEachNotch = 0.8;
  const ImGuiIO& io = ImGui::GetIO();
  const double factor = std::pow(kEachNotch, static_cast<double>(io.MouseWheel));
  if (io.MouseWheel != 0 && io.KeyCtrl) {
    desk.state.height = std::clamp(desk.state.height * factor, kMinHeight, 1.0);
  } else if (io.MouseWheel != 0) {
    const double share = (static_cast<double>(io.MousePos.x) - plot.x) / plot.width;
    const double at = desk.glide.goal().x_at(std::clamp(share, 0.0, 1.0));
    desk.glide.go_to(zoomed(desk.glide.goal(), at, factor, desk.session.narrowest()));
  }
  if (io.MouseWheelH != 0) {
    desk.glide.go_to(panned(desk.glide.goal(),
                            0.1 * desk.glide.goal().width() * static_cast<double>(io.MouseWheelH)));
  }
}

}  // namespace tidemark::gui
