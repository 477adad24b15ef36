#include "gui/view/session/session.hpp"

#include "analyzer/report/parts/tensor_table.hpp"
#include "gui/view/basics/range_ends.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace tidemark::gui {
namespace {

/// The axis has ticks of its own in the window.
constexpr std::size_t kNoTicks = 1;

picture::Bands one_band(const std::vector<picture::StackedColumn>& columns,
                        const picture::Colour& colour) {
  picture::Bands bands{.colours = {colour}, .highest = {}, .lowest = {}};
  for (const picture::StackedColumn& column : columns) {
    bands.highest.push_back(column.highest.footprint());
    bands.lowest.push_back(column.lowest.footprint());
  }
  return bands;
}

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
  session->removals_.resize(paths.size());
  session->take_subjects();
  session->start_layers();
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
  ++axis_number_;
  forget_layers();
}

void Session::forget_layers() {
  layers_ = layer_overview_ = layer_trouble_ = nullptr;
  asked_layers_.reset();
}

void Session::start_layers() {
  std::vector<std::string> paths;
  for (const auto& trace : traces_) {
    paths.push_back(trace->path());
  }
  layer_worker_ = std::make_unique<LayerWorker>(std::move(paths), how_, wake_);
  layered_subjects_ = nullptr;
  forget_layers();
}

void Session::ask_layers(analyzer::LayerGrouping by, const ViewRange& range, std::size_t count) {
  const std::vector<std::uint64_t> chosen = chosen_ns();
  const bool was_asked = asked_layers_ && asked_layers_->by == by &&
                         asked_layers_->chosen_ns == chosen &&
                         has_exactly(asked_layers_->place, range, count);
  // Layers need the exact columns, for which the trace is read first.
  const bool has_columns = std::ranges::all_of(
      traces_, [&](const auto& trace) { return trace->exact_columns(range, count) != nullptr; });
  if (!has_facts() || was_asked || count == 0 || !has_columns) {
    return;
  }
  if (layered_subjects_ == nullptr) {
    layered_subjects_ = std::make_shared<const std::vector<picture::Subject>>(subjects_);
  }
  LayerQuestion question{.by = by,
                         .subjects = layered_subjects_,
                         .ranges = {},
                         .removals = removals_,
                         .chosen_ns = chosen};
  for (std::size_t side = 0; side < traces_.size(); ++side) {
    ColumnSet wanted = *traces_[side]->exact_columns(range, count);
    wanted.axis = axis_number_;
    auto borders = borders_of(axis_.warps[side], wanted.range, wanted.count);
    question.ranges.push_back({std::move(wanted), std::move(borders)});
  }
  ColumnSet asked = question.ranges.front().wanted;
  asked.columns.clear();
  asked_layers_ = {by, std::move(asked), chosen};
  layer_worker_->ask(std::move(question));
}

std::vector<std::uint64_t> Session::chosen_ns() const {
  std::vector<std::uint64_t> chosen;
  for (std::size_t side = 0; chosen_ && side < traces_.size(); ++side) {
    chosen.push_back(ns_at(side, *chosen_));
  }
  return chosen;
}

bool Session::take_layers() {
  auto answer = layer_worker_->take();
  if (answer == nullptr) {
    return false;
  }
  if (!answer->error.empty()) {
    layer_trouble_ = std::move(answer);
    return true;
  }
  if (answer->sides.front().place.axis != axis_number_) {
    return false;
  }
  layer_trouble_ = nullptr;
  layers_ = std::move(answer);
  if (layer_overview_ != nullptr && layer_overview_->removals != layers_->removals) {
    layer_overview_ = nullptr;
  }
  if (layers_->is_of_whole_axis()) {
    layer_overview_ = layers_;
  }
  return true;
}

std::vector<picture::Bands> Session::bands(
    analyzer::LayerGrouping by,
    const std::vector<std::vector<picture::StackedColumn>>& columns,
    const ViewRange& now,
    const ViewRange& goal,
    std::size_t count,
    const picture::Theme& theme) {
  std::vector<picture::Bands> bands(traces_.size());
  const bool are_lanes = by == analyzer::LayerGrouping::kLane;
  if (!are_lanes || has_any_removal()) {
    ask_layers(by, goal, count);
  }
  if (are_lanes) {
    return bands;
  }
  for (const auto& answer : {layers_, layer_overview_}) {
    if (answer == nullptr || answer->by != by) {
      continue;
    }
    for (std::size_t side = 0; side < traces_.size(); ++side) {
      bands[side] =
          bands_in_view(answer->sides[side], picture::layer_colours(*answer->layers, theme), now,
                        count, columns[side]);
    }
    if (bands.front().size() > 0) {
      return bands;
    }
  }
  for (std::size_t side = 0; side < traces_.size(); ++side) {
    bands[side] = one_band(columns[side], theme.rests.front());
  }
  return bands;
}

void Session::take_away(std::size_t side, std::shared_ptr<const analyzer::Removal> removal) {
  if (removals_[side] != removal) {
    removals_[side] = std::move(removal);
    // The old answer stays until the new one comes, to avoid flicker.
    asked_layers_.reset();
    // Lanes are asked for only where something is taken away.
    if (!has_any_removal() && layers_ != nullptr && layers_->by == analyzer::LayerGrouping::kLane) {
      layers_ = layer_overview_ = nullptr;
    }
  }
}

bool Session::has_any_removal() const {
  return std::ranges::any_of(removals_, [](const auto& removal) { return removal != nullptr; });
}

/// The one that `bands` draws.
const LayerAnswer* Session::answer_for(analyzer::LayerGrouping by, const ViewRange& range) const {
  for (const LayerAnswer* const answer : {layers_.get(), layer_overview_.get()}) {
    if (answer != nullptr && answer->by == by && covers(answer->sides.front().place, range)) {
      return answer;
    }
  }
  return nullptr;
}

std::optional<std::vector<picture::StackedColumn>> Session::remaining(std::size_t side,
                                                                      analyzer::LayerGrouping by,
                                                                      const ViewRange& now,
                                                                      std::size_t count) const {
  const LayerAnswer* const answer = answer_for(by, now);
  if (answer == nullptr || answer->sides[side].remaining.columns.empty() || count == 0) {
    return std::nullopt;
  }
  return resampled(answer->sides[side].remaining, now, count);
}

std::optional<analyzer::RemainingPoint> Session::remaining_peak(std::size_t side) const {
  const bool is_known = layers_ != nullptr && layers_->removals == removals_;
  return is_known ? layers_->sides[side].peak : std::nullopt;
}

std::shared_ptr<const std::vector<analyzer::FootprintLayer>> Session::layers(
    analyzer::LayerGrouping by) const {
  return layers_ != nullptr && layers_->by == by ? layers_->layers : nullptr;
}

std::vector<std::uint64_t> Session::most_in_view(analyzer::LayerGrouping by,
                                                 const ViewRange& range) const {
  const LayerAnswer* const answer = answer_for(by, range);
  return answer == nullptr ? std::vector<std::uint64_t>() : most_in_range(*answer, range);
}

std::vector<LayerAnswer::Then> Session::layers_at(analyzer::LayerGrouping by,
                                                  const ViewRange& range,
                                                  double x) const {
  const bool is_in_view = range.begin <= x && x <= range.end;
  const LayerAnswer* const answer = answer_for(by, is_in_view ? range : ViewRange{x, x});
  if (answer == nullptr) {
    return {};
  }
  const std::vector<std::uint64_t> chosen = chosen_ns();
  // Ignores an answer for another chosen instant.
  bool is_of_chosen = !chosen.empty();
  for (std::size_t side = 0; side < chosen.size(); ++side) {
    const auto& known = answer->sides[side].chosen;
    is_of_chosen = is_of_chosen && known && known->at_ns == chosen[side];
  }
  return held_at(*answer, x, is_of_chosen ? chosen_ : std::nullopt);
}

std::string Session::no_layers_text(analyzer::LayerGrouping by) const {
  // Without facts no layers are asked for.
  for (const auto& trace : traces_) {
    if (trace->facts() == nullptr && !trace->may_answer(Question::kFacts)) {
      return "what the footprint is made of cannot be shown: " +
             (trace->error().empty() ? "out of memory" : trace->error());
    }
  }
  if (layer_trouble_ != nullptr && layer_trouble_->by == by) {
    return layer_trouble_->error;
  }
  const auto known = layers(by);
  const std::string text =
      known == nullptr ? std::string() : analyzer::nothing_to_layer(by, *known);
  const bool are_unlisted = std::ranges::all_of(traces_, [](const auto& trace) {
    return trace->facts() != nullptr && trace->definitions().tensors.empty();
  });
  if (text.empty() || by != analyzer::LayerGrouping::kTensor || !are_unlisted) {
    return text;
  }
  // In the words of the report and a page, without a share of the peak.
  return analyzer::tensor_title_of(traces_.front()->facts()->report, {});
}

ViewRange Session::snapped(const ViewRange& range, double reach) const {
  std::vector<RangeMark> marks;
  for (std::size_t side = 0; side < traces_.size(); ++side) {
    const auto some = range_marks(traces_[side]->subject(), axis_.warps[side]);
    marks.insert(marks.end(), some.begin(), some.end());
  }
  return gui::snapped(range, marks, reach);
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
    came = trace->look_at_file(GrowingFile::Clock::now()) || came;
    facts = facts || facts_came;
  }
  came = take_layers() || came;
  if (facts) {
    take_subjects();
    layered_subjects_ = nullptr;
    asked_layers_.reset();
  }
  // Phases and reading progress are known now. An axis of time stays as it is.
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
    if (auto opened = OpenTrace::open(trace->path(), how_, wake_); opened.ok()) {
      trace = std::move(opened.value());
      grown = true;
    }
  }
  if (grown) {
    take_subjects();
    start_layers();
  }
  if (grown && !align(align_).ok()) {
    grown = align(picture::Align::kTime).ok();
  }
  return grown;
}

bool Session::has_facts() const {
  return std::ranges::all_of(traces_, [](const auto& trace) { return trace->facts() != nullptr; });
}

bool Session::is_recording() const {
  return std::ranges::any_of(traces_, [](const auto& trace) { return trace->is_incomplete(); });
}

bool Session::has_ended() const {
  return std::ranges::any_of(traces_, [](const auto& trace) {
    std::error_code ignored;
    return trace->is_incomplete() && !std::filesystem::exists(trace->path(), ignored);
  });
}

bool Session::is_idle() const {
  return layer_worker_->is_idle() &&
         std::ranges::all_of(traces_, [](const auto& trace) { return trace->is_idle(); });
}

}  // namespace tidemark::gui
