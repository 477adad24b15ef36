#include "reference_loaders/cli/suite_fixes.hpp"

#include "reference_loaders/cli/text_columns.hpp"
#include "reference_loaders/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tidemark::loaders {
namespace {

const RowResult* row_of(const ModelResult& model, const char* variant, const Options& options) {
  const auto found = std::ranges::find_if(model.rows, [&](const RowResult& row) {
    return row.row.variant == variant && row.row.options == options && !row.row.cold &&
           row.run.load;
  });
  return found == model.rows.end() ? nullptr : &*found;
}

/// `+12.5%`, `0.0%`.
std::string percent_off(std::uint64_t foretold, std::uint64_t measured) {
  constexpr double kShown = 0.05;
  const double percent =
      measured == 0 ? 0 : 100 * (static_cast<double>(foretold) / static_cast<double>(measured) - 1);
  return std::abs(percent) < kShown ? "0.0%" : fmt::format("{:+.1f}%", percent);
}

std::vector<std::string> cells(const FixResult& result) {
  const auto foretold = result.foretold_bytes();
  const auto measured = result.fixed.measured_bytes();
  return {result.system,
          result.model,
          result.before,
          format_size(result.naive.measured_bytes()),
          foretold ? result.naive.finding->kind : "none",
          foretold ? format_size(*foretold) : "-",
          result.after,
          format_size(measured),
          foretold ? percent_off(*foretold, measured) : "-"};
}

}  // namespace

const std::vector<Fix>& fixes() {
  static const std::vector<Fix> all = {
      {"ggml", "hardcoded", "recorded"},   {"nntrainer", "resident", "window"},
      {"tvm", "blob", "stream"},           {"tvm", "exec-blob", "exec-stream"},
      {"executorch", "eager", "lazy"},     {"burn", "nested", "typed"},
      {"burn", "typed", "lazy"},           {"strategies", "blob", "stream"},
      {"strategies", "blob", "mmap"},      {"strategies", "init-replace", "stream"},
      {"strategies", "mmap-copy", "mmap"},
  };
  return all;
}

std::optional<std::uint64_t> FixResult::foretold_bytes() const {
  if (!naive.finding) {
    return std::nullopt;
  }
  const std::uint64_t bytes = naive.finding->peak_without_bytes;
  return bytes - std::min(bytes, naive.program_data_bytes);
}

std::vector<FixResult> fix_results(const std::string& system,
                                   const std::vector<ModelResult>& models) {
  std::vector<FixResult> results;
  for (const Fix& fix : fixes()) {
    for (const ModelResult& model : system == fix.system ? models : std::vector<ModelResult>{}) {
      for (const RowResult& row : model.rows) {
        const bool is_before = row.row.variant == fix.before && !row.row.cold && row.run.load;
        const RowResult* const after =
            is_before ? row_of(model, fix.after, row.row.options) : nullptr;
        if (after != nullptr) {
          results.push_back({.system = system,
                             .model = model.model,
                             .before = row_name(row.row),
                             .after = fix.after,
                             .naive = *row.run.load,
                             .fixed = *after->run.load});
        }
      }
    }
  }
  return results;
}

std::string fix_table(const std::vector<FixResult>& results) {
  if (results.empty()) {
    return {};
  }
  TextColumns table({{.title = "system", .is_text = true},
                     {.title = "model", .is_text = true},
                     {.title = "naive load", .is_text = true},
                     {.title = "peak"},
                     {.title = "finding", .is_text = true},
                     {.title = "without"},
                     {.title = "fix", .is_text = true},
                     {.title = "measured"},
                     {.title = "diff"}});
  for (const FixResult& result : results) {
    table.add_row(' ', cells(result));
  }
  return "naive loads: the peak without what the first finding is about, recomputed on their "
         "events,\n"
         "beside the measured peak of the loader that was fixed\n\n" +
         table.text();
}

}  // namespace tidemark::loaders
