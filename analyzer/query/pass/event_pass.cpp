#include "analyzer/query/pass/event_pass.hpp"

#include "analyzer/query/pass/ahead.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

namespace tidemark::analyzer {
namespace {

/// What was read of a block before the listeners need it.
struct ReadBlock {
  trace::BlockDigest digest;
  bool has_digest = false;
  bool was_decoded = false;
  trace::DecodeOutcome outcome;
  Excerpt excerpt;
};

bool make_excerpt(trace::BlockReader& reader, ExcerptMaker maker) {
  const bool is_intact =
      reader.decode_parts([&maker](std::span<const trace::Event> events) { maker.see(events); });
  maker.finish();
  return is_intact;
}

}  // namespace

class EventPass {
 public:
  EventPass(LoadedTrace& trace,
            const std::vector<ResidentTotals>& samples,
            std::span<PassListener* const> listeners)
      : trace_(trace), samples_(samples), listeners_(listeners) {}

  void run() {
    const std::size_t count = trace_.blocks().size();
    Ahead<ReadBlock> blocks(count, [this] { return new_maker(); });
    for (std::size_t number = 0; number < count && !trace_.is_stopped(); ++number) {
      pass(number, blocks.next());
    }
  }

  /// On this thread: for a block that turned out to be needed, or to be needed with more.
  const Excerpt* read_now(std::size_t number, std::uint64_t least_release_bytes) {
    least_release_bytes_ = std::min(least_release_bytes_.load(), least_release_bytes);
    if (!reader_) {
      reader_ = trace_.block_reader();
    }
    reader_->enter(number);
    const bool is_intact =
        make_excerpt(*reader_, {trace_.blocks()[number], samples_, least_release_bytes, excerpt_});
    trace_.count(number, reader_->outcome());
    reader_->leave();
    return is_intact ? &excerpt_ : nullptr;
  }

 private:
  Ahead<ReadBlock>::Make new_maker() {
    return [this, reader = std::shared_ptr(trace_.block_reader())](
               std::size_t number, ReadBlock& block) { read(*reader, number, block); };
  }

  void read(trace::BlockReader& reader, std::size_t number, ReadBlock& block) const {
    const trace::BlockSummary& summary = trace_.blocks()[number];
    block.has_digest =
        reader.enter(number) && reader.digest(block.digest, trace::DigestUse::kComplete);
    block.was_decoded =
        !block.has_digest || std::ranges::any_of(listeners_, [&](const PassListener* listener) {
          return listener->needs_events(number, summary, block.digest);
        });
    if (block.was_decoded) {
      make_excerpt(reader, {summary, samples_, least_release_bytes_, block.excerpt});
      block.outcome = reader.outcome();
    }
    reader.leave();
  }

  void pass(std::size_t number, const ReadBlock& block) {
    if (block.was_decoded) {
      trace_.count(number, block.outcome);
    }
    const bool has_events = block.was_decoded && block.outcome.is_intact;
    PassedBlock passed(*this, number, trace_.blocks()[number],
                       block.has_digest ? &block.digest : nullptr,
                       has_events ? &block.excerpt : nullptr);
    passed.is_damaged_ = block.was_decoded && !has_events;
    for (PassListener* const listener : listeners_) {
      listener->see(passed);
    }
  }

  LoadedTrace& trace_;
  const std::vector<ResidentTotals>& samples_;
  std::span<PassListener* const> listeners_;
  // The least release size that the last listener asked for: read-ahead uses it, so that little is
  // read twice.
  std::atomic<std::uint64_t> least_release_bytes_{kLargeBlockBytes};
  std::unique_ptr<trace::BlockReader> reader_;  // For `read_now`, with its excerpt.
  Excerpt excerpt_;
};

const Excerpt* PassedBlock::excerpt(std::uint64_t least_release_bytes) {
  const bool is_enough =
      excerpt_ != nullptr && excerpt_->least_release_bytes <= least_release_bytes;
  if (!is_enough && !is_damaged_) {
    excerpt_ = pass_.read_now(number_, least_release_bytes);
    is_damaged_ = excerpt_ == nullptr;
  }
  return excerpt_;
}

void run_pass(LoadedTrace& trace,
              const std::vector<ResidentTotals>& samples,
              std::span<PassListener* const> listeners) {
  EventPass(trace, samples, listeners).run();
}

}  // namespace tidemark::analyzer
