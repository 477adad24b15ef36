// What a person has taken away, and what is left.
#include "analyzer/io/whole_file.hpp"
#include "analyzer/report/anatomy/what_if_text.hpp"
#include "gui/app/main_view.hpp"
#include "gui/app/panes/widgets.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::gui {
namespace {

/// What `make` says of each trace of which something is taken away and what is left is known.
template <typename Make>
std::string texts_of(const Session& session, const ViewState& state, const Make& make) {
  std::string all;
  for (std::size_t side = 0; side < session.size(); ++side) {
    const TraceFacts* const facts = session.trace(side).facts();
    const auto left = session.remaining_peak(side);
    const auto taken = taken_away(state.unticked, side);
    if (facts != nullptr && left && !taken.empty()) {
      const std::string& path = session.trace(side).path();
      all += (all.empty() ? "" : "\n") + make(facts->report, taken, left->lanes.footprint(),
                                              path.substr(path.find_last_of('/') + 1));
    }
  }
  return all;
}

}  // namespace

/// Once for each change of what is unticked, and where a trace has become known or has grown.
void MainView::take_away() {
  for (std::size_t side = 0; side < session_->size(); ++side) {
    const TraceFacts* const facts = session_->trace(side).facts();
    auto& known = taken_.at(side);
    if (facts == nullptr || (known.facts == facts && known.unticked == state_.unticked)) {
      continue;
    }
    known = {facts, state_.unticked};
    session_->take_away(side, removal_of(state_.unticked, side, facts->report));
  }
}

void MainView::what_if_bar(const Desk& desk) {
  if (state_.unticked.empty()) {
    return;
  }
  const std::string sentences =
      texts_of(*session_, state_,
               [](const auto& report, const auto& taken, std::uint64_t bytes, const auto&) {
                 return analyzer::what_if_sentence(report, taken, bytes);
               });
  bar(sentences.empty() ? "recomputing the load without it ..." : sentences, desk.look.theme.less,
      desk);
  ImGui::TextDisabled("taken away:");
  ImGui::SameLine();
  std::optional<Unticked> back;
  for (std::size_t i = 0; i < state_.unticked.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    const std::string label = "x  " + state_.unticked[i].text;
    const float width = ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
    if (i > 0 && width > ImGui::GetContentRegionAvail().x) {
      ImGui::NewLine();
    }
    if (ImGui::Button(label.c_str())) {
      back = state_.unticked[i];
    }
    if (ImGui::IsItemHovered()) {
      ImGui::SetTooltip("put it back");
    }
    ImGui::SameLine(0, static_cast<float>(desk.look.px(4)));
    ImGui::PopID();
  }
  what_if_buttons();
  if (back) {
    toggle(state_.unticked, *back);
  }
}

std::string MainView::what_if_markdown() const {
  return texts_of(*session_, state_,
                  [](const auto&... all) { return analyzer::what_if_markdown(all...); });
}

void MainView::save_what_if() {
  const std::string text = what_if_markdown();
  if (text.empty()) {
    return say(state_.unticked.empty()
                   ? "nothing is taken away: untick a finding, a row of the table or a block first"
                   : "the load without it is still being recomputed");
  }
  const std::string file = session_->trace(0).path() + ".what-if.md";
  message_ = message_of(analyzer::write_whole_file(file, text), "wrote " + file);
}

void MainView::what_if_buttons() {
  ImGui::SameLine(0, ImGui::GetFontSize());
  if (switch_button("copy", false)) {
    ImGui::SetClipboardText(texts_of(*session_, state_, [](const auto&... all) {
                              return analyzer::what_if_text(all...);
                            }).c_str());
  }
  if (switch_button("copy markdown", false)) {
    ImGui::SetClipboardText(what_if_markdown().c_str());
  }
  if (switch_button("save", false)) {
    save_what_if();
  }
  if (switch_button("put all back", false)) {
    state_.unticked.clear();
  }
  ImGui::NewLine();
}

/// The pinned block, else the finding that lowers the peak most.
void MainView::untick_next() {
  const TraceFacts* const facts = session_->trace(state_.side).facts();
  if (facts == nullptr) {
    return;
  }
  if (const auto next = largest_ticked(state_.unticked, facts->report, state_.side)) {
    toggle(state_.unticked, unticked_finding(facts->report, state_.side, *next));
  } else {
    message_ = {"no finding is left that lowers the peak; untick a row of the table, or a block",
                false};
  }
}

}  // namespace tidemark::gui
