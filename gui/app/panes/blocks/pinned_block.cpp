#include "gui/app/panes/blocks/pinned_block.hpp"

#include "analyzer/stacks/stack_names.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/toolbar.hpp"
#include "gui/app/panes/widgets.hpp"
#include "gui/view/blocks/stack_alive.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::gui {
namespace {

constexpr std::size_t kTensorsAbove = 4;

}  // namespace

std::optional<StackAt> PinnedBlock::show(const Desk& desk,
                                         const analyzer::BlockContents& contents) {
  desk.chosen().ask_story(*desk.state.block);
  const auto story = desk.chosen().story();
  if (!story) {
    show_waiting(desk.chosen(), Question::kStory, "following the block ...");
    return std::nullopt;
  }
  if (story != told_) {
    told_ = story;
    const picture::Subject& subject = desk.chosen().subject();
    details_ = block_details(
        *story, desk.chosen().definitions(), contents,
        {.end_ns = subject.duration_ns,
         .peak_ns =
             desk.chosen().facts() == nullptr ? std::nullopt : std::optional(subject.peak_at.at_ns),
         .phases_at = [&subject](std::uint64_t ns) { return subject.phases_at(ns); }});
  }
  auto wanted = buttons(desk, *story);
  words(desk);
  return wanted;
}

void PinnedBlock::words(const Desk& desk) const {
  ImGui::PushTextWrapPos(0);
  ImGui::PushFont(desk.fonts.title());
  ImGui::TextUnformatted(details_.title.c_str());
  ImGui::PopFont();
  tensor_words();
  ImGui::TextUnformatted((details_.size + ", " + details_.life).c_str());
  ImGui::TextUnformatted(details_.end.c_str());
  for (const auto* const lines : {&details_.places, &details_.values}) {
    for (const std::string& line : *lines) {
      ImGui::TextUnformatted(line.c_str());
    }
  }
  if (!details_.thread.empty()) {
    ImGui::TextUnformatted(("asked for by " + details_.thread).c_str());
  }
  const auto section = [](const char* title, const std::vector<std::string>& lines) {
    constexpr std::size_t kMaxLines = 200;
    if (lines.empty()) {
      return;
    }
    ImGui::Spacing();
    ImGui::TextDisabled("%s", title);
    for (std::size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i) {
      ImGui::TextUnformatted(lines[i].c_str());
    }
    if (lines.size() > kMaxLines) {
      ImGui::TextDisabled("%s more", analyzer::format_count(lines.size() - kMaxLines).c_str());
    }
  };
  resize_words(desk);
  stack_words(desk);
  section("came into it", details_.came);
  section("went out of it", details_.went);
  ImGui::Spacing();
  ImGui::TextDisabled("stack");
  for (std::size_t i = 0; i < details_.frames.size(); ++i) {
    const std::string line = analyzer::short_name(details_.frames[i]);
    // Inside the asking function there are only allocators.
    i < details_.asking ? ImGui::TextDisabled("%s", line.c_str())
                        : ImGui::TextUnformatted(line.c_str());
    if (ImGui::IsItemHovered()) {
      tell_source(desk, details_.frames[i].file, details_.frames[i].line, "");
    }
    const std::string place = place_text(details_.frames[i]);
    const float beside = ImGui::CalcTextSize((line + "   " + place).c_str()).x;
    if (!place.empty() && beside < ImGui::GetContentRegionAvail().x) {
      ImGui::SameLine();
      ImGui::TextDisabled("%s", place.c_str());
    }
  }
  if (details_.tensors.size() > kTensorsAbove) {
    section("in it", details_.tensors);
  }
  ImGui::PopTextWrapPos();
}

/// The tensors in it come before all other details; if there are many, the first ones, with the
/// full list below.
void PinnedBlock::tensor_words() const {
  const std::size_t shown = std::min(details_.tensors.size(), kTensorsAbove);
  for (std::size_t i = 0; i < shown; ++i) {
    ImGui::TextUnformatted(details_.tensors[i].c_str());
  }
  if (shown < details_.tensors.size()) {
    ImGui::TextDisabled("%s more tensors, below",
                        analyzer::format_count(details_.tensors.size() - shown).c_str());
  }
}

/// A click on one goes to the allocation that the block was then.
void PinnedBlock::resize_words(const Desk& desk) const {
  for (std::size_t i = 0; i < details_.resized.size(); ++i) {
    const BlockResizeLine& line = details_.resized[i];
    ImGui::PushID(static_cast<int>(i));
    if (line.block == told_->block.allocation) {
      ImGui::TextUnformatted(line.text.c_str());
    } else if (wrapped_selectable(line.text)) {
      desk.state.block = line.block;
    }
    ImGui::PopID();
  }
}

/// How much memory of its stack is alive at the instant clicked on, at the chosen instant or the
/// end of the chosen range, and at the peak.
void PinnedBlock::stack_words(const Desk& desk) const {
  const auto list = desk.chosen().blocks();
  if (!list) {
    return;
  }
  const bool was_clicked = clicked_ && clicked_->allocation == told_->block.allocation;
  const StackInstants instants{
      .clicked_ns = was_clicked ? std::optional(clicked_->at_ns) : std::nullopt,
      .chosen_ns = desk.session.moment(desk.state.side, desk.state).end_ns,
      .peak_ns = desk.chosen().subject().peak_at.at_ns};
  for (const std::string& line : stack_alive_lines(*list, told_->block, instants)) {
    ImGui::TextUnformatted(line.c_str());
  }
}

std::optional<StackAt> PinnedBlock::buttons(const Desk& desk, const BlockStory& story) {
  std::optional<StackAt> wanted;
  Toolbar bar(desk);
  bar.toggle("all of this stack", lights_stack_);
  const Unticked one = unticked_block(
      desk.state.side, story.chain.empty() ? std::vector{story.block.allocation} : story.chain,
      fmt::format("the block of {}: {}", analyzer::format_size(story.most_bytes), details_.title),
      story.most_bytes);
  bar.button("without it", is_unticked(desk.state.unticked, one),
             [&] { toggle(desk.state.unticked, one); });
  bar.button("show in flame graph", [&] {
    const std::uint64_t peak_ns = desk.chosen().subject().peak_at.at_ns;
    const LongBlock& block = story.block;
    const bool is_at_peak = block.begin_ns <= peak_ns && peak_ns < block.end_ns;
    wanted = {is_at_peak ? peak_ns : block.begin_ns, details_.frames};
  });
  bar.button("copy", [&] { ImGui::SetClipboardText(details_text(details_).c_str()); });
  bar.button("close", [&] { desk.state.block.reset(); });
  bar.show();
  return wanted;
}

}  // namespace tidemark::gui
