#include "reference_loaders/strategies/suite.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tidemark::loaders::strategies {
namespace {

struct Strategy {
  const char* variant;
  const char* published;
};

constexpr std::array kStrategies = {
    Strategy{"blob", "read all and copy: 2W"},
    Strategy{"init-replace", "ai-toolkit 982: 16.58 GB twice"},
    Strategy{"init-overwrite", "burn 3792: 360 MB of random weights first"},
    Strategy{"stream", "TVM 13877: W"},
    Strategy{"chunk-ring", "llama.cpp 7896: 4 x 1 MiB beside the device's W"},
    Strategy{"pread-parallel", "Run:ai streamer: 48 to 14 s with 16 threads"},
    Strategy{"direct", "llama.cpp 18012: 110 s to 10.5 s cold"},
    Strategy{"mmap-copy", "safetensors 758: W mapped and W copied"},
    Strategy{"mmap", "llama.cpp 613: 10 to 100 times as fast"},
    Strategy{"mmap-populate", "as mmap, faults taken up front"},
    Strategy{"mmap-willneed", "as mmap, reads begun up front"},
    Strategy{"lazy", "burn-pack: one tensor at a time"},
};

/// The rows of the small table: those whose time depends most on the page cache, one of each kind.
constexpr std::array<std::string_view, 4> kQuickCold = {"stream", "pread-parallel", "direct",
                                                        "mmap"};
/// The second format only differs in its header.
constexpr std::array<std::string_view, 3> kQuickSafetensors = {"blob", "stream", "mmap"};

template <typename Names>
bool has(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::vector<SuiteRow> suite(SuiteSize size) {
  const bool full = size == SuiteSize::kFull;
  const std::uint64_t bytes = full ? 2'000'000'000 : std::uint64_t{64} << 20;
  std::vector<SuiteRow> rows;
  const auto add = [&](const char* model, const Strategy& strategy, bool cold) {
    rows.push_back({.model = model,
                    .weight_bytes = bytes,
                    .variant = strategy.variant,
                    .cold = cold,
                    .published = strategy.published});
  };
  for (const bool cold : {false, true}) {
    for (const Strategy& strategy : kStrategies) {
      if (!cold || full || has(kQuickCold, strategy.variant)) {
        add(kGgufModel, strategy, cold);
      }
    }
  }
  for (const Strategy& strategy : kStrategies) {
    if (full || has(kQuickSafetensors, strategy.variant)) {
      add(kSafetensorsModel, strategy, false);
    }
  }
  return rows;
}

}  // namespace tidemark::loaders::strategies
