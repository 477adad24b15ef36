#include "gui/app/panes/blocks/pinned_layer.hpp"

#include "gui/app/panes/toolbar.hpp"
#include "gui/app/panes/widgets.hpp"

#include <string>
#include <vector>

namespace tidemark::gui {

LayerBlocksQuestion layers_at_peak(const Desk& desk, std::size_t side) {
  const picture::Subject& subject = desk.session.trace(side).subject();
  return {.side = side,
          .by = desk.state.by,
          .layers = desk.session.layers(desk.state.by),
          .begin_ns = subject.peak_at.at_ns,
          .end_ns = subject.peak_at.at_ns + 1,
          .footprint = subject.peak_bytes};
}

void PinnedLayer::show(const Desk& desk) {
  const auto& [question, layer] = *pinned_;
  OpenTrace& trace = desk.session.trace(question.side);
  trace.ask_layer_blocks(question);
  const std::string& title = (*question.layers)[layer].text;
  const auto known = trace.layer_blocks();
  const std::vector<std::string> lines =
      known == nullptr ? std::vector<std::string>{} : known->lines[layer];
  bool is_closed = false;
  Toolbar bar(desk);
  bar.button("copy", [&] {
    std::string text = title + "\n";
    for (const std::string& line : lines) {
      text += line + "\n";
    }
    ImGui::SetClipboardText(text.c_str());
  });
  bar.button("close", [&] { is_closed = true; });
  bar.show();
  ImGui::PushTextWrapPos(0);
  ImGui::PushFont(desk.fonts.title());
  ImGui::TextUnformatted(title.c_str());
  ImGui::PopFont();
  if (known == nullptr) {
    show_waiting(trace, Question::kLayerBlocks, "following its blocks ...");
  } else if (lines.empty()) {
    ImGui::TextDisabled("none of its blocks is there at that instant");
  }
  for (const std::string& line : lines) {
    ImGui::TextUnformatted(line.c_str());
  }
  ImGui::PopTextWrapPos();
  if (is_closed) {
    let_go();
  }
}

}  // namespace tidemark::gui
