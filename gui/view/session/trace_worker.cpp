#include "gui/view/session/trace_worker.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <malloc.h>
#include <sys/resource.h>

namespace tidemark::gui {
namespace {

/// Short enough for a string without heap memory.
constexpr const char* kOutOfMemory = "out of memory";

}  // namespace

TraceWorker::TraceWorker(std::string path, ReadAs how, std::function<void()> wake)
    : path_(std::move(path)), how_(std::move(how)), wake_(std::move(wake)) {
  ask_facts();
  thread_ = std::thread([this] { run(); });
}

TraceWorker::~TraceWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  asked_.notify_one();
  thread_.join();
  bin_->close();
}

void TraceWorker::ask(Question question, MakeJob make) {
  {
    const std::lock_guard lock(mutex_);
    const auto index = static_cast<std::size_t>(question);
    questions_[index] = std::move(make);
    given_up_.reset(index);
    busy_ = !has_failed_;
  }
  asked_.notify_one();
}

void TraceWorker::ask_facts() {
  ask(Question::kFacts,
      [this](analyzer::LoadedTrace& trace) { return facts_job(trace, how_.model); });
}

void TraceWorker::ask(ColumnQuestion question) {
  ask(Question::kColumns, [question = std::move(question)](analyzer::LoadedTrace& trace) {
    return columns_job(trace, question);
  });
}

void TraceWorker::ask(const Moment& moment) {
  ask(Question::kHolders, [moment, bin = bin_](analyzer::LoadedTrace& trace) {
    return holders_job(trace, moment, bin);
  });
}

void TraceWorker::ask(const HeldBytes& asked) {
  ask(Question::kHeld, [asked](analyzer::LoadedTrace& trace) { return held_job(trace, asked); });
}

void TraceWorker::ask_folded(const FoldedHolders& known, const TreeOrders& orders) {
  ask(Question::kFolded, [known, orders, bin = bin_](analyzer::LoadedTrace&) {
    return folded_job(known, orders, bin);
  });
}

void TraceWorker::ask_blocks() {
  ask(Question::kBlocks, blocks_job);
}

void TraceWorker::ask_activity() {
  ask(Question::kActivity, activity_job);
}

void TraceWorker::ask_story(trace::AllocationNumber allocation) {
  ask(Question::kStory,
      [allocation](analyzer::LoadedTrace& trace) { return story_job(trace, allocation); });
}

void TraceWorker::ask_layer_blocks(const LayerBlocksQuestion& question,
                                   std::vector<analyzer::Phase> phases) {
  ask(Question::kLayerBlocks, [question, phases = std::move(phases)](analyzer::LoadedTrace& trace) {
    return layer_blocks_job(trace, question, phases);
  });
}

void TraceWorker::ask_usage(const UsageQuestion& question) {
  ask(Question::kUsage,
      [question](analyzer::LoadedTrace& trace) { return usage_job(trace, question); });
}

void TraceWorker::ask_tensors(std::vector<analyzer::SizedBlock> sized) {
  ask(Question::kTensors, [sized = std::move(sized)](analyzer::LoadedTrace& trace) {
    return tensors_job(trace, sized);
  });
}

Answers TraceWorker::take() {
  const std::lock_guard lock(mutex_);
  if (!bin_->is_empty()) {
    asked_.notify_one();
  }
  return std::exchange(answers_, {});
}

Questions TraceWorker::given_up() const {
  const std::lock_guard lock(mutex_);
  return given_up_;
}

void TraceWorker::forget_given_up(Question question) {
  const std::lock_guard lock(mutex_);
  given_up_.reset(static_cast<std::size_t>(question));
}

bool TraceWorker::is_idle() const {
  const std::lock_guard lock(mutex_);
  return !busy_;
}

void TraceWorker::run() {
  // Affects only this thread: with few processors, the picture goes first.
  constexpr int kNiceness = 10;
  ::setpriority(PRIO_PROCESS, 0, kNiceness);
  try {
    read_and_answer();
  } catch (const std::bad_alloc&) {
    fail(kOutOfMemory);
  }
}

void TraceWorker::read_and_answer() {
  auto opened = analyzer::LoadedTrace::open(path_);
  if (opened.ok()) {
    opened.value().show_frames(how_.frames);
    opened.value().obey(stopped_);
    answer_all(opened.value());
  } else {
    fail(opened.error().message);
  }
}

/// Nothing more is answered.
void TraceWorker::fail(std::string sentence) {
  {
    const std::lock_guard lock(mutex_);
    answers_.error = std::move(sentence);
    answers_.is_unreadable = true;
    has_failed_ = true;
    busy_ = false;
  }
  wake_();
}

void TraceWorker::answer_all(analyzer::LoadedTrace& trace) {
  while (take_questions(trace)) {
    bin_->empty();
    answer_next(trace);
  }
}

void TraceWorker::answer_next(analyzer::LoadedTrace& trace) {
  auto* const next = std::ranges::find(works_, false, &Work::is_done);
  if (next == works_.end()) {
    return;
  }
  try {
    work_on(*next, trace);
  } catch (const std::bad_alloc&) {
    *next = {};
    give_up(static_cast<std::size_t>(next - works_.begin()));
  }
}

/// Smaller answers may still fit.
void TraceWorker::give_up(std::size_t question) {
  {
    const std::lock_guard lock(mutex_);
    // Unless it was asked again meanwhile.
    given_up_.set(question, questions_[question] == nullptr);
  }
  wake_();
}

bool TraceWorker::take_questions(analyzer::LoadedTrace& trace) {
  std::unique_lock lock(mutex_);
  const auto has_work = [this] {
    return stopped_ || !bin_->is_empty() ||
           std::ranges::any_of(questions_, [](const auto& make) { return make != nullptr; }) ||
           std::ranges::any_of(works_, [](const Work& work) { return !work.is_done(); });
  };
  if (!has_work()) {
    busy_ = false;
    lock.unlock();
    wake_();
    // Frees memory, so as not to hold it beside what another worker needs.
    trace.rest();
    ::malloc_trim(0);
    lock.lock();
    asked_.wait(lock, has_work);
  }
  for (std::size_t question = 0; question < kQuestions; ++question) {
    if (questions_[question]) {
      works_[question] = {std::exchange(questions_[question], nullptr), nullptr};
    }
  }
  return !stopped_;
}

void TraceWorker::work_on(Work& work, analyzer::LoadedTrace& trace) {
  if (work.make) {
    work.job = std::exchange(work.make, nullptr)(trace);
  }
  if (work.job->step()) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    work.job->finish(answers_);
  }
  work = {};
  wake_();
}

}  // namespace tidemark::gui
