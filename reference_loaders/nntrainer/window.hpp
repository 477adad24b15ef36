#pragma once

#include "reference_loaders/nntrainer/layer_memory.hpp"
#include "reference_loaders/nntrainer/run.hpp"
#include "reference_loaders/nntrainer/schedule.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <vector>

/// State shared by the three threads of a window: the state of each layer, and who waits for what.
/// Every function but those of a LayerMemory is thread-safe.
///
///     swapped --load--> wait-for-exec --filled--> ready --ran--> wait-for-off --saved--> swapped
///
/// The work waits for its layer to be loaded, never for one to be saved. A save waits for nothing.
/// A load waits for the window to reach its layer and, where N + 2 layers are in memory, for a
/// save: that alone bounds memory.
namespace tidemark::loaders::nntrainer {

enum class LayerState {
  kSwapped,      ///< Takes no memory; the others do.
  kWaitForExec,  ///< Being loaded.
  kReady,        ///< Loaded, or kept: it runs now or soon.
  kWaitForOff,   ///< Being saved, or about to be.
};

/// A layer that has just run, and the consumers of its results: those in memory get them now, the
/// others from the swap file when they are loaded.
struct Finished {
  struct Target {
    LayerIndex layer = 0;
    std::size_t input = 0;  ///< Forward: of the layer. Backward: of the one that has just run.
    bool is_first = true;   ///< Backward: nothing has come from another reader.
  };

  LayerIndex layer = 0;
  std::vector<Target> targets = {};
  bool leaves = false;
  // To be saved when it leaves:
  bool weights = false;
  std::vector<bool> inputs = {};
  bool output = false;
};

/// A layer that may be loaded now.
struct Loading {
  /// A layer that ran already, and whose output, or derivative, the loaded one needs.
  struct Source {
    LayerIndex layer = 0;
    std::size_t input = 0;  ///< As in Finished::Target, with loaded and finished exchanged.
    bool is_kept = false;   ///< It is still in memory, and stays there.
  };

  LayerMemory* memory = nullptr;
  std::vector<Source> sources = {};
};

class Window {
 public:
  /// The network and the work are borrowed.
  Window(const Network& network, const LayerWork& work, const WindowSize& size);

  // Called by the load thread, for every step in its order.

  /// Waits until the step's layer may be loaded, and allocates it. None when it is in memory still.
  std::optional<Loading> begin_load(std::size_t step);
  /// Waits until a source that is not kept is in the swap file.
  void wait_until_swapped(LayerIndex layer);
  void end_load(LayerIndex layer);

  // Called by the work thread.

  /// Waits until the step's layer is ready.
  LayerMemory& wait_to_run(std::size_t step);
  /// Returns what to do with the step's results. Opens the next step's window.
  Finished finish(std::size_t step);
  /// Waits until a target is ready to be handed something.
  LayerMemory& wait_for_target(LayerIndex layer);
  [[nodiscard]] LayerMemory& memory(LayerIndex layer) { return *memory_[layer]; }
  /// Everything was handed over: the layer may leave.
  void leave(Finished finished);
  /// There are no more steps.
  void close();

  // Called by the save thread.

  /// The next layer to save; none when all is done.
  std::optional<Finished> next_to_save();
  /// Frees the layer.
  void end_save(LayerIndex layer);

  /// Ends all waiting in every thread with this exception. Only the first call counts.
  void fail(std::exception_ptr error);
  /// @throws what was passed to `fail`
  void rethrow_failure() const;

  // When the threads are done.

  /// Seconds that the work waited for each step's layer.
  [[nodiscard]] const std::vector<double>& stalls() const { return stalls_; }
  /// Bytes of the layers in memory and of the work, at their highest, by this object's own account.
  [[nodiscard]] std::uint64_t highest_bytes() const { return highest_bytes_; }
  [[nodiscard]] std::size_t widest() const { return widest_; }

  /// Whether `begin_load` would not wait.
  [[nodiscard]] bool may_load_for_testing(std::size_t step) const;

 private:
  using Lock = std::unique_lock<std::mutex>;

  template <typename Condition>
  void wait(Lock& lock, const Condition& condition);
  [[nodiscard]] bool may_load(std::size_t step) const;
  [[nodiscard]] bool has_run(LayerIndex layer, Pass pass) const;
  [[nodiscard]] bool is_in_memory(LayerIndex layer) const;
  [[nodiscard]] std::vector<Loading::Source> sources_of(const Step& step) const;
  void add_targets(const Step& step, Finished* finished);
  [[nodiscard]] bool is_kept(std::size_t step) const;
  void wait_until_ready(Lock& lock, LayerIndex layer);
  void adapt();
  void note_bytes();

  const Network& network_;
  const LayerWork& work_;
  const std::vector<Step> steps_;
  const bool is_adaptive_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<LayerState> states_;
  std::vector<std::optional<LayerMemory>> memory_;
  std::vector<std::size_t> derivatives_;  ///< How many have come to each layer's output.
  std::deque<Finished> leaving_;
  std::size_t n_;
  std::size_t current_ = 0;    ///< Step that runs, or is waited for.
  std::size_t next_load_ = 0;  ///< Step that the load thread has not seen yet.
  std::size_t layers_in_memory_ = 0;
  bool is_closed_ = false;
  std::exception_ptr error_;

  // For adapting: whether any thread has work to do.
  bool load_waits_for_window_ = false;
  bool has_stalled_ = false;
  std::size_t idle_steps_ = 0;

  std::vector<double> stalls_;
  std::uint64_t bytes_ = 0;
  std::uint64_t highest_bytes_ = 0;
  std::size_t widest_;
};

}  // namespace tidemark::loaders::nntrainer
