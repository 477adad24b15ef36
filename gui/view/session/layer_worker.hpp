/// Finds out what the footprint in view is made of, so that the picture never waits.
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

/// A thread with a LoadedTrace of its own for each trace of the window: what is the same in two of
/// them has one colour, so one thread has to know both. It starts with the first question; one that
/// is asked while another is answered replaces those that wait, and ends the answer unless this is
/// still choosing the same layers.
class LayerWorker {
 public:
  /// `wake` is called from the worker's thread when there is an answer to take.
  LayerWorker(std::vector<std::string> paths, ReadAs how, std::function<void()> wake);
  LayerWorker(const LayerWorker&) = delete;
  LayerWorker& operator=(const LayerWorker&) = delete;
  /// Ends the current answer.
  ~LayerWorker();

  void ask(LayerQuestion question);
  /// Null: nothing new.
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
  /// What was answered last has it all, but for the chosen instant.
  [[nodiscard]] bool is_known_but_chosen(const LayerQuestion& question) const;
  [[nodiscard]] LayerAnswer::Then at_chosen(std::uint64_t at_ns, std::size_t side);
  /// What is left of a trace; null where nothing is taken away of it.
  const analyzer::LoadWithout* without(const LayerQuestion& question, std::size_t side);

  std::vector<std::string> paths_;
  ReadAs how_;
  std::function<void()> wake_;

  mutable std::mutex mutex_;  // Guards what follows, up to `traces_`.
  std::condition_variable asked_;
  std::optional<LayerQuestion> question_;
  std::shared_ptr<const LayerAnswer> answer_;
  std::shared_ptr<const LayerAnswer> out_of_memory_;
  /// That for which the layers are being chosen. Null: they are not.
  const LayerQuestion* choosing_ = nullptr;
  bool stopped_ = false;
  bool busy_ = false;

  std::atomic<bool> ends_early_ = false;  // What is being found out is of no use any more.

  // The worker's thread only.
  std::deque<analyzer::LoadedTrace> traces_;
  std::shared_ptr<const std::vector<picture::Subject>> subjects_;  // Of `layers_`.
  std::optional<analyzer::FootprintLayers> layers_;
  struct Less {
    std::shared_ptr<const analyzer::Removal> removal;
    std::unique_ptr<analyzer::LoadWithout> load;
  };
  std::vector<Less> less_;  // Of each trace.
  std::shared_ptr<const std::vector<analyzer::FootprintLayer>> list_;
  std::shared_ptr<const LayerAnswer> last_;  // A whole one; null: there was none.
  std::thread thread_;                       // Last: it uses all of the above.
};

}  // namespace tidemark::gui
