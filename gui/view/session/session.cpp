#include "gui/view/session/session.hpp"

#include <algorithm>
#include <utility>

namespace tidemark::gui {
namespace {

/// The axis has ticks of its own in the window.
constexpr std::size_t kNoTicks = 1;

}  // namespace

Result<std::unique_ptr<Session>> Session::open(const std::vector<std::string>& paths,
                                               const ReadAs& how,
                                               std::function<void()> wake) {
  std::unique_ptr<Session> session(new Session(how, std::move(wake)));
  for (const std::string& path : paths) {
    auto opened = OpenTrace::open(path, how, session->wake_);
    if (!opened.ok()) {
      return opened.error();
    }
    session->traces_.push_back(std::move(opened.value()));
  }
  session->take_subjects();
  if (auto status = session->align(picture::Align::kTime); !status.ok()) {
    return status.error();
  }
  return session;
}

std::uint64_t Session::axis_ns() const {
  std::uint64_t longest = 0;
  for (const auto& trace : traces_) {
    longest = std::max(longest, trace->subject().duration_ns);
  }
  return longest + 1;
}

void Session::take_subjects() {
  subjects_.clear();
  for (const auto& trace : traces_) {
    subjects_.push_back(trace->subject());
  }
}

Status Session::align(picture::Align align) {
  auto axis = picture::align(subjects_, align, kNoTicks);
  if (!axis.ok()) {
    return axis.error();
  }
  set_axis(align, std::move(axis.value()));
  return success();
}

void Session::set_axis(picture::Align align, picture::Axis axis) {
  align_ = align;
  axis_ = std::move(axis);
  for (const auto& trace : traces_) {
    trace->forget_columns();
  }
}

Moment Session::moment(std::size_t side, const ViewState& state) const {
  if (state.selection) {
    return {.begin_ns = ns_at(side, state.selection->begin),
            .end_ns = ns_at(side, state.selection->end)};
  }
  if (state.cursor) {
    return {.begin_ns = {}, .end_ns = ns_at(side, *state.cursor)};
  }
  return {};
}

bool Session::update() {
  bool came = false;
  bool facts = false;
  for (const auto& trace : traces_) {
    bool facts_came = false;
    came = trace->take_answers(facts_came) || came;
    facts = facts || facts_came;
  }
  if (facts) {
    take_subjects();
  }
  // Phases and reading progress are known now. Equal times stay where they are.
  if (facts && align_ != picture::Align::kTime && !align(align_).ok()) {
    came = align(picture::Align::kTime).ok();
  }
  return came;
}

bool Session::follow() {
  bool grown = false;
  for (auto& trace : traces_) {
    if (!trace->is_incomplete() || !trace->has_changed()) {
      continue;
    }
    // Where the recording has ended, the file has its final name.
    constexpr std::string_view kEnding = ".incomplete";
    const std::string& path = trace->path();
    auto opened = OpenTrace::open(path, how_, wake_);
    if (!opened.ok()) {
      opened = OpenTrace::open(path.substr(0, path.size() - kEnding.size()), how_, wake_);
    }
    if (opened.ok()) {
      trace = std::move(opened.value());
      grown = true;
    }
  }
  if (grown) {
    take_subjects();
  }
  if (grown && !align(align_).ok()) {
    grown = align(picture::Align::kTime).ok();
  }
  return grown;
}

bool Session::is_recording() const {
  return std::ranges::any_of(traces_, [](const auto& trace) { return trace->is_incomplete(); });
}

bool Session::is_idle() const {
  return std::ranges::all_of(traces_, [](const auto& trace) { return trace->is_idle(); });
}

}  // namespace tidemark::gui
