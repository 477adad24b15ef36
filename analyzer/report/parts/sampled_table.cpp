#include "analyzer/report/parts/sampled_table.hpp"

#include "analyzer/text/markdown.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/table_text.hpp"
#include "analyzer/text/wrapped_text.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace tidemark::analyzer {
namespace {

constexpr std::string_view kTitle = "small blocks by function, estimated from a sample";

/// `63 have, 1 in 17`, `2 have`, `none has`.
std::string share_with_stack(const SampledStacks& sampled) {
  if (sampled.blocks == 0) {
    return "none has";
  }
  const std::uint64_t of = (sampled.small_blocks + sampled.blocks / 2) / sampled.blocks;
  return of < 2 ? format_count(sampled.blocks) + " have"
                : fmt::format("{} have, 1 in {}", format_count(sampled.blocks), format_count(of));
}

std::string what_was_sampled(const Report& report) {
  const SampledStacks& sampled = report.sampled;
  const std::string when = report.at_peak ? "at the peak" : "at " + format_time(report.live_at_ns);
  return fmt::format(
      "Heap blocks of {} and more all have their stacks; of the {} smaller {} {}, {}, {}. The "
      "error is two standard errors.",
      format_size(sampled.sample_bytes), format_count(sampled.small_blocks),
      sampled.small_blocks == 1 ? "one" : "ones", when, format_size(sampled.small_bytes),
      share_with_stack(sampled));
}

std::string what_is_not_listed(const Report& report) {
  return fmt::format(
      "A function that was not sampled held less than {} in such blocks, 19 times of 20.",
      format_size(most_without_sample(report.sampled.sample_bytes)));
}

std::string name_of(const SampledFunction& function) {
  return function.asking.function.empty() ? "[unknown stack]" : short_name(function.asking);
}

std::string sum_text(const SampledStacks& sampled) {
  return fmt::format("all functions; {} were counted", format_size(sampled.small_bytes));
}

std::string table_row(const TextStyle& style,
                      const Estimate& estimate,
                      std::uint64_t blocks,
                      const std::string& name) {
  const std::string numbers = size_column(estimate.bytes) + size_column(estimate.error_bytes) +
                              number_column(format_count(blocks)) + "  ";
  return numbers + fit(style, printable(style, name), style.width - width_of(numbers)) + '\n';
}

std::string sentence_lines(const TextStyle& style, const std::string& sentence) {
  std::string lines;
  for (const std::string& line : wrapped(style, printable(style, sentence), style.width)) {
    lines += painted(style, Paint::kDim, line) + '\n';
  }
  return lines;
}

Json estimate_json(const Estimate& estimate) {
  return {{"bytes", estimate.bytes}, {"error_bytes", estimate.error_bytes}};
}

}  // namespace

std::string sampled_table(const Report& report, const TextStyle& style) {
  const SampledStacks& sampled = report.sampled;
  if (sampled.sample_bytes == 0) {
    return {};
  }
  std::string text = title(style, kTitle) + sentence_lines(style, what_was_sampled(report)) +
                     painted(style, Paint::kDim,
                             number_column("estimate") + number_column("error") +
                                 number_column("sampled") + "  function") +
                     '\n';
  for (const SampledFunction& function : sampled.functions) {
    text += table_row(style, function.all, function.blocks, name_of(function));
  }
  text += table_row(style, sampled.all, sampled.blocks, sum_text(sampled));
  return text +
         more_line(sampled.functions.size() + sampled.unlisted, sampled.functions.size(),
                   "functions") +
         sentence_lines(style, what_is_not_listed(report));
}

std::string sampled_markdown(const Report& report) {
  const SampledStacks& sampled = report.sampled;
  if (sampled.sample_bytes == 0) {
    return {};
  }
  std::vector<std::vector<std::string>> rows;
  for (const SampledFunction& function : sampled.functions) {
    rows.push_back({format_size(function.all.bytes), format_size(function.all.error_bytes),
                    format_count(function.blocks), md_code(name_of(function))});
  }
  rows.push_back({format_size(sampled.all.bytes), format_size(sampled.all.error_bytes),
                  format_count(sampled.blocks), md_text(sum_text(sampled))});
  if (sampled.unlisted != 0) {
    rows.push_back({"", "", "", fmt::format("{} more functions", format_count(sampled.unlisted))});
  }
  return fmt::format("**{}**\n\n{}\n\n", kTitle, md_text(what_was_sampled(report))) +
         md_table({{"estimate", true}, {"error", true}, {"sampled", true}, {"function", false}},
                  rows) +
         md_text(what_is_not_listed(report)) + "\n\n";
}

Json sampled_json(const Report& report) {
  const SampledStacks& sampled = report.sampled;
  Json functions = Json::array();
  for (const SampledFunction& function : sampled.functions) {
    functions.push_back(
        {{"function", function.asking.function},
         {"module", function.asking.module.empty() ? Json() : Json(function.asking.module)},
         {"sampled_blocks", function.blocks},
         {"sampled_bytes", function.bytes},
         {"estimate", estimate_json(function.all)}});
  }
  return {{"sample_bytes", sampled.sample_bytes},
          {"small_blocks", sampled.small_blocks},
          {"small_bytes", sampled.small_bytes},
          {"sampled_blocks", sampled.blocks},
          {"sampled_bytes", sampled.bytes},
          {"estimate", estimate_json(sampled.all)},
          {"functions", std::move(functions)},
          {"unlisted_functions", sampled.unlisted},
          {"most_without_sample_bytes", most_without_sample(sampled.sample_bytes)}};
}

}  // namespace tidemark::analyzer
