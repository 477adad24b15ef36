/// Finds out in the background what the footprint in view is made of, so that drawing never waits.
#pragma once

#include "collector/trace/types/result.hpp"
#include "gui/view/session/layer_answers.hpp"
#include "gui/view/session/read_as.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tidemark::gui {

/// One thread with a LoadedTrace of its own for each trace of the window. A layer has one colour in
/// both traces, so one thread must know both. It starts with the first question. A new question
/// replaces the one that waits, and stops the work on the current one unless that is choosing
/// layers which the new one needs too.
class LayerWorker {
 public:
  /// `wake` is called from the worker's thread when there is an answer to take.
  LayerWorker(std::vector<std::string> paths, ReadAs how, std::function<void()> wake);
  LayerWorker(const LayerWorker&) = delete;
  LayerWorker& operator=(const LayerWorker&) = delete;
  /// Stops the work on the current question.
  ~LayerWorker();

  void ask(LayerQuestion question);
  /// Null if there is nothing new.
  std::shared_ptr<const LayerAnswer> take();
  [[nodiscard]] bool is_idle() const;

 private:
  void run();
  /// @return false when it is time to stop.
  bool wait_for(LayerQuestion& question);
  /// Null: there is another question.
  std::shared_ptr<const LayerAnswer> answer(const LayerQuestion& question);
  std::shared_ptr<const LayerAnswer> answer_or_fail(const LayerQuestion& question);
  /// @return the reader's sentence; empty when all are open.
  std::string open_traces();
  [[nodiscard]] bool knows_layers(const LayerQuestion& question) const;
  /// @return false when there is another question.
  bool choose_layers(const LayerQuestion& question);
  LayerAnswer::Side answer_for(const LayerQuestion& question, std::size_t side);
  /// True if the last answer lacks nothing but the chosen instant.
  [[nodiscard]] bool is_known_but_chosen(const LayerQuestion& question) const;
  [[nodiscard]] LayerAnswer::Then at_chosen(std::uint64_t at_ns, std::size_t side);
  /// The rest of a trace; null if nothing is taken away from it.
  const analyzer::LoadWithout* without(const LayerQuestion& question, std::size_t side);

  std::vector<std::string> paths_;
  ReadAs how_;
  std::function<void()> wake_;

  mutable std::mutex mutex_;  // Guards what follows, up to `traces_`.
  std::condition_variable asked_;
  std::optional<LayerQuestion> question_;
  std::shared_ptr<const LayerAnswer> answer_;
  std::shared_ptr<const LayerAnswer> out_of_memory_;
  /// The question whose layers are being chosen; null: none are.
  const LayerQuestion* choosing_ = nullptr;
  bool stopped_ = false;
  bool busy_ = false;

  std::atomic<bool> ends_early_ = false;  // The work on the current question is to stop.

  // The worker's thread only.
  std::deque<analyzer::LoadedTrace> traces_;
  std::shared_ptr<const std::vector<picture::Subject>> subjects_;  // The subjects of `layers_`.
  std::optional<analyzer::FootprintLayers> layers_;
  struct Less {
    std::shared_ptr<const analyzer::Removal> removal;
    std::unique_ptr<analyzer::LoadWithout> load;
  };
  std::vector<Less> less_;  // By trace.
  std::shared_ptr<const std::vector<analyzer::FootprintLayer>> list_;
  std::shared_ptr<const LayerAnswer> last_;  // The last one without error; null: none yet.
  std::thread thread_;                       // Last: it uses all of the above.
};

}  // namespace tidemark::gui
