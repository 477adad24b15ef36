#include "gui/app/panes/findings_pane.hpp"

#include "analyzer/report/anatomy/anatomy_text.hpp"
#include "analyzer/report/facts/report_sentences.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/widgets.hpp"
#include "gui/view/chain/chain_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tidemark::gui {
namespace {

using analyzer::Finding;
using analyzer::Report;

void sentence(const std::string& text) {
  if (!text.empty()) {
    ImGui::TextWrapped("%s", in_lines(text, ImGui::GetContentRegionAvail().x).c_str());
  }
}

/// A warning to be read before any number, as below the headline of a report.
void show_warning(const Desk& desk, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text,
                        packed(picture::as_text(desk.look.theme.warning, desk.look.theme)));
  sentence(text);
  ImGui::PopStyleColor();
}

/// Why there are no findings: an empty pane would suggest that all is well.
std::string no_model_text(const picture::Subject& subject) {
  if (subject.model_bytes != 0) {
    return {};
  }
  return subject.model_advice.empty()
             ? "No file that the program read is known as its model, so there is nothing to "
               "compare the peak with: --model SIZE or FILE says what it is."
             : subject.model_advice;
}

/// A check box to take a finding away.
void show_tick(const Desk& desk, const Report& report, std::size_t finding) {
  if (report.anatomy.findings[finding].can_be_removed()) {
    tick(desk, unticked_finding(report, desk.state.side, finding),
         "untick it: what the peak would be without it");
  }
}

/// The title in a row with its bytes; below it, the report's text. @return true when clicked.
bool show_finding(const Desk& desk, const Report& report, const Finding& finding) {
  const ImVec2 at = ImGui::GetCursorPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float wrap = at.x + width;
  const std::string effect = analyzer::format_size(finding.bytes);
  const std::string text = in_lines(analyzer::finding_text(report, finding), width);
  const std::string advice = in_lines(analyzer::advice_text(report, finding), width);
  const float effect_width = ImGui::CalcTextSize(effect.c_str()).x;
  ImGui::PushFont(desk.fonts.title());
  const float title_width = ImGui::CalcTextSize(finding.title.c_str()).x;
  ImGui::PopFont();
  const auto gap = static_cast<float>(desk.look.px(10));
  const bool is_one_line = title_width + gap + effect_width <= width;
  const auto height_of = [width](const std::string& paragraph) {
    return paragraph.empty() ? 0
                             : ImGui::CalcTextSize(paragraph.c_str(), nullptr, false, width).y +
                                   ImGui::GetStyle().ItemSpacing.y;
  };
  const float height = ImGui::GetTextLineHeightWithSpacing() * (is_one_line ? 1.0F : 2.0F) +
                       height_of(text) + height_of(advice);
  const bool is_clicked =
      ImGui::Selectable("##finding", false, ImGuiSelectableFlags_None, {0, height});
  if (ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  const ImVec2 next = ImGui::GetCursorPos();
  ImGui::SetCursorPos(at);
  ImGui::PushFont(desk.fonts.title());
  ImGui::TextUnformatted(finding.title.c_str());
  ImGui::PopFont();
  if (is_one_line) {
    ImGui::SameLine(wrap - effect_width);
  }
  ImGui::TextUnformatted(effect.c_str());
  ImGui::PushTextWrapPos(wrap);
  ImGui::PushStyleColor(ImGuiCol_Text, packed(desk.look.theme.soft));
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  if (!advice.empty()) {
    ImGui::TextUnformatted(advice.c_str());
  }
  ImGui::PopTextWrapPos();
  ImGui::SetCursorPos({next.x, std::max(next.y, ImGui::GetCursorPosY())});
  return is_clicked;
}

}  // namespace

std::optional<StackAt> FindingsPane::show(const Desk& desk) {
  const TraceFacts* const facts = desk.chosen().facts();
  if (facts == nullptr) {
    show_waiting(desk.chosen(), Question::kFacts, "reading the trace ...");
    return std::nullopt;
  }
  const Report& report = facts->report;
  const bool has_chain = !report.anatomy.chain.empty();
  const float width = ImGui::GetContentRegionAvail().x;
  // In a small window the chain needs a larger share: cut names are useless.
  const float share = width < static_cast<float>(desk.look.px(1100)) ? 0.46F : 0.55F;
  ImGui::BeginChild("sentences", {has_chain ? width * share : width, 0});
  auto wanted = sentences(desk, report);
  ImGui::EndChild();
  if (has_chain) {
    ImGui::SameLine(0, static_cast<float>(desk.look.px(18)));
    ImGui::BeginChild("chain");
    if (auto node = chain(desk, report)) {
      wanted = std::move(node);
    }
    ImGui::EndChild();
  }
  return wanted;
}

std::optional<StackAt> FindingsPane::sentences(const Desk& desk, const Report& report) {
  std::optional<StackAt> wanted;
  sentence(analyzer::headline_of(report));
  sentence(analyzer::peak_sum_of(report));
  for (const std::string& warning : analyzer::warnings_of(report)) {
    // Losses of the trace are already shown above the timeline, with any pane.
    if (warning != desk.chosen().subject().warning) {
      show_warning(desk, warning);
    }
  }
  sentence(no_model_text(desk.chosen().subject()));
  for (std::size_t i = 0; i < report.anatomy.findings.size(); ++i) {
    const Finding& finding = report.anatomy.findings[i];
    ImGui::PushID(static_cast<int>(i));
    ImGui::Spacing();
    show_tick(desk, report, i);
    if (show_finding(desk, report, finding)) {
      wanted = {finding.at_ns, finding.frames};
    }
    ImGui::PopID();
  }
  ImGui::Spacing();
  sentence(analyzer::together_text(report));
  if (auto group = unexplained(report)) {
    wanted = std::move(group);
  }
  sentence(analyzer::floor_text(report));
  sentence(analyzer::left_out_text(report));
  ImGui::Spacing();
  sentence(analyzer::outcome_of(report));
  sentence(analyzer::refusals_of(report));
  sentence("tidemark itself took " + analyzer::overhead_of(report));
  return wanted;
}

/// Says that no finding explains the peak, and who holds it.
std::optional<StackAt> FindingsPane::unexplained(const Report& report) {
  const std::string text = analyzer::unexplained_text(report);
  if (text.empty()) {
    return std::nullopt;
  }
  std::optional<StackAt> wanted;
  sentence(text);
  for (const analyzer::PeakGroup& group : report.anatomy.groups) {
    ImGui::Bullet();
    sentence(analyzer::group_text(report, group));
    if (ImGui::IsItemHovered()) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    if (ImGui::IsItemClicked()) {
      wanted = {report.peak.at.at_ns, group.frames};
    }
  }
  ImGui::Spacing();
  return wanted;
}

std::optional<StackAt> FindingsPane::chain(const Desk& desk, const Report& report) {
  const analyzer::Chain& chain = report.anatomy.chain;
  ImGui::TextDisabled("where the weights went");
  picture::Box place = rest_of_window();
  place.height = std::min(place.height, desk.look.px(240));
  picture::Scene scene;
  const auto boxes = draw_chain(scene, chain, hovered_, place, desk.look, desk.colours);
  show_pane_scene(desk, "chain", scene, place);
  hovered_ = ImGui::IsItemHovered() ? chain_node_at(boxes, pointer()) : std::nullopt;
  if (!hovered_) {
    return std::nullopt;
  }
  const analyzer::ChainNode& node = chain.nodes[*hovered_];
  ImGui::SetTooltip("%s", chain_node_text(chain, *hovered_).c_str());
  if (!ImGui::IsItemClicked()) {
    return std::nullopt;
  }
  return StackAt{
      node.peak_bytes > 0 ? desk.chosen().subject().peak_at.at_ns : arrival_ns(chain, *hovered_),
      node.frames};
}

}  // namespace tidemark::gui
