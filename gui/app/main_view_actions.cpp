#include "analyzer/io/whole_file.hpp"
#include "analyzer/picture/drawing/canvas.hpp"
#include "analyzer/picture/drawing/svg.hpp"
#include "gui/app/main_view.hpp"
#include "gui/app/steering/places.hpp"

#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include <imgui_stdlib.h>

namespace tidemark::gui {

void MainView::obey(const Desk& desk, const Asked& asked) {
  if (const auto* const move = std::get_if<Move>(&asked)) {
    tell(navigation_.go(desk, *move));
  } else if (const auto* const pane = std::get_if<Pane>(&asked)) {
    turn_to(*pane);
  } else {
    obey(std::get<Command>(asked));
  }
}

void MainView::obey(Command command) {
  switch (command) {
    case Command::kOpen:
      return ImGui::OpenPopup("open");
    case Command::kExport:
      return ImGui::OpenPopup("export");
    case Command::kFind:
      return ImGui::OpenPopup("find");
    case Command::kKeys:
      return ImGui::OpenPopup("keys");
    case Command::kNote:
      return open_note();
    case Command::kEscape:
      return take_escape();
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
      return untick_next();
    case Command::kPutAllBack:
      return state_.unticked.clear();
    case Command::kSaveWhatIf:
      return save_what_if();
  }
}

/// Away with the nearest: a popup, else what was chosen and said.
void MainView::take_escape() {
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) {
    closes_popup_ = true;
    return;
  }
  state_.cursor.reset();
  state_.selection.reset();
  state_.block.reset();
  message_ = {};
}

/// The instant, in view, and who held memory then.
void MainView::look_at(const Desk& desk, const StackAt& wanted) {
  look_at_ns(desk, wanted.at_ns);
  looks_elsewhere_ = true;
  holders_.select(wanted);
  turn_to(Pane::kHolders);
}

void MainView::save_state() {
  const std::string file = session_->trace(0).path() + ".view.json";
  const auto status = analyzer::write_whole_file(file, state_json(state_));
  message_ = message_of(status, "saved " + file + "; show it again with --state");
}

bool MainView::begin_popup(const char* name) const {
  const bool is_open = ImGui::BeginPopup(name);
  if (is_open && closes_popup_) {
    ImGui::CloseCurrentPopup();
  }
  return is_open;
}

void MainView::dialogs(const Desk& desk) {
  if (begin_popup("open")) {
    if (auto chosen = open_dialog_.show(desk.look, settings_.recent)) {
      wanted_ = std::move(chosen);
      ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
  }
  export_dialog(desk);
  find_dialog(desk);
  note_dialog(desk);
  if (begin_popup("keys")) {
    show_keys(desk.look);
    ImGui::EndPopup();
  }
  closes_popup_ = false;
}

void MainView::find_dialog(const Desk& desk) {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos({viewport.WorkPos.x + viewport.WorkSize.x / 2, toolbar_bottom_},
                          ImGuiCond_Always, {0.5F, 0});
  if (!begin_popup("find")) {
    return;
  }
  if (const auto place = find_dialog_.show(desk)) {
    const Arrival arrival = go_to(desk, *place);
    tell(arrival.message);
    if (arrival.pane) {
      turn_to(*arrival.pane);
    }
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

void MainView::export_dialog(const Desk& desk) {
  // Below its button, not over it.
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos({viewport.WorkPos.x + viewport.WorkSize.x, toolbar_bottom_},
                          ImGuiCond_Always, {1, 0});
  if (!begin_popup("export")) {
    return;
  }
  ImGui::TextUnformatted("Export a picture of what is shown now, as");
  ImGui::SetNextItemWidth(static_cast<float>(desk.look.px(360)));
  ImGui::InputText("##file", &export_file_);
  ImGui::SameLine();
  const bool wants_timeline = ImGui::Button("the timeline");
  ImGui::SameLine();
  const bool wants_pane = ImGui::Button("the pane below");
  if ((wants_timeline || wants_pane) && has_picture_ending()) {
    wants_timeline ? export_timeline(desk) : static_cast<void>(wish_.is_wanted = true);
  }
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  ImGui::TextDisabled("SVG or PNG, as the name ends; into %s", folder.c_str());
  if (wants_timeline || wants_pane) {
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

bool MainView::has_picture_ending() {
  const bool has = export_file_.ends_with(".svg") || export_file_.ends_with(".png");
  if (!has) {
    say("cannot tell what '" + export_file_ + "' shall be; end its name in .svg or .png");
  }
  return has;
}

void MainView::export_timeline(const Desk& desk) {
  constexpr double kWidth = 1200;
  constexpr double kHeight = 500;
  write_picture(timeline_.picture(desk, picture::cairo_measure(), kWidth, kHeight));
}

/// The frame has drawn the pane: what of it is a picture was taken.
void MainView::export_pane() {
  const PaneWish wish = std::exchange(wish_, {});
  if (wish.taken) {
    write_picture(*wish.taken);
  } else {
    say("this pane has no picture to export yet");
  }
}

void MainView::write_picture(const picture::Scene& scene) {
  constexpr double kPngScale = 2;
  const auto bytes = export_file_.ends_with(".svg")
                         ? Result<std::string>(picture::svg_document(scene))
                         : picture::png_of(scene, kPngScale);
  if (!bytes.ok()) {
    return say(bytes.error().message);
  }
  message_ =
      message_of(analyzer::write_whole_file(export_file_, bytes.value()), "wrote " + export_file_);
}

}  // namespace tidemark::gui
