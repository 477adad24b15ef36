#include "gui/app/dialogs/export_dialog.hpp"

#include "gui/view/session/picture_name.hpp"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <imgui.h>
#include <imgui_stdlib.h>

namespace tidemark::gui {

std::optional<WantedPicture> ExportDialog::show(const Desk& desk) {
  std::vector<std::string> traces;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    traces.push_back(desk.session.trace(side).path());
  }
  const std::string suggested = picture_name(traces);
  if (std::exchange(suggested_, suggested) != suggested) {
    file_ = suggested;
  }
  ImGui::TextUnformatted("Export a picture of what is shown now, as");
  ImGui::SetNextItemWidth(static_cast<float>(desk.look.px(360)));
  ImGui::InputText("##file", &file_);
  ImGui::SameLine();
  const bool wants_timeline = ImGui::Button("the timeline");
  ImGui::SameLine();
  const bool wants_pane = ImGui::Button("the pane below");
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  ImGui::TextDisabled("SVG or PNG, as the name ends; into %s", folder.c_str());
  if (!wants_timeline && !wants_pane) {
    return std::nullopt;
  }
  return WantedPicture{file_, !wants_timeline};
}

}  // namespace tidemark::gui
