/// Follows the model through the events of a trace, as a listener of a shared pass.
#pragma once

#include "analyzer/flow/following/flow_collector.hpp"
#include "analyzer/flow/model_files.hpp"
#include "analyzer/flow/model_flow.hpp"
#include "analyzer/query/footprint/peak.hpp"
#include "analyzer/query/pass/event_pass.hpp"

namespace tidemark::analyzer {

/// Skips the events of a block whose digest shows no touch, read, mapping or large allocation, and
/// no end of a known large block.
class ModelFollower : public PassListener {
 public:
  /// `trace` stays borrowed.
  ModelFollower(const LoadedTrace& trace, const Peak& peak, ModelFiles files);

  [[nodiscard]] bool needs_events(std::size_t block,
                                  const trace::BlockSummary& summary,
                                  const trace::BlockDigest& digest) const override;
  void see(PassedBlock& block) override;

  /// The files that were followed.
  [[nodiscard]] const ModelFiles& files() const { return files_; }
  /// After the pass. `load` must have its files and peak; `files` are its model's.
  ModelFlow take(const LoadFacts& load, const ModelFiles& files);

 private:
  [[nodiscard]] bool ends_known_block(const trace::BlockDigest& digest) const;

  std::size_t peak_block_;
  ModelFiles files_;
  FlowCollector collector_;  // Borrows `files_`.
};

/// A pass for the model alone.
ModelFlow follow_model(LoadedTrace& trace, const LoadFacts& load, const ModelFiles& files);

}  // namespace tidemark::analyzer
