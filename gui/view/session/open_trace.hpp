/// A trace in the window: block summaries are at hand, its worker answers everything else.
#pragma once

#include "analyzer/query/footprint/timeline.hpp"
#include "collector/trace/types/unfinished.hpp"
#include "gui/view/files/growing_file.hpp"
#include "gui/view/session/read_as.hpp"
#include "gui/view/session/trace_worker.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tidemark::gui {

/// Not thread-safe: the window's thread asks and takes.
class OpenTrace {
 public:
  /// Reads tables and summaries only. `wake`: see TraceWorker. If `path` is a recording that has
  /// ended meanwhile, opens the finished trace.
  /// @return the reader's sentence for a file that is missing, no trace, or of a newer format.
  static Result<std::unique_ptr<OpenTrace>> open(std::string path,
                                                 const ReadAs& how,
                                                 const std::function<void()>& wake);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const trace::Definitions& definitions() const { return trace_.definitions(); }
  [[nodiscard]] std::uint64_t event_count() const { return trace_.event_count(); }
  /// Without model, phases and reading progress until the facts have come.
  [[nodiscard]] const picture::Subject& subject() const { return subject_; }
  /// For layering without reading events. Borrowed from this.
  [[nodiscard]] analyzer::LayeredLoad layered() {
    auto load = subject_.layered();
    load.trace = &trace_;
    return load;
  }
  /// This and the next five: null until the answer has come.
  [[nodiscard]] const TraceFacts* facts() const { return facts_.get(); }
  [[nodiscard]] std::shared_ptr<const Holders> holders() const { return holders_; }
  /// The last answer to have come, perhaps not to the last question.
  [[nodiscard]] std::shared_ptr<const HeldBytes> held() const { return held_; }
  /// The holders' trees in the orders asked for so far.
  [[nodiscard]] std::shared_ptr<const FoldedHolders> folded() const { return folded_; }
  [[nodiscard]] std::shared_ptr<const BlockList> blocks() const { return blocks_; }
  [[nodiscard]] std::shared_ptr<const Activity> activity() const { return activity_; }
  /// Null until the story of the block asked for last has come.
  [[nodiscard]] std::shared_ptr<const BlockStory> story() const {
    return story_ != nullptr && story_->block.allocation == asked_story_ ? story_ : nullptr;
  }
  /// This and the next: null until the answer to the last question has come.
  [[nodiscard]] std::shared_ptr<const LayerBlocks> layer_blocks() const {
    return layer_blocks_ != nullptr && layer_blocks_->question == asked_layer_blocks_
               ? layer_blocks_
               : nullptr;
  }
  [[nodiscard]] std::shared_ptr<const AllocationUsage> usage() const {
    return usage_ != nullptr && usage_->question == asked_usage_ ? usage_ : nullptr;
  }
  /// Which block holds which tensor; null until it is known.
  [[nodiscard]] std::shared_ptr<const TensorHolders> tensors() const { return tensors_; }
  /// One sentence: what of the trace could not be read. Empty: all of it can be.
  [[nodiscard]] const std::string& error() const { return error_; }
  /// False if no answer will come: it did not fit into memory, or `error` says why.
  [[nodiscard]] bool may_answer(Question question) const {
    const bool has_no_facts = question == Question::kFacts && !error_.empty();
    return !is_unreadable_ && !has_no_facts && !has_given_up(question);
  }
  /// Its answer did not fit into memory: it is not asked again by itself.
  [[nodiscard]] bool has_given_up(Question question) const {
    return worker_->given_up().test(static_cast<std::size_t>(question));
  }
  [[nodiscard]] bool has_given_up_any() const { return worker_->given_up().any(); }
  /// Forgets that a question was given up, so that it is asked as if for the first time.
  void try_again(Question question);
  /// True while it is being recorded, as its name says.
  [[nodiscard]] bool is_incomplete() const { return path_.ends_with(trace::kUnfinished); }
  /// `recording`, with its age if the recorder or this object is behind, and how long the programs
  /// have waited for the recorder; empty for a finished trace.
  [[nodiscard]] std::string recording_text() const;
  /// True when the file has grown since it was opened, or has got its final name.
  [[nodiscard]] bool has_changed() const { return file_.has_changed(); }
  /// Call now and then. @return true if recording_text() has changed.
  bool look_at_file(GrowingFile::Clock::time_point now);

  /// The columns in view, without waiting: exact where known, elsewhere with maxima that are never
  /// too low. Asks for the exact columns of `goal`, where the range is going.
  std::vector<picture::StackedColumn> columns(const picture::Warp& warp,
                                              const ViewRange& now,
                                              const ViewRange& goal,
                                              std::size_t count);
  /// The same without asking for more.
  std::vector<picture::StackedColumn> columns_at_hand(const picture::Warp& warp,
                                                      const ViewRange& now,
                                                      std::size_t count);
  /// Those of the whole axis, without waiting. Asks for exact ones only while idle.
  std::vector<picture::StackedColumn> whole_columns(const picture::Warp& warp, std::size_t count);
  /// The exact columns of a range with its margins; null until they have come. Borrowed until
  /// answers are taken next.
  [[nodiscard]] const ColumnSet* exact_columns(const ViewRange& range, std::size_t count) const {
    return has_exactly(exact_, range, count) ? &exact_ : nullptr;
  }
  /// Call when the axis changes: columns are asked for anew.
  void forget_columns();

  /// This and the next: repeating a question does nothing. Answers come with `take_answers`.
  void ask_holders(const Moment& moment);
  /// Asks how much is held through each function, once the holders are known.
  void ask_held(const std::shared_ptr<const FunctionBytes>& functions);
  /// Asks for the holders' folded trees, once the holders are known.
  void ask_folded(const TreeOrders& orders);
  void ask_blocks();
  void ask_activity();
  void ask_story(trace::AllocationNumber allocation);
  void ask_layer_blocks(const LayerBlocksQuestion& question);
  void ask_usage(const UsageQuestion& question);
  /// Asks once the facts are known, since it needs some of them.
  void ask_tensors();

  /// @return true if there was something new. `facts_came`: set if the subject changed.
  bool take_answers(bool& facts_came);
  [[nodiscard]] bool is_idle() const { return worker_->is_idle(); }
  TraceWorker& worker_for_testing() { return *worker_; }

 private:
  OpenTrace(std::string path,
            GrowingFile file,
            const ReadAs& how,
            analyzer::LoadedTrace trace,
            const std::function<void()>& wake);
  void ask_columns(const picture::Warp& warp, const ViewRange& range, std::size_t count);

  std::string path_;
  GrowingFile file_;
  GrowingFile::Clock::time_point looked_at_{};  // When look_at_file last did.
  analyzer::LoadedTrace trace_;                 // For its tables and summaries.
  analyzer::Timeline timeline_;
  picture::Subject subject_;

  ColumnSet overview_;  // Exact, whole axis; empty until known.
  ColumnSet exact_;     // The last answer.
  ColumnSet asked_;     // The last question, without columns.
  std::uint32_t axis_ = 0;
  std::optional<Moment> asked_moment_;
  HeldBytes asked_held_;  // Without bytes.
  std::shared_ptr<const Holders> asked_folded_;
  TreeOrders folded_orders_;  // Orders asked for of these.
  bool asked_overview_ = false;
  bool asked_blocks_ = false;
  bool asked_activity_ = false;
  bool asked_tensors_ = false;
  std::optional<trace::AllocationNumber> asked_story_;
  std::optional<LayerBlocksQuestion> asked_layer_blocks_;
  std::optional<UsageQuestion> asked_usage_;

  std::shared_ptr<const TraceFacts> facts_;
  std::shared_ptr<const Holders> holders_;
  std::shared_ptr<const HeldBytes> held_;
  std::shared_ptr<const FoldedHolders> folded_;
  std::shared_ptr<const BlockList> blocks_;
  std::shared_ptr<const Activity> activity_;
  std::shared_ptr<const BlockStory> story_;
  std::shared_ptr<const LayerBlocks> layer_blocks_;
  std::shared_ptr<const AllocationUsage> usage_;
  std::shared_ptr<const TensorHolders> tensors_;
  std::string error_;
  bool is_unreadable_ = false;
  Questions given_up_;  // When answers were last taken.
  std::unique_ptr<TraceWorker> worker_;
};

}  // namespace tidemark::gui
