#include "gui/app/bars/what_if_bar.hpp"

#include "analyzer/io/whole_file.hpp"
#include "analyzer/report/anatomy/what_if_text.hpp"
#include "gui/app/bars/sentence_bar.hpp"
#include "gui/app/panes/widgets.hpp"

#include <string>

namespace tidemark::gui {
namespace {

/// What `make` says of each trace of which something is taken away and what is left is known.
template <typename Make>
std::string texts_of(const Desk& desk, const Make& make) {
  std::string all;
  for (std::size_t side = 0; side < desk.session.size(); ++side) {
    const TraceFacts* const facts = desk.session.trace(side).facts();
    const auto left = desk.session.remaining_peak(side);
    const auto taken = taken_away(desk.state.unticked, side);
    if (facts != nullptr && left && !taken.empty()) {
      const std::string& path = desk.session.trace(side).path();
      all += (all.empty() ? "" : "\n") + make(facts->report, taken, left->lanes.footprint(),
                                              path.substr(path.find_last_of('/') + 1));
    }
  }
  return all;
}

std::string sentences(const Desk& desk) {
  return texts_of(desk,
                  [](const auto& report, const auto& taken, std::uint64_t bytes, const auto&) {
                    return analyzer::what_if_sentence(report, taken, bytes);
                  });
}

std::string text(const Desk& desk) {
  return texts_of(desk, [](const auto&... all) { return analyzer::what_if_text(all...); });
}

std::string markdown(const Desk& desk) {
  return texts_of(desk, [](const auto&... all) { return analyzer::what_if_markdown(all...); });
}

/// One for each that is taken away. @return what shall be put back.
std::optional<Unticked> show_taken(const Desk& desk) {
  ImGui::TextDisabled("taken away:");
  ImGui::SameLine();
  std::optional<Unticked> back;
  for (std::size_t i = 0; i < desk.state.unticked.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    const std::string label = "x  " + desk.state.unticked[i].text;
    const float width = ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
    if (i > 0 && width > ImGui::GetContentRegionAvail().x) {
      ImGui::NewLine();
    }
    if (ImGui::Button(label.c_str())) {
      back = desk.state.unticked[i];
    }
    if (ImGui::IsItemHovered()) {
      ImGui::SetTooltip("put it back");
    }
    ImGui::SameLine(0, static_cast<float>(desk.look.px(4)));
    ImGui::PopID();
  }
  return back;
}

std::optional<Message> show_what_if_buttons(const Desk& desk) {
  std::optional<Message> message;
  ImGui::SameLine(0, ImGui::GetFontSize());
  if (switch_button("copy", false)) {
    ImGui::SetClipboardText(text(desk).c_str());
  }
  if (switch_button("copy markdown", false)) {
    ImGui::SetClipboardText(markdown(desk).c_str());
  }
  if (switch_button("save", false)) {
    message = save_what_if(desk);
  }
  if (switch_button("put all back", false)) {
    desk.state.unticked.clear();
  }
  ImGui::NewLine();
  return message;
}

}  // namespace

std::optional<Message> show_what_if(const Desk& desk) {
  if (desk.state.unticked.empty()) {
    return std::nullopt;
  }
  const std::string known = sentences(desk);
  show_sentence(desk, known.empty() ? "recomputing the load without it ..." : known,
                desk.look.theme.less);
  const auto back = show_taken(desk);
  auto message = show_what_if_buttons(desk);
  if (back) {
    toggle(desk.state.unticked, *back);
  }
  return message;
}

Message save_what_if(const Desk& desk) {
  const std::string said = markdown(desk);
  if (said.empty()) {
    return {desk.state.unticked.empty()
                ? "nothing is taken away: untick a finding, a row of the table or a block first"
                : "the load without it is still being recomputed",
            true};
  }
  const std::string file = desk.session.trace(0).path() + ".what-if.md";
  return message_of(analyzer::write_whole_file(file, said), "wrote " + file);
}

}  // namespace tidemark::gui
