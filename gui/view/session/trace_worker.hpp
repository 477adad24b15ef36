/// Answers long questions about one trace in the background, so that drawing never waits.
#pragma once

#include "collector/trace/types/result.hpp"
#include "gui/view/session/answers.hpp"
#include "gui/view/session/jobs.hpp"
#include "gui/view/session/read_as.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tidemark::gui {

/// A thread with a LoadedTrace of its own. A new question replaces an unanswered one of its kind.
/// Short questions go before long ones and interrupt them. One whose answer does not fit into
/// memory is given up; the others are answered all the same.
class TraceWorker {
 public:
  /// Starts at once with the facts. `wake` is called from the worker's thread when there is an
  /// answer to take.
  TraceWorker(std::string path, ReadAs how, std::function<void()> wake);
  TraceWorker(const TraceWorker&) = delete;
  TraceWorker& operator=(const TraceWorker&) = delete;
  /// Stops the current job.
  ~TraceWorker();

  /// About the whole trace: see TraceFacts.
  void ask_facts();
  void ask(ColumnQuestion question);
  void ask(const Moment& moment);
  /// `asked` without bytes.
  void ask(const HeldBytes& asked);
  /// See folded_job.
  void ask_folded(const FoldedHolders& known, const TreeOrders& orders);
  void ask_blocks();
  void ask_activity();
  void ask_story(trace::AllocationNumber allocation);
  /// See layer_blocks_job.
  void ask_layer_blocks(const LayerBlocksQuestion& question, std::vector<analyzer::Phase> phases);
  void ask_usage(const UsageQuestion& question);
  /// `sized`: see tensor_holders.
  void ask_tensors(std::vector<analyzer::SizedBlock> sized);

  using MakeJob = std::function<std::unique_ptr<Job>(analyzer::LoadedTrace&)>;
  /// `make` is called on the worker's thread, and so is the job.
  void ask(Question question, MakeJob make);

  /// What has come since the last call.
  Answers take();
  /// The questions given up and not asked again since.
  [[nodiscard]] Questions given_up() const;
  void forget_given_up(Question question);
  /// True when every question has been answered.
  [[nodiscard]] bool is_idle() const;

 private:
  /// A question that is being answered.
  struct Work {
    MakeJob make;  ///< Null once `job` is made.
    std::unique_ptr<Job> job;

    [[nodiscard]] bool is_done() const { return make == nullptr && job == nullptr; }
  };

  void run();
  void read_and_answer();
  void fail(std::string sentence);
  void answer_all(analyzer::LoadedTrace& trace);
  /// Runs one step of the most urgent job.
  void answer_next(analyzer::LoadedTrace& trace);
  void give_up(std::size_t question);
  /// Replaces jobs by those of new questions. @return false when it is time to stop.
  bool take_questions(analyzer::LoadedTrace& trace);
  void work_on(Work& work, analyzer::LoadedTrace& trace);

  std::string path_;
  ReadAs how_;
  std::function<void()> wake_;
  std::shared_ptr<WasteBin> bin_ = std::make_shared<WasteBin>();  ///< The worker empties it.

  mutable std::mutex mutex_;  // Guards what follows, up to `works_`.
  std::condition_variable asked_;
  std::array<MakeJob, kQuestions> questions_;  // By Question.
  Answers answers_;
  std::atomic<bool> stopped_ = false;  ///< Also interrupts reading of the trace.
  bool has_failed_ = false;            ///< No question will be answered any more.
  Questions given_up_;
  bool busy_ = true;

  std::array<Work, kQuestions> works_;  // By Question. The worker's thread only.
  std::thread thread_;                  // Last: it uses all of the above.
};

}  // namespace tidemark::gui
