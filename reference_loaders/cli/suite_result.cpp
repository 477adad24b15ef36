#include "reference_loaders/cli/suite_result.hpp"

#include "reference_loaders/size.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark::loaders {
namespace {

constexpr std::uint64_t kTolerancePercent = 2;

/// In whole numbers: what is just within the tolerance must not depend on rounding.
bool is_as_predicted(const RecordedLoad& load) {
  const std::uint64_t measured = load.measured_bytes();
  const std::uint64_t predicted = load.predicted_bytes();
  const std::uint64_t off = std::max(measured, predicted) - std::min(measured, predicted);
  return predicted > 0 && off <= predicted / 100 * kTolerancePercent;
}

/// The row whose checksum the others must have.
const RowResult* first_load(const ModelResult& model) {
  const auto found = std::ranges::find_if(
      model.rows, [](const RowResult& row) { return row.run.load.has_value(); });
  return found == model.rows.end() ? nullptr : &*found;
}

std::vector<std::string> objections_to_load(const ModelResult& model, const RowResult& row) {
  const RecordedLoad& load = *row.run.load;
  std::vector<std::string> found;
  if (!is_as_predicted(load)) {
    found.push_back(fmt::format("the measured peak of {} is {:+.2f} % from the predicted {}",
                                format_size(load.measured_bytes()), 100 * difference(load),
                                format_size(load.predicted_bytes())));
  }
  if (load.lost_events > 0) {
    found.push_back(
        fmt::format("{} events were lost, so its peak may be too low", load.lost_events));
  }
  const RowResult* const first = first_load(model);
  if (first != nullptr && load.checksum != first->run.load->checksum) {
    found.push_back(
        fmt::format("its checksum {} is not the {} of {}: they did not load the same model",
                    load.checksum, first->run.load->checksum, row_name(first->row)));
  }
  return found;
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of("\n ");
  if (end == std::string::npos) {
    return "";
  }
  const auto begin = text.rfind('\n', end);
  const auto first = begin == std::string::npos ? 0 : begin + 1;
  return text.substr(first, end - first + 1);
}

}  // namespace

std::string row_name(const SuiteRow& row) {
  std::string name = row.variant;
  for (const auto& [option, value] : row.options) {
    name += fmt::format(" --{}{}{}", option, value == "1" ? "" : " ", value == "1" ? "" : value);
  }
  return row.cold ? name + ", cold" : name;
}

double difference(const RecordedLoad& load) {
  return static_cast<double>(load.measured_bytes()) / static_cast<double>(load.predicted_bytes()) -
         1;
}

std::string ending(const ChildResult& process) {
  constexpr std::string_view kProgram = "tidemark-loaders: ";
  std::string said = last_line(process.err);
  if (said.starts_with(kProgram)) {
    said.erase(0, kProgram.size());
  }
  // A signal that ended the loader is a status above 128 once tidemark has passed it on.
  constexpr int kSignalled = 128;
  const int signal =
      process.exit_status > kSignalled ? process.exit_status - kSignalled : process.signal;
  const std::string how = signal != 0 ? fmt::format("ended by signal {}", signal)
                                      : fmt::format("exit status {}", process.exit_status);
  return said.empty() ? how + " without a word" : how + ": " + said;
}

std::vector<std::string> objections(const ModelResult& model, const RowResult& row) {
  const std::string& must_say = row.row.fails_with;
  if (row.run.load) {
    return must_say.empty()
               ? objections_to_load(model, row)
               : std::vector{fmt::format("it must fail with '{}', but loads the model", must_say)};
  }
  if (must_say.empty()) {
    return {"it failed, " + ending(row.run.process)};
  }
  if (row.run.process.err.find(must_say) == std::string::npos) {
    return {fmt::format("it must fail with '{}', but failed otherwise, {}", must_say,
                        ending(row.run.process))};
  }
  return {};
}

}  // namespace tidemark::loaders
