#include "gui/view/session/jobs.hpp"

#include "analyzer/query/footprint/peak.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/report/facts/group_passages.hpp"
#include "analyzer/report/facts/lives_text.hpp"
#include "analyzer/text/size_text.hpp"
#include "gui/view/blocks/block_layers.hpp"
#include "gui/view/trees/range_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace tidemark::gui {
namespace {

/// Blocks that are drawn one by one; more could not be told apart.
constexpr std::size_t kMaxBlocks = 20'000;
constexpr std::size_t kActivityColumns = 2048;

class FactsJob : public Job {
 public:
  FactsJob(analyzer::LoadedTrace& trace, std::string model)
      : trace_(trace), model_(std::move(model)) {}

  bool step() override {
    auto facts = std::make_shared<TraceFacts>();
    auto report = analyzer::build_report(trace_, {.at_ns = {}, .model = model_});
    if (!report.ok()) {
      error_ = report.error().message;
      return false;
    }
    facts->report = std::move(report.value());
    facts->subject = picture::subject_of(trace_, facts->report);
    facts->subject.trace = nullptr;
    facts_ = std::move(facts);
    return false;
  }

  void finish(Answers& answers) override {
    answers.facts = std::move(facts_);
    if (!error_.empty()) {
      answers.error = std::move(error_);
    }
  }

 private:
  analyzer::LoadedTrace& trace_;
  std::string model_;
  std::shared_ptr<const TraceFacts> facts_;
  std::string error_;
};

class ColumnsJob : public Job {
 public:
  ColumnsJob(analyzer::LoadedTrace& trace, ColumnQuestion question)
      : trace_(trace), borders_(std::move(question.borders)), set_(std::move(question.wanted)) {}

  bool step() override {
    constexpr std::size_t kColumnsAStep = 64;
    if (done_ + 1 >= borders_.size()) {
      return false;
    }
    const std::size_t count = std::min(kColumnsAStep, borders_.size() - 1 - done_);
    const auto columns =
        picture::stacked_columns(trace_, std::span(borders_).subspan(done_, count + 1));
    set_.columns.insert(set_.columns.end(), columns.begin(), columns.end());
    done_ += count;
    return done_ + 1 < borders_.size();
  }

  void finish(Answers& answers) override { answers.columns = std::move(set_); }

 private:
  analyzer::LoadedTrace& trace_;
  std::vector<std::uint64_t> borders_;
  std::size_t done_ = 0;
  ColumnSet set_;
};

class HoldersJob : public Job {
 public:
  HoldersJob(analyzer::LoadedTrace& trace,
             const Moment& moment,
             const std::shared_ptr<WasteBin>& bin)
      : trace_(trace), holders_(WasteBin::shared(bin, std::make_unique<Holders>())) {
    holders_->moment = moment;
    if (moment.is_range()) {
      range_.emplace(trace, *moment.begin_ns, moment.end_ns.value_or(trace.duration_ns()));
    }
  }

  bool step() override {
    if (range_ && range_->step()) {
      return true;
    }
    range_ ? take_range() : take_instant();
    for (std::size_t order = 0; order < kTreeOrders; ++order) {
      holders_->trees.at(order) = build_tree(holders_->stacks, static_cast<TreeOrder>(order));
    }
    return false;
  }

  void finish(Answers& answers) override { answers.holders = std::move(holders_); }

 private:
  void take_range() {
    holders_->stacks = range_->take();
    holders_->ended = range_->ended();
    holders_->at_ns = holders_->moment.end_ns.value_or(trace_.duration_ns());
    holders_->begin_totals = trace_.totals_at(range_->from()).value_or(trace::LaneTotals{});
    holders_->totals = trace_.totals_at(range_->to()).value_or(trace::LaneTotals{});
  }

  void take_instant() {
    const auto& at = holders_->moment.end_ns;
    const analyzer::Instant instant = at ? trace_.instant_at(*at) : analyzer::find_peak(trace_).at;
    const analyzer::LiveSet live = analyzer::live_set_at(trace_, instant);
    holders_->at_ns = live.at.at_ns;
    holders_->totals = live.totals;
    holders_->stacks = named_stacks(live, trace_.definitions());
    holders_->unattributed_bytes = static_cast<std::int64_t>(live.totals.footprint()) -
                                   static_cast<std::int64_t>(holders_->stacks.total.bytes);
  }

  analyzer::LoadedTrace& trace_;
  std::optional<RangeUse> range_;
  std::shared_ptr<Holders> holders_;
};

class HeldJob : public Job {
 public:
  HeldJob(analyzer::LoadedTrace& trace, HeldBytes asked) : trace_(trace), held_(std::move(asked)) {}
  bool step() override {
    held_.bytes = held_.functions->held(held_.holders->stacks, trace_.definitions());
    return false;
  }
  void finish(Answers& answers) override {
    answers.held = std::make_shared<const HeldBytes>(std::move(held_));
  }

 private:
  analyzer::LoadedTrace& trace_;
  HeldBytes held_;
};

class FoldedJob : public Job {
 public:
  FoldedJob(FoldedHolders known, const TreeOrders& orders, std::shared_ptr<WasteBin> bin)
      : bin_(std::move(bin)),
        folded_(std::make_shared<FoldedHolders>(std::move(known))),
        orders_(orders) {}

  bool step() override {
    for (; order_ < kTreeOrders; ++order_) {
      auto& tree = folded_->trees.at(order_);
      if (orders_[order_] && tree == nullptr) {
        tree = WasteBin::shared(bin_, std::make_unique<const FoldedTree>(fold_recursion(
                                          folded_->holders->tree(static_cast<TreeOrder>(order_)))));
        return true;
      }
    }
    return false;
  }
  void finish(Answers& answers) override { answers.folded = std::move(folded_); }

 private:
  std::shared_ptr<WasteBin> bin_;
  std::shared_ptr<FoldedHolders> folded_;
  TreeOrders orders_;
  std::size_t order_ = 0;
};

class BlocksJob : public Job {
 public:
  explicit BlocksJob(analyzer::LoadedTrace& trace) : gatherer_(trace, kMaxBlocks) {}
  bool step() override { return gatherer_.step(); }
  void finish(Answers& answers) override {
    answers.blocks = std::make_shared<const BlockList>(gatherer_.take());
  }

 private:
  BlockGatherer gatherer_;
};

class StoryJob : public Job {
 public:
  StoryJob(analyzer::LoadedTrace& trace, trace::AllocationNumber allocation)
      : gatherer_(trace, allocation) {}
  bool step() override {
    if (gatherer_.step()) {
      return true;
    }
    // Looks other blocks up.
    story_ = std::make_shared<const BlockStory>(gatherer_.take());
    return false;
  }
  void finish(Answers& answers) override { answers.story = std::move(story_); }

 private:
  StoryGatherer gatherer_;
  std::shared_ptr<const BlockStory> story_;
};

class LayerBlocksJob : public Job {
 public:
  LayerBlocksJob(analyzer::LoadedTrace& trace,
                 LayerBlocksQuestion question,
                 std::vector<analyzer::Phase> phases)
      : trace_(trace), phases_(std::move(phases)) {
    found_.question = std::move(question);
  }

  bool step() override {
    const auto& [side, by, layers, begin_ns, end_ns, footprint] = found_.question;
    const analyzer::Instant at = analyzer::layer_point(trace_, begin_ns, end_ns, footprint).at;
    BlockLayers of_blocks({.trace = &trace_, .peak = {}, .phases = {}, .sized = {}}, side, by,
                          layers);
    const auto followed = analyzer::follow_groups(
        trace_, at, layers->size(),
        [&of_blocks](const trace::Event& event) { return layer_of(of_blocks, event); });
    const auto sums = sums_at(at, of_blocks);
    for (std::size_t i = 0; i < layers->size(); ++i) {
      found_.lines.push_back(sums[i].blocks == 0 ? std::vector<std::string>{}
                                                 : lines_of(at, sums[i], followed.groups[i]));
    }
    return false;
  }
  void finish(Answers& answers) override {
    answers.layer_blocks = std::make_shared<const LayerBlocks>(std::move(found_));
  }

 private:
  struct Sum {
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
  };

  /// `34.8 MiB in 887,698 blocks at the peak`, and what the page says of an opened row.
  [[nodiscard]] std::vector<std::string> lines_of(const analyzer::Instant& at,
                                                  const Sum& sum,
                                                  const analyzer::FollowedGroup& group) const {
    const analyzer::Instant peak = analyzer::find_peak(trace_).at;
    const bool is_peak = at.block == peak.block && at.events == peak.events;
    std::string sum_line =
        fmt::format("{} in {} {} {}", analyzer::format_size(sum.bytes),
                    analyzer::format_count(sum.blocks), sum.blocks == 1 ? "block" : "blocks",
                    is_peak ? "at the peak" : "at " + analyzer::format_exact_time(at.at_ns));
    const analyzer::BlockLives& lives = group.lives;
    if (sum.blocks > 1 && lives.largest_bytes < analyzer::kToldAlone) {
      sum_line += fmt::format(", {} on the average, the largest {}",
                              analyzer::format_size(sum.bytes / sum.blocks),
                              analyzer::format_size(lives.largest_bytes));
    }
    std::vector<std::string> lines{
        std::move(sum_line),
        analyzer::lives_text(
            lives, trace_.definitions(),
            {.peak_ns = peak.at_ns, .end_ns = trace_.duration_ns(), .phases = phases_})};
    const auto passages = analyzer::passage_lines(trace_.definitions(), group);
    lines.insert(lines.end(), passages.begin(), passages.end());
    return lines;
  }

  static std::optional<std::uint32_t> layer_of(BlockLayers& of_blocks, const trace::Event& event) {
    const auto layer = of_blocks.of({.allocation = event.allocation,
                                     .bytes = event.size,
                                     .stack = event.stack,
                                     .thread = event.thread,
                                     .lane = event.lane});
    return layer && trace::in_footprint(event.lane)
               ? std::optional(static_cast<std::uint32_t>(*layer))
               : std::nullopt;
  }

  [[nodiscard]] std::vector<Sum> sums_at(const analyzer::Instant& at,
                                         BlockLayers& of_blocks) const {
    std::vector<Sum> sums(found_.question.layers->size());
    for (const analyzer::LiveStack& held : analyzer::live_set_at(trace_, at).stacks) {
      const auto layer =
          layer_of(of_blocks, {.size = held.bytes, .stack = held.stack, .lane = held.lane});
      if (layer) {
        sums[*layer].bytes += held.bytes;
        sums[*layer].blocks += held.blocks;
      }
    }
    return sums;
  }

  analyzer::LoadedTrace& trace_;
  std::vector<analyzer::Phase> phases_;
  LayerBlocks found_;
};

class TensorsJob : public Job {
 public:
  TensorsJob(analyzer::LoadedTrace& trace, std::vector<analyzer::SizedBlock> sized)
      : trace_(trace), sized_(std::move(sized)) {}
  bool step() override {
    holders_ = std::make_shared<const TensorHolders>(
        tensor_holders(trace_, analyzer::find_peak(trace_).at, sized_));
    return false;
  }
  void finish(Answers& answers) override { answers.tensors = std::move(holders_); }

 private:
  analyzer::LoadedTrace& trace_;
  std::vector<analyzer::SizedBlock> sized_;
  std::shared_ptr<const TensorHolders> holders_;
};

class ActivityJob : public Job {
 public:
  explicit ActivityJob(analyzer::LoadedTrace& trace) : gatherer_(trace, kActivityColumns) {}
  bool step() override { return gatherer_.step(); }
  void finish(Answers& answers) override {
    answers.activity = std::make_shared<const Activity>(gatherer_.take());
  }

 private:
  ActivityGatherer gatherer_;
};

class UsageJob : public Job {
 public:
  UsageJob(analyzer::LoadedTrace& trace, const UsageQuestion& question)
      : trace_(trace), question_(question) {}
  bool step() override {
    constexpr std::size_t kMaxRows = 500;
    usage_ = std::make_shared<const AllocationUsage>(allocation_usage(trace_, question_, kMaxRows));
    return false;
  }
  void finish(Answers& answers) override { answers.usage = std::move(usage_); }

 private:
  analyzer::LoadedTrace& trace_;
  UsageQuestion question_;
  std::shared_ptr<const AllocationUsage> usage_;
};

}  // namespace

std::unique_ptr<Job> usage_job(analyzer::LoadedTrace& trace, const UsageQuestion& question) {
  return std::make_unique<UsageJob>(trace, question);
}
std::unique_ptr<Job> facts_job(analyzer::LoadedTrace& trace, const std::string& model) {
  return std::make_unique<FactsJob>(trace, model);
}
std::unique_ptr<Job> columns_job(analyzer::LoadedTrace& trace, ColumnQuestion question) {
  return std::make_unique<ColumnsJob>(trace, std::move(question));
}
std::unique_ptr<Job> holders_job(analyzer::LoadedTrace& trace,
                                 const Moment& moment,
                                 const std::shared_ptr<WasteBin>& bin) {
  return std::make_unique<HoldersJob>(trace, moment, bin);
}
std::unique_ptr<Job> held_job(analyzer::LoadedTrace& trace, HeldBytes asked) {
  return std::make_unique<HeldJob>(trace, std::move(asked));
}
std::unique_ptr<Job> folded_job(FoldedHolders known,
                                const TreeOrders& orders,
                                const std::shared_ptr<WasteBin>& bin) {
  return std::make_unique<FoldedJob>(std::move(known), orders, bin);
}
std::unique_ptr<Job> blocks_job(analyzer::LoadedTrace& trace) {
  return std::make_unique<BlocksJob>(trace);
}
std::unique_ptr<Job> story_job(analyzer::LoadedTrace& trace, trace::AllocationNumber allocation) {
  return std::make_unique<StoryJob>(trace, allocation);
}
std::unique_ptr<Job> layer_blocks_job(analyzer::LoadedTrace& trace,
                                      LayerBlocksQuestion question,
                                      std::vector<analyzer::Phase> phases) {
  return std::make_unique<LayerBlocksJob>(trace, std::move(question), std::move(phases));
}
std::unique_ptr<Job> tensors_job(analyzer::LoadedTrace& trace,
                                 std::vector<analyzer::SizedBlock> sized) {
  return std::make_unique<TensorsJob>(trace, std::move(sized));
}
std::unique_ptr<Job> activity_job(analyzer::LoadedTrace& trace) {
  return std::make_unique<ActivityJob>(trace);
}

}  // namespace tidemark::gui
