#include "gui/app/steering/navigation.hpp"

#include "gui/view/basics/range_ends.hpp"

#include <algorithm>

#include <imgui.h>

namespace tidemark::gui {
namespace {

/// Centres the peak, close enough to see what led to it.
/// @param least how much of the axis has to be in view.
void go_to_peak(const Desk& desk, double least = 0) {
  constexpr double kClose = 0.1;
  desk.state.cursor.reset();
  desk.state.selection.reset();
  const double peak = desk.session.x_of(desk.state.side, desk.chosen().subject().peak_at.at_ns);
  const double width = std::max(std::min(desk.glide.goal().width(), kClose), std::min(least, 1.0));
  desk.glide.go_to(kept_on_axis({peak - width / 2, peak + width / 2}));
}

/// Chooses a short range after the peak, to show what is released there: shorter than the pointer
/// could easily drag.
void choose_behind_peak(const Desk& desk) {
  constexpr std::uint64_t kLength = 100'000'000;  // ns
  const auto& warp = desk.session.axis().warps[desk.state.side];
  const ViewRange range = behind_peak(desk.chosen().subject(), warp, kLength);
  constexpr double kBothSides = 2.2;  // With a margin.
  if (range.begin < range.end) {
    go_to_peak(desk, kBothSides * range.width());
    desk.state.selection = range;
  }
}

void pan(const Desk& desk, double windows) {
  const ViewRange& goal = desk.glide.goal();
  desk.glide.go_to(panned(goal, windows * goal.width()));
}

void zoom(const Desk& desk, double factor) {
  const ViewRange& goal = desk.glide.goal();
  desk.glide.go_to(zoomed(goal, goal.x_at(0.5), factor, desk.session.narrowest()));
}

void zoom_sizes(const Desk& desk, double factor) {
  desk.state.height = std::clamp(desk.state.height * factor, kMinHeight, 1.0);
}

/// Through the notes of the trace whose details are shown.
std::optional<Message> go_to_note(const Desk& desk, bool is_forward) {
  const std::size_t side = desk.state.side;
  const double here = desk.state.cursor.value_or(desk.glide.goal().x_at(0.5));
  std::optional<double> next;
  for (const Note& note : desk.notes.at(side)) {
    const double x = desk.session.x_of(side, note.at_ns);
    if (is_forward ? x > here && !next : x < here) {
      next = x;
    }
  }
  if (!next) {
    return Message{is_forward ? "there is no note behind this instant; N writes one"
                              : "there is no note before this instant; N writes one"};
  }
  look_at(desk, *next);
  return std::nullopt;
}

}  // namespace

void Navigation::keep_range(const Desk& desk) {
  if (!desk.glide.is_moving() && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    history_.note(desk.glide.goal());
  }
}

std::optional<Message> Navigation::go(const Desk& desk, Move move) {
  switch (move) {
    case Move::kWhole:
      desk.state.height = 1;
      desk.glide.go_to({});
      break;
    case Move::kPeak:
      go_to_peak(desk);
      break;
    case Move::kBehindPeak:
      choose_behind_peak(desk);
      break;
    case Move::kBack:
    case Move::kForward:
      if (const auto range = move == Move::kForward ? history_.forward() : history_.back()) {
        desk.glide.go_to(*range);
      }
      break;
    case Move::kLeft:
    case Move::kRight:
      pan(desk, move == Move::kLeft ? -0.1 : 0.1);
      break;
    case Move::kWindowLeft:
    case Move::kWindowRight:
      pan(desk, move == Move::kWindowLeft ? -1 : 1);
      break;
    case Move::kZoomIn:
    case Move::kZoomOut:
      zoom(desk, move == Move::kZoomIn ? 0.5 : 2.0);
      break;
    case Move::kZoomSizesIn:
    case Move::kZoomSizesOut:
      zoom_sizes(desk, move == Move::kZoomSizesIn ? 0.8 : 1.25);
      break;
    case Move::kNoteBefore:
    case Move::kNoteBehind:
      return go_to_note(desk, move == Move::kNoteBehind);
  }
  return std::nullopt;
}

void look_at(const Desk& desk, double x) {
  constexpr double kMargin = 0.02;
  desk.state.selection.reset();
  desk.state.cursor = x;
  const ViewRange& goal = desk.glide.goal();
  if (goal.share_of(x) < kMargin || goal.share_of(x) > 1 - kMargin) {
    desk.glide.go_to(panned(goal, x - goal.x_at(0.5)));
  }
}

void look_at_ns(const Desk& desk, std::uint64_t at_ns) {
  const std::size_t side = desk.state.side;
  // Never before the instant, which would not show it.
  look_at(desk, first_x_at(desk.session.axis().warps[side], at_ns));
  if (at_ns == desk.chosen().subject().peak_at.at_ns) {
    desk.state.cursor.reset();
  }
}

}  // namespace tidemark::gui
