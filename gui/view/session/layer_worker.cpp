#include "gui/view/session/layer_worker.hpp"

#include <new>
#include <utility>

#include <sys/resource.h>

namespace tidemark::gui {

LayerWorker::LayerWorker(std::vector<std::string> paths, ReadAs how, std::function<void()> wake)
    : paths_(std::move(paths)), how_(std::move(how)), wake_(std::move(wake)) {}

LayerWorker::~LayerWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  asked_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void LayerWorker::ask(LayerQuestion question) {
  {
    const std::lock_guard lock(mutex_);
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
  // As TraceWorker: where there are few processors, the picture goes first.
  constexpr int kNiceness = 10;
  ::setpriority(PRIO_PROCESS, 0, kNiceness);
  LayerQuestion question;
  while (wait_for(question)) {
    std::shared_ptr<const LayerAnswer> found;
    try {
      found = answer(question);
    } catch (const std::bad_alloc&) {
      // One grey band stays.
      layers_.reset();
    }
    {
      const std::lock_guard lock(mutex_);
      answer_ = std::move(found);
      busy_ = question_.has_value();
    }
    wake_();
  }
}

bool LayerWorker::wait_for(LayerQuestion& question) {
  std::unique_lock lock(mutex_);
  asked_.wait(lock, [this] { return stopped_ || question_; });
  if (!stopped_) {
    question = *std::exchange(question_, std::nullopt);
  }
  return !stopped_;
}

bool LayerWorker::open_traces() {
  while (traces_.size() < paths_.size()) {
    auto opened = analyzer::LoadedTrace::open(paths_[traces_.size()]);
    if (!opened.ok()) {
      return false;  // Whoever draws it says so.
    }
    opened.value().show_frames(how_.frames);
    traces_.push_back(std::move(opened.value()));
  }
  return true;
}

void LayerWorker::choose_layers(const LayerQuestion& question) {
  if (layers_ && layers_->grouping() == question.by && subjects_ == question.subjects) {
    return;
  }
  subjects_ = question.subjects;
  std::vector<analyzer::LayeredLoad> loads;
  for (std::size_t side = 0; side < traces_.size(); ++side) {
    loads.push_back((*subjects_)[side].layered());
    loads.back().trace = &traces_[side];
  }
  layers_.emplace(std::move(loads), question.by);
  list_ = std::make_shared<const std::vector<analyzer::FootprintLayer>>(layers_->layers());
}

std::shared_ptr<const LayerAnswer> LayerWorker::answer(const LayerQuestion& question) {
  if (!open_traces()) {
    return nullptr;
  }
  choose_layers(question);
  auto found = std::make_shared<LayerAnswer>();
  found->by = question.by;
  found->layers = list_;
  for (std::size_t side = 0; side < traces_.size(); ++side) {
    const LayerRange& range = question.ranges[side];
    const auto columns = picture::stacked_columns(traces_[side], range.borders);
    found->sides.push_back({range.wanted, picture::layer_bands(*layers_, side, traces_[side],
                                                               range.borders, columns)});
  }
  return found;
}

}  // namespace tidemark::gui
