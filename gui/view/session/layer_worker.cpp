#include "gui/view/session/layer_worker.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include <malloc.h>
#include <sys/resource.h>

namespace tidemark::gui {
namespace {

bool has_same_layers(const LayerQuestion& one, const LayerQuestion& other) {
  return one.by == other.by && one.subjects == other.subjects;
}

std::shared_ptr<const LayerAnswer> failure(analyzer::LayerGrouping by, const std::string& why) {
  auto answer = std::make_shared<LayerAnswer>();
  answer->by = by;
  answer->error = "what the footprint is made of cannot be shown: " + why;
  return answer;
}

}  // namespace

LayerWorker::LayerWorker(std::vector<std::string> paths, ReadAs how, std::function<void()> wake)
    : paths_(std::move(paths)), how_(std::move(how)), wake_(std::move(wake)) {}

LayerWorker::~LayerWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    ends_early_ = true;
  }
  asked_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void LayerWorker::ask(LayerQuestion question) {
  {
    const std::lock_guard lock(mutex_);
    // Layers being chosen for an equal question are needed for this one, too.
    if (choosing_ == nullptr || !has_same_layers(*choosing_, question)) {
      ends_early_ = true;
    }
    // Made in advance, while there is memory.
    out_of_memory_ = failure(question.by, "out of memory");
    question_ = std::move(question);
    busy_ = true;
  }
  asked_.notify_one();
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { run(); });
  }
}

std::shared_ptr<const LayerAnswer> LayerWorker::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answer_, nullptr);
}

bool LayerWorker::is_idle() const {
  const std::lock_guard lock(mutex_);
  return !busy_;
}

void LayerWorker::run() {
  // As for TraceWorker: with few processors, the picture goes first.
  constexpr int kNiceness = 10;
  ::setpriority(PRIO_PROCESS, 0, kNiceness);
  LayerQuestion question;
  while (wait_for(question)) {
    auto found = answer_or_fail(question);
    {
      const std::lock_guard lock(mutex_);
      answer_ = ends_early_ ? std::move(answer_) : std::move(found);
      busy_ = question_.has_value();
    }
    wake_();
    std::ranges::for_each(traces_, &analyzer::LoadedTrace::rest);
    ::malloc_trim(0);
  }
}

bool LayerWorker::wait_for(LayerQuestion& question) {
  std::unique_lock lock(mutex_);
  asked_.wait(lock, [this] { return stopped_ || question_; });
  if (!stopped_) {
    question = *std::exchange(question_, std::nullopt);
    ends_early_ = false;
  }
  return !stopped_;
}

std::shared_ptr<const LayerAnswer> LayerWorker::answer_or_fail(const LayerQuestion& question) {
  try {
    return answer(question);
  } catch (const std::bad_alloc&) {
    layers_.reset();
    const std::lock_guard lock(mutex_);
    choosing_ = nullptr;
    return out_of_memory_;
  }
}

std::string LayerWorker::open_traces() {
  while (traces_.size() < paths_.size()) {
    auto opened = analyzer::LoadedTrace::open(paths_[traces_.size()]);
    if (!opened.ok()) {
      return opened.error().message;
    }
    opened.value().show_frames(how_.frames);
    traces_.push_back(std::move(opened.value()));
    traces_.back().obey(ends_early_);
  }
  return {};
}

bool LayerWorker::knows_layers(const LayerQuestion& question) const {
  return layers_ && layers_->grouping() == question.by && subjects_ == question.subjects;
}

bool LayerWorker::choose_layers(const LayerQuestion& question) {
  {
    const std::lock_guard lock(mutex_);
    // A newer question that needs the same layers can wait for them.
    ends_early_ = ends_early_ && (!question_ || !has_same_layers(*question_, question));
    ends_early_ = ends_early_ || stopped_;
    choosing_ = &question;
  }
  layers_.reset();
  subjects_ = question.subjects;
  std::vector<analyzer::LayeredLoad> loads;
  for (std::size_t side = 0; side < traces_.size(); ++side) {
    loads.push_back((*subjects_)[side].layered());
    loads.back().trace = &traces_[side];
  }
  layers_.emplace(std::move(loads), question.by);
  list_ = std::make_shared<const std::vector<analyzer::FootprintLayer>>(layers_->layers());
  const std::lock_guard lock(mutex_);
  choosing_ = nullptr;
  if (ends_early_) {
    layers_.reset();
  }
  ends_early_ = ends_early_ || question_.has_value();
  return !ends_early_;
}

std::shared_ptr<const LayerAnswer> LayerWorker::answer(const LayerQuestion& question) {
  if (const std::string trouble = open_traces(); !trouble.empty()) {
    return failure(question.by, trouble);
  }
  const bool has_layers = question.by != analyzer::LayerGrouping::kLane;
  if (has_layers && !knows_layers(question) && !choose_layers(question)) {
    return nullptr;
  }
  auto found = std::make_shared<LayerAnswer>();
  found->by = question.by;
  found->layers = has_layers ? list_ : nullptr;
  found->removals = question.removals;
  const bool is_known = is_known_but_chosen(question);
  for (std::size_t side = 0; side < traces_.size(); ++side) {
    found->sides.push_back(is_known ? last_->sides[side] : answer_for(question, side));
    LayerAnswer::Side& answer = found->sides.back();
    const bool is_chosen = has_layers && side < question.chosen_ns.size();
    answer.chosen = is_chosen && question.removal(side) == nullptr
                        ? std::optional(at_chosen(question.chosen_ns[side], side))
                        : std::nullopt;
  }
  last_ = ends_early_ ? nullptr : found;
  return found;
}

bool LayerWorker::is_known_but_chosen(const LayerQuestion& question) const {
  if (last_ == nullptr || last_->by != question.by || last_->removals != question.removals ||
      last_->layers != (question.by == analyzer::LayerGrouping::kLane ? nullptr : list_)) {
    return false;
  }
  for (std::size_t side = 0; side < last_->sides.size(); ++side) {
    const ColumnSet& known = last_->sides[side].place;
    const ColumnSet& wanted = question.ranges[side].wanted;
    if (known.range != wanted.range || known.count != wanted.count || known.axis != wanted.axis) {
      return false;
    }
  }
  return true;
}

LayerAnswer::Then LayerWorker::at_chosen(std::uint64_t at_ns, std::size_t side) {
  const analyzer::Instant at = traces_[side].instant_at(at_ns);
  const auto totals = traces_[side].totals_at(at).value_or(trace::LaneTotals{});
  const analyzer::LayerPoint point{at, totals.footprint()};
  return {at_ns, layers_->at(side, std::span(&point, 1))};
}

LayerAnswer::Side LayerWorker::answer_for(const LayerQuestion& question, std::size_t side) {
  const LayerRange& range = question.ranges[side];
  const bool has_layers = question.by != analyzer::LayerGrouping::kLane;
  const auto columns = range.wanted.columns.empty()
                           ? picture::stacked_columns(traces_[side], range.borders)
                           : range.wanted.columns;
  LayerAnswer::Side answer{.place = range.wanted, .bands = {}};
  answer.place.columns.clear();
  const analyzer::LoadWithout* const less = without(question, side);
  if (less == nullptr) {
    if (has_layers) {
      answer.bands = picture::layer_bands(*layers_, side, traces_[side], range.borders, columns);
    }
    return answer;
  }
  const auto left = less->columns(traces_[side], range.borders);
  answer.peak = less->peak();
  answer.remaining = answer.place;
  for (std::size_t c = 0; c < left.size(); ++c) {
    answer.remaining.columns.push_back(
        {left[c].highest.lanes, left[c].lowest.lanes, columns[c].file});
  }
  if (has_layers) {
    answer.bands = picture::layer_bands(*layers_, side, *less, range.borders, left);
  }
  return answer;
}

const analyzer::LoadWithout* LayerWorker::without(const LayerQuestion& question, std::size_t side) {
  less_.resize(traces_.size());
  Less& less = less_[side];
  if (question.removal(side) == nullptr) {
    less = {};
  } else if (less.load == nullptr || less.removal != question.removals[side]) {
    less.load.reset();
    less.load = std::make_unique<analyzer::LoadWithout>(traces_[side], *question.removals[side]);
    less.removal = traces_[side].is_stopped() ? nullptr : question.removals[side];
  }
  return less.load.get();
}

}  // namespace tidemark::gui
