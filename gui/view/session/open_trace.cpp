#include "gui/view/session/open_trace.hpp"

#include "analyzer/query/footprint/peak.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/text_style.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace tidemark::gui {
namespace {

/// `3 s`, `12 min 05 s`: it is counted up before somebody's eyes.
std::string age_text(std::chrono::nanoseconds age) {
  constexpr std::chrono::seconds kSaidInSeconds(100);
  return age < kSaidInSeconds
             ? fmt::format("{} s", std::chrono::duration_cast<std::chrono::seconds>(age).count())
             : analyzer::format_time(static_cast<std::uint64_t>(age.count()));
}

/// What is known without decoding more than one block.
picture::Subject first_subject(analyzer::LoadedTrace& trace) {
  picture::Subject subject;
  const auto& words = trace.definitions().session.command;
  for (const std::string& word : words) {
    subject.command += (subject.command.empty() ? "" : " ") + word;
  }
  subject.command = analyzer::printable({.utf8 = true}, subject.command);
  const analyzer::Peak peak = analyzer::find_peak(trace);
  subject.duration_ns = trace.duration_ns();
  subject.peak_bytes = peak.footprint_bytes;
  subject.peak_at = peak.at;
  subject.peak_lanes = peak.lanes;
  subject.lane_peaks = analyzer::find_lane_peaks(trace);
  subject.resident = analyzer::resident_series(trace);
  return subject;
}

}  // namespace

Result<std::unique_ptr<OpenTrace>> OpenTrace::open(std::string path,
                                                   const ReadAs& how,
                                                   const std::function<void()>& wake) {
  // Taken before reading, as what is written meanwhile may be missed.
  GrowingFile file(path, GrowingFile::Clock::now());
  auto trace = analyzer::LoadedTrace::open(path);
  if (!trace.ok() && path.ends_with(trace::kUnfinished)) {
    std::string finished = trace::finished_name(path);
    if (auto whole = analyzer::LoadedTrace::open(finished); whole.ok()) {
      trace = std::move(whole);
      path = std::move(finished);
    }
  }
  if (!trace.ok()) {
    return trace.error();
  }
  trace.value().show_frames(how.frames);
  return std::unique_ptr<OpenTrace>(
      new OpenTrace(std::move(path), std::move(file), how, std::move(trace.value()), wake));
}

OpenTrace::OpenTrace(std::string path,
                     GrowingFile file,
                     const ReadAs& how,
                     analyzer::LoadedTrace trace,
                     const std::function<void()>& wake)
    : path_(std::move(path)),
      file_(std::move(file)),
      trace_(std::move(trace)),
      timeline_(trace_),
      subject_(first_subject(trace_)),
      worker_(std::make_unique<TraceWorker>(path_, how, wake)) {}

std::string OpenTrace::recording_text() const {
  if (!is_incomplete()) {
    return "";
  }
  // The recorder writes twice a second, and the file is looked at as often.
  constexpr std::chrono::seconds kUsual(2);
  std::string text = "recording";
  if (file_.age() >= kUsual) {
    text += ", as of " + age_text(file_.age()) + " ago";
  }
  const std::uint64_t waited_ns = definitions().session.blocked_ns;
  if (waited_ns != 0) {
    text += "; programs have waited " + analyzer::format_time(waited_ns) + " for the recorder";
  }
  return text;
}

bool OpenTrace::look_at_file(GrowingFile::Clock::time_point now) {
  // Called for each picture, but the text has whole seconds.
  constexpr std::chrono::milliseconds kPause(250);
  if (!is_incomplete() || now < looked_at_ + kPause) {
    return false;
  }
  looked_at_ = now;
  const std::string before = recording_text();
  file_.look(now);
  return recording_text() != before;
}

std::vector<picture::StackedColumn> OpenTrace::columns(const picture::Warp& warp,
                                                       const ViewRange& now,
                                                       const ViewRange& goal,
                                                       std::size_t count) {
  if (count == 0) {
    return {};
  }
  if (!has_exactly(exact_, goal, count)) {
    ask_columns(warp, goal, count);
  }
  return columns_at_hand(warp, now, count);
}

std::vector<picture::StackedColumn> OpenTrace::columns_at_hand(const picture::Warp& warp,
                                                               const ViewRange& now,
                                                               std::size_t count) {
  if (covers(exact_, now)) {
    return resampled(exact_, now, count);
  }
  if (covers(overview_, now)) {
    return resampled(overview_, now, count);
  }
  const auto borders = borders_of(warp, now, count);
  return columns_of(timeline_.columns(borders, analyzer::Detail::kSummaries));
}

std::vector<picture::StackedColumn> OpenTrace::whole_columns(const picture::Warp& warp,
                                                             std::size_t count) {
  // Must not replace a question about the columns in view.
  const bool is_wanted = overview_.count == 0 && !asked_overview_ && count > 0;
  if (is_wanted && exact_.count > 0 && exact_.range == asked_.range && worker_->is_idle()) {
    asked_overview_ = true;
    ColumnSet whole{.range = {}, .count = count, .columns = {}, .axis = axis_};
    auto borders = borders_of(warp, whole.range, count);
    worker_->ask(ColumnQuestion{std::move(whole), std::move(borders)});
  }
  return columns_at_hand(warp, {}, count);
}

void OpenTrace::ask_columns(const picture::Warp& warp, const ViewRange& range, std::size_t count) {
  if (has_exactly(asked_, range, count)) {
    return;
  }
  asked_ = with_margins(range, count);
  asked_.axis = axis_;
  asked_overview_ = false;  // If it has not come by now, it never will.
  auto borders = borders_of(warp, asked_.range, asked_.count);
  worker_->ask(ColumnQuestion{asked_, std::move(borders)});
}

void OpenTrace::forget_columns() {
  overview_ = exact_ = asked_ = ColumnSet{};
  asked_overview_ = false;
  ++axis_;
}

void OpenTrace::ask_holders(const Moment& moment) {
  if (asked_moment_ != moment) {
    asked_moment_ = moment;
    worker_->ask(moment);
  }
}

void OpenTrace::ask_held(const std::shared_ptr<const FunctionBytes>& functions) {
  if (holders_ && (asked_held_.holders != holders_ || asked_held_.functions != functions)) {
    asked_held_ = {.holders = holders_, .functions = functions, .bytes = {}};
    worker_->ask(asked_held_);
  }
}

void OpenTrace::ask_folded(const TreeOrders& orders) {
  if (holders_ == nullptr) {
    return;
  }
  const bool is_other = asked_folded_ != holders_;
  if (is_other || (orders & ~folded_orders_).any()) {
    folded_orders_ = is_other ? orders : folded_orders_ | orders;
    asked_folded_ = holders_;
    worker_->ask_folded(folded_ ? *folded_ : FoldedHolders{.holders = holders_}, folded_orders_);
  }
}

void OpenTrace::ask_blocks() {
  if (!std::exchange(asked_blocks_, true)) {
    worker_->ask_blocks();
  }
}

void OpenTrace::ask_activity() {
  if (!std::exchange(asked_activity_, true)) {
    worker_->ask_activity();
  }
}

void OpenTrace::ask_story(trace::AllocationNumber allocation) {
  if (asked_story_ != allocation) {
    asked_story_ = allocation;
    worker_->ask_story(allocation);
  }
}

void OpenTrace::ask_layer_blocks(const LayerBlocksQuestion& question) {
  if (asked_layer_blocks_ != question) {
    asked_layer_blocks_ = question;
    worker_->ask_layer_blocks(question, subject_.phases);
  }
}

void OpenTrace::ask_usage(const UsageQuestion& question) {
  if (asked_usage_ != question) {
    asked_usage_ = question;
    worker_->ask_usage(question);
  }
}

void OpenTrace::ask_tensors() {
  if (facts_ && !std::exchange(asked_tensors_, true)) {
    worker_->ask_tensors(subject_.sized);
  }
}

void OpenTrace::try_again(Question question) {
  if (!has_given_up(question)) {
    return;
  }
  worker_->forget_given_up(question);
  switch (question) {
    case Question::kFacts:
      worker_->ask_facts();
      break;
    case Question::kColumns:
      asked_ = {};
      asked_overview_ = false;
      break;
    case Question::kHolders:
      asked_moment_.reset();
      break;
    case Question::kHeld:
      asked_held_ = {};
      break;
    case Question::kFolded:
      asked_folded_.reset();
      break;
    case Question::kStory:
      asked_story_.reset();
      break;
    case Question::kLayerBlocks:
      asked_layer_blocks_.reset();
      break;
    case Question::kTensors:
      asked_tensors_ = false;
      break;
    case Question::kActivity:
      asked_activity_ = false;
      break;
    case Question::kUsage:
      asked_usage_.reset();
      break;
    case Question::kBlocks:
      asked_blocks_ = false;
      break;
  }
}

bool OpenTrace::take_answers(bool& facts_came) {
  Answers answers = worker_->take();
  bool came = false;
  const auto take = [&came](auto& mine, auto& theirs) {
    if (theirs) {
      mine = std::move(theirs);
      came = true;
    }
  };
  facts_came = answers.facts != nullptr;
  take(facts_, answers.facts);
  take(holders_, answers.holders);
  take(held_, answers.held);
  if (folded_ && folded_->holders != holders_) {
    folded_.reset();
  }
  if (answers.folded && answers.folded->holders == holders_) {
    take(folded_, answers.folded);
  }
  take(blocks_, answers.blocks);
  take(activity_, answers.activity);
  take(story_, answers.story);
  take(layer_blocks_, answers.layer_blocks);
  take(usage_, answers.usage);
  take(tensors_, answers.tensors);
  if (facts_came) {
    subject_ = facts_->subject;
    // A recording in progress has no end yet; any other loss is reported.
    trace::Loss loss = facts_->report.loss_of_peak();
    loss.torn = loss.torn && !is_incomplete();
    if (facts_->report.loss.torn && !loss.torn) {
      subject_.warning = analyzer::loses_anything(loss) ? "LOST: " + analyzer::loss_text(loss) : "";
    }
  }
  // Answers about an earlier axis are of no use.
  if (answers.columns && answers.columns->axis == axis_) {
    if (answers.columns->range == ViewRange{}) {
      overview_ = *answers.columns;
    }
    if (answers.columns->range == asked_.range) {
      exact_ = std::move(*answers.columns);
    }
    came = true;
  }
  if (!answers.error.empty()) {
    error_ = std::move(answers.error);
    is_unreadable_ = answers.is_unreadable;
    came = true;
  }
  const Questions given_up = worker_->given_up();
  came = came || given_up != given_up_;
  given_up_ = given_up;
  return came;
}

}  // namespace tidemark::gui
