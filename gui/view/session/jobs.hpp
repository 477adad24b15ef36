/// The jobs that answer long questions about one trace.
#pragma once

#include "gui/view/basics/waste_bin.hpp"
#include "gui/view/session/answers.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tidemark::gui {

/// A question that is being answered, a small step at a time.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual ~Job() = default;

  /// Works for a few milliseconds, longer only where the analyzer cannot be interrupted.
  /// @return false when `finish` has the answer.
  virtual bool step() = 0;
  virtual void finish(Answers& answers) = 0;
};

/// Jobs borrow the trace that they are given.
std::unique_ptr<Job> facts_job(analyzer::LoadedTrace& trace, const std::string& model);
std::unique_ptr<Job> columns_job(analyzer::LoadedTrace& trace, ColumnQuestion question);
/// `bin`: takes the answer once its last owner is gone.
std::unique_ptr<Job> holders_job(analyzer::LoadedTrace& trace,
                                 const Moment& moment,
                                 const std::shared_ptr<WasteBin>& bin);
/// `asked` without bytes.
std::unique_ptr<Job> held_job(analyzer::LoadedTrace& trace, HeldBytes asked);
/// Adds the trees of `orders` to those already folded in `known`.
std::unique_ptr<Job> folded_job(FoldedHolders known,
                                const TreeOrders& orders,
                                const std::shared_ptr<WasteBin>& bin);
std::unique_ptr<Job> blocks_job(analyzer::LoadedTrace& trace);
std::unique_ptr<Job> story_job(analyzer::LoadedTrace& trace, trace::AllocationNumber allocation);
/// `phases`: of the load, to be named in the texts.
std::unique_ptr<Job> layer_blocks_job(analyzer::LoadedTrace& trace,
                                      LayerBlocksQuestion question,
                                      std::vector<analyzer::Phase> phases);
/// `sized`: see tensor_holders.
std::unique_ptr<Job> tensors_job(analyzer::LoadedTrace& trace,
                                 std::vector<analyzer::SizedBlock> sized);
std::unique_ptr<Job> usage_job(analyzer::LoadedTrace& trace, const UsageQuestion& question);
std::unique_ptr<Job> activity_job(analyzer::LoadedTrace& trace);

}  // namespace tidemark::gui
