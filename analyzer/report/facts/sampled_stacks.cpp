#include "analyzer/report/facts/sampled_stacks.hpp"

#include "analyzer/query/live/live_set.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tidemark::analyzer {
namespace {

/// One sum for each function that asked, by its name and module.
class FunctionSums {
 public:
  FunctionSums(const trace::Definitions& definitions, std::uint64_t sample_bytes)
      : definitions_(definitions), sample_bytes_(sample_bytes) {}

  void add(trace::StackId stack, std::uint64_t bytes) { row_of(stack).sum.add(bytes); }

  [[nodiscard]] std::vector<SampledFunction> sorted() const {
    std::vector<SampledFunction> functions;
    for (const auto& [name, row] : rows_) {
      functions.push_back({.asking = row.asking,
                           .blocks = row.sum.blocks(),
                           .bytes = row.sum.bytes(),
                           .all = {row.sum.estimate(), row.sum.error()}});
    }
    std::ranges::stable_sort(functions, std::ranges::greater{},
                             [](const SampledFunction& one) { return one.all.bytes; });
    return functions;
  }

 private:
  struct Row {
    NamedFrame asking;
    SampledSum sum;
  };
  using Rows = std::map<std::pair<std::string, std::string>, Row>;

  Row& row_of(trace::StackId stack) {
    const auto [place, is_new] = by_stack_.try_emplace(trace::index(stack), nullptr);
    if (is_new) {
      NamedFrame asking = asking_of(definitions_, stack).value_or(NamedFrame{});
      asking.file.clear();
      asking.line = 0;
      const std::pair name(asking.function, asking.module);
      place->second =
          &rows_.try_emplace(name, Row{std::move(asking), SampledSum(sample_bytes_)}).first->second;
    }
    return *place->second;
  }

  const trace::Definitions& definitions_;
  std::uint64_t sample_bytes_;
  Rows rows_;
  std::unordered_map<std::uint32_t, Row*> by_stack_;
};

}  // namespace

SampledStacks sampled_stacks_at(LoadedTrace& trace, const Instant& at) {
  const trace::Session& session = trace.definitions().session;
  SampledStacks sampled;
  sampled.sample_bytes = session.sample_bytes;
  if (sampled.sample_bytes == 0) {
    return sampled;
  }
  SampledSum all(sampled.sample_bytes);
  FunctionSums by_function(trace.definitions(), sampled.sample_bytes);
  visit_live(trace, {}, at, [&](const trace::Event& event, std::uint64_t bytes) {
    if (!is_sampled_block(session, event.lane, bytes)) {
      return;
    }
    ++sampled.small_blocks;
    sampled.small_bytes += bytes;
    if (event.stack != trace::kUnsampledStack) {
      all.add(bytes);
      by_function.add(event.stack, bytes);
    }
  });
  sampled.blocks = all.blocks();
  sampled.bytes = all.bytes();
  sampled.all = {all.estimate(), all.error()};
  sampled.functions = by_function.sorted();
  return sampled;
}

}  // namespace tidemark::analyzer
