#include "gui/app/panes/blocks/pages_pane.hpp"

#include "analyzer/text/size_text.hpp"
#include "gui/app/panes/blocks/block_tooltip.hpp"
#include "gui/app/panes/toolbar.hpp"
#include "gui/app/panes/widgets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::gui {
namespace {

/// Explains the uses that belong to no single block.
const char* explanation_of(PageUse use) {
  constexpr std::array<const char*, kPageUses> kTexts{
      "memory that the program holds",
      "asked for, and in memory at no look at its pages",
      "blocks that are too small to be listed one by one, all together",
      "shared memory",
      "resident private memory beyond all that is asked for: what an allocator keeps of freed\n"
      "blocks, and what is in no lane, such as the data of libraries and stacks of threads",
      "resident pages of mapped files, of libraries as well",
      "mapped from files, and not in memory by that sample"};
  return kTexts.at(static_cast<std::size_t>(use));
}

}  // namespace

void PagesPane::show(const Desk& desk) {
  shown_.know(desk, desk.state.side);
  desk.chosen().ask_holders(desk.session.moment(desk.state.side, desk.state));
  const auto holders = desk.chosen().holders();
  if (!shown_.list() || !holders) {
    const Question missing = shown_.list() ? Question::kHolders : Question::kBlocks;
    show_waiting(desk.chosen(), missing, "following the blocks ...");
    return;
  }
  const PageMap& map = this->map(desk, holders);
  head(desk);
  const picture::Box all = rest_of_window();
  picture::Scene scene;
  const double legend = draw_page_legend(scene, map, all, desk.look);
  const double gap = desk.look.px(4);
  const PageRows rows(map.total(),
                      {all.x, all.y + legend + gap, std::max(all.width - 1, 1.0),
                       std::max(all.height - legend - gap, 1.0)},
                      desk.look);
  draw_pages(scene,
             {.map = &map,
              .name =
                  [&](std::size_t block) {
                    const BlockName name = shown_.name(desk, shown_.list()->blocks[block], nullptr);
                    return PageName{name.content.empty() ? name.text : name.content, name.colour};
                  },
              .hovered = hovered_,
              .pinned = pinned(desk)},
             rows, desk.look);
  show_pane_scene(desk, "pages", scene, all);
  take_pointer(desk, rows);
}

const PageMap& PagesPane::map(const Desk& desk, const std::shared_ptr<const Holders>& holders) {
  if (mapped_ != shown_.list() || mapped_for_ != holders) {
    mapped_ = shown_.list();
    mapped_for_ = holders;
    hovered_.reset();
    map_ = page_map(*mapped_, desk.chosen().definitions().looks, holders->totals,
                    desk.chosen().subject().resident_at(holders->at_ns), holders->at_ns);
  }
  return map_;
}

void PagesPane::head(const Desk& desk) {
  const std::string sampled =
      map_.sampled_ns ? "; resident memory as sampled at " + analyzer::format_time(*map_.sampled_ns)
                      : "";
  Toolbar bar(desk);
  bar.text(fmt::format("{} of pages at {}{}.", analyzer::format_size(map_.total()),
                       analyzer::format_time(map_.at_ns), sampled));
  bar.label(unknown_text(map_));
  bar.show();
}

std::optional<std::size_t> PagesPane::pinned(const Desk& desk) const {
  const auto is_pinned = [&](const PageRun& run) {
    return run.block && shown_.list()->blocks[*run.block].allocation == desk.state.block;
  };
  const auto run = std::ranges::find_if(map_.runs, is_pinned);
  return run == map_.runs.end() ? std::nullopt : run->block;
}

void PagesPane::take_pointer(const Desk& desk, const PageRows& rows) {
  hovered_.reset();
  if (!ImGui::IsItemHovered()) {
    return;
  }
  if (const auto byte = rows.byte_at(pointer())) {
    hovered_ = run_at(map_, *byte);
  }
  const PageRun* const run = hovered_ ? &map_.runs[*hovered_] : nullptr;
  if (run != nullptr) {
    tell(desk, *run);
  }
  if (ImGui::IsItemClicked()) {
    const auto block = run != nullptr && run->block
                           ? std::optional(shown_.list()->blocks[*run->block].allocation)
                           : std::nullopt;
    desk.state.block = block == desk.state.block ? std::nullopt : block;
  }
}

void PagesPane::tell(const Desk& desk, const PageRun& run) const {
  const std::string use = fmt::format("{}: {}", word_of(run.use), analyzer::format_size(run.bytes));
  if (!run.block) {
    ImGui::SetTooltip("%s\n%s", use.c_str(), explanation_of(run.use));
    return;
  }
  const BlockShape shape{.block = *run.block, .count = 1, .most = run.bytes, .runs = {}};
  tell_block(desk, desk.state.side, shown_.list()->blocks[*run.block], shape, shown_.contents(),
             use);
}

}  // namespace tidemark::gui
