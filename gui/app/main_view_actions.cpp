#include "analyzer/io/whole_file.hpp"
#include "analyzer/picture/drawing/canvas.hpp"
#include "analyzer/picture/drawing/svg.hpp"
#include "gui/app/main_view.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include <GLFW/glfw3.h>
#include <imgui_stdlib.h>

namespace tidemark::gui {
namespace {

struct Key {
  const char* keys;
  const char* does;
};

constexpr std::array kKeys{
    Key{"wheel", "zoom at the pointer"},
    Key{"drag", "pan"},
    Key{"click", "look at this instant: who holds what"},
    Key{"ctrl + drag", "look at a range: what was allocated, freed and kept"},
    Key{"double click, F", "the whole load"},
    Key{"P", "go to the peak"},
    Key{"left, right", "pan; with shift a whole window"},
    Key{"+, -", "zoom"},
    Key{"ctrl + wheel, ctrl + up, down", "zoom the sizes"},
    Key{"backspace, shift + backspace", "back and forward through what was in view"},
    Key{"below it, where zoomed", "the whole recording: drag what is in view, or its edges"},
    Key{"/, ctrl + F", "find a function, tensor, file, phase, thread or note"},
    Key{"N", "write a note at this instant, kept beside the trace"},
    Key{"[, ]", "to the note before, behind"},
    Key{"X, shift + X", "the peak without the largest finding; put all back"},
    Key{"Esc", "close what is open; back to the peak, no range"},
    Key{"1 to 7", "the panes below"},
    Key{"B", "details of the trace before, or after"},
    Key{"O", "two traces overlaid, or apart"},
    Key{"T", "light or dark"},
    Key{"S", "save this view, for --state"},
    Key{"shift + S", "save what is said of the load without what was taken away"},
    Key{"E", "export the picture as SVG or PNG"},
    Key{"?", "this list"},
};

}  // namespace

void MainView::take_key(const Desk& desk, int key) {
  const double all = glide_.goal().width();
  const double way = (ImGui::GetIO().KeyShift ? 1.0 : 0.1) * all;
  switch (key) {
    case GLFW_KEY_F:
      if (ImGui::GetIO().KeyCtrl) {
        return ImGui::OpenPopup("find");
      }
      state_.height = 1;
      return glide_.go_to({});
    case GLFW_KEY_BACKSPACE:
      return take_history();
    case GLFW_KEY_UP:
    case GLFW_KEY_DOWN:
      return zoom_sizes(key == GLFW_KEY_UP ? 0.8 : 1.25);
    case GLFW_KEY_X:
      if (ImGui::GetIO().KeyShift) {
        return state_.unticked.clear();
      }
      return untick_next();
    case GLFW_KEY_P:
      return go_to_peak(desk);
    case GLFW_KEY_LEFT:
      return glide_.go_to(panned(glide_.goal(), -way));
    case GLFW_KEY_RIGHT:
      return glide_.go_to(panned(glide_.goal(), way));
    case GLFW_KEY_ESCAPE:
      return take_escape();
    case GLFW_KEY_O:
      state_.overlaid = !state_.overlaid;
      return;
    case GLFW_KEY_B:
      state_.side = (state_.side + 1) % session_->size();
      return;
    case GLFW_KEY_T:
      state_.dark = settings_.dark = !state_.dark;
      return;
    case GLFW_KEY_S:
      if (ImGui::GetIO().KeyShift) {
        return save_what_if();
      }
      wants_save_ = true;
      return;
    case GLFW_KEY_E:
      return ImGui::OpenPopup("export");
    default:
      break;
  }
  const int pane = key - GLFW_KEY_1;
  if (pane >= 0 && pane < static_cast<int>(kPanes)) {
    turn_to(static_cast<Pane>(pane));
  }
}

void MainView::take_history() {
  const auto range = ImGui::GetIO().KeyShift ? history_.forward() : history_.back();
  if (range) {
    glide_.go_to(*range);
  }
}

void MainView::zoom_sizes(double factor) {
  if (ImGui::GetIO().KeyCtrl) {
    state_.height = std::clamp(state_.height * factor, kLeastHeight, 1.0);
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

/// Where these characters lie differs from keyboard to keyboard.
void MainView::take_typed() {
  const ViewRange& goal = glide_.goal();
  for (const ImWchar typed : ImGui::GetIO().InputQueueCharacters) {
    if (typed == '+' || typed == '-') {
      glide_.go_to(zoomed(goal, goal.x_at(0.5), typed == '+' ? 0.5 : 2.0, session_->narrowest()));
    } else if (typed == '?') {
      ImGui::OpenPopup("keys");
    } else if (typed == 'n') {
      open_note();
    } else if (typed == '[' || typed == ']') {
      go_to_note(typed == ']');
    } else if (typed == '/') {
      ImGui::OpenPopup("find");
    }
  }
}

/// Into the middle, close enough to see what led there.
void MainView::go_to_peak(const Desk& desk) {
  constexpr double kClose = 0.1;
  state_.cursor.reset();
  state_.selection.reset();
  const double peak = session_->x_of(state_.side, desk.chosen().subject().peak_at.at_ns);
  const double width = std::min(glide_.goal().width(), kClose);
  glide_.go_to(kept_on_axis({peak - width / 2, peak + width / 2}));
}

/// The instant, in view, and who held memory then.
void MainView::look_at(const Desk& desk, const StackAt& wanted) {
  const std::size_t side = state_.side;
  double x = session_->x_of(side, wanted.at_ns);
  // A place on the axis is coarser than the clock: not before what is to be seen.
  if (session_->ns_at(side, x) < wanted.at_ns) {
    x = session_->x_of(side, wanted.at_ns + 1);
  }
  look_at_instant(x);
  if (wanted.at_ns == desk.chosen().subject().peak_at.at_ns) {
    state_.cursor.reset();
  }
  looks_elsewhere_ = true;
  holders_.select(wanted);
  turn_to(Pane::kHolders);
}

void MainView::save_state() {
  const std::string file = session_->trace(0).path() + ".view.json";
  const auto status = analyzer::write_whole_file(file, state_json(state_));
  tell(status, "saved " + file + "; show it again with --state");
}

void MainView::tell(const Status& status, const std::string& done) {
  message_ = status.ok() ? Message{done} : Message{status.error().message, true};
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
    for (const Key& key : kKeys) {
      ImGui::TextUnformatted(key.keys);
      ImGui::SameLine(static_cast<float>(desk.look.px(210)));
      ImGui::TextDisabled("%s", key.does);
    }
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
    go_to_place(*place);
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
  tell(analyzer::write_whole_file(export_file_, bytes.value()), "wrote " + export_file_);
}

}  // namespace tidemark::gui
