#include "analyzer/cli/verbs/recording/compare_command.hpp"

#include "analyzer/cli/shared/opened_trace.hpp"
#include "analyzer/cli/shared/shell_words.hpp"
#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/cli/verbs/reading/diff_command.hpp"
#include "analyzer/cli/verbs/recording/child_recording.hpp"
#include "analyzer/cli/verbs/recording/compared_runs.hpp"
#include "analyzer/cli/verbs/recording/comparison_files.hpp"
#include "analyzer/diff/diff_text.hpp"
#include "analyzer/io/child_processes.hpp"
#include "analyzer/io/out_of_memory.hpp"
#include "analyzer/query/footprint/peak.hpp"
#include "collector/trace/output/output_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace tidemark::cli {
namespace {

/// One command of the two: its words, and the runs made so far.
struct Side {
  ComparedSide compared;
  std::vector<std::string> words;
  /// What the runs printed, where that is kept: one for each of `compared.runs`.
  std::vector<std::unique_ptr<trace::OutputFile>> printed;
};

/// Makes the recordings, in a new folder, so that no trace that was there before is taken for one
/// of them. Those that are not kept are removed when it is destroyed, which no signal prevents.
class Runs {
 public:
  explicit Runs(const CompareCommand& command) : command_(command) {}
  ~Runs() { remove_all(); }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  /// @return kUsage for a command that cannot be split into words, and one sentence for a result
  /// that could not be kept: before anything runs.
  Status prepare() {
    for (auto& [side, text] :
         {std::pair(&sides_[0], &command_.before), std::pair(&sides_[1], &command_.after)}) {
      auto words = words_of_command(*text);
      if (!words.ok()) {
        return words.error();
      }
      side->words = std::move(words.value());
      side->compared.command = *text;
    }
    sides_[0].compared.name = "before";
    sides_[1].compared.name = "after";
    const Status created = create_folder();
    return created.ok() ? create_runs_folder() : created;
  }

  /// Records all runs, in turns, so that what changes on the machine meanwhile changes both.
  /// @return the signal that stopped it, 0 when none did; an error when a trace is missing.
  Result<int> record_all() {
    for (unsigned run = 1; run <= command_.runs; ++run) {
      for (Side& side : sides_) {
        const Status recorded = record(side, run);
        if (signals_->received() != 0) {
          return signals_->received();
        }
        if (!recorded.ok()) {
          return recorded.error();
        }
      }
    }
    return 0;
  }

  /// Gives the median runs their names, and removes the others. @return their paths, before and
  /// after.
  Result<std::array<std::string, 2>> keep_medians() {
    std::array<std::string, 2> paths;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      const auto& runs = sides_.at(i).compared.runs;
      const ComparedRun& kept = runs[median_run(runs)];
      const std::string name = command_.folder + '/' + sides_.at(i).compared.name;
      paths.at(i) = name + ".tmk";
      if (Status moved = trace::move_into_place(kept.path, paths.at(i)); !moved.ok()) {
        return moved.error();
      }
      if (command_.save_output && !sides_.at(i).printed.at(median_run(runs))->publish()) {
        return Error{ErrorCode::kIo,
                     fmt::format("cannot write {}.out: {}", name,
                                 sides_.at(i).printed.at(median_run(runs))->error())};
      }
    }
    remove_all();
    signals_.reset();  // From now on they end the process.
    return paths;
  }

  [[nodiscard]] std::vector<std::string> sentences(
      std::string (*sentence_of)(const ComparedSide&)) const {
    std::vector<std::string> sentences;
    for (const Side& side : sides_) {
      if (std::string text = sentence_of(side.compared); !text.empty()) {
        sentences.push_back(std::move(text));
      }
    }
    return sentences;
  }

 private:
  [[nodiscard]] Status create_folder() const {
    std::error_code error;
    std::filesystem::create_directories(command_.folder, error);
    if (error) {
      return Error{ErrorCode::kIo,
                   "cannot make the folder " + command_.folder + ": " + error.message()};
    }
    std::vector<const char*> endings{".tmk"};
    if (command_.save_output) {
      endings.push_back(".out");
    }
    for (const Side& side : sides_) {
      for (const char* const ending : endings) {
        const auto file =
            trace::find_file_output(command_.folder + '/' + side.compared.name + ending);
        if (!file.ok()) {
          return file.error();
        }
      }
    }
    return success();
  }

  [[nodiscard]] Status create_runs_folder() {
    std::string name = command_.folder + "/runs-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      return Error{ErrorCode::kIo, fmt::format("cannot make a folder in {}: {}", command_.folder,
                                               std::strerror(errno))};
    }
    runs_folder_ = std::move(name);
    return success();
  }

  /// Opens what keeps the output of a side's next run. @return its descriptor; -1 for none.
  Result<int> keep_output(Side& side) const {
    if (!command_.save_output) {
      return -1;
    }
    auto file = trace::OutputFile::create(command_.folder + '/' + side.compared.name + ".out",
                                          trace::OutputFile::Way::kAtOnce);
    if (!file.ok()) {
      return file.error();
    }
    side.printed.push_back(std::move(file.value()));
    return side.printed.back()->descriptor();
  }

  Status record(Side& side, unsigned run) {
    RecordOptions options = command_.record;
    options.quiet = true;
    options.command = side.words;
    options.output = fmt::format("{}/{}.{}.tmk", runs_folder_, side.compared.name, run);
    const auto printed = keep_output(side);
    if (!printed.ok()) {
      return printed.error();
    }
    side.compared.runs.push_back({.path = options.output});
    const auto end = record_in_child(*signals_, children_, options, printed.value());
    if (!end.ok()) {
      return end.error();
    }
    if (signals_->received() != 0) {
      return success();  // A run that was ended early need not leave a trace.
    }
    auto trace = analyzer::LoadedTrace::open(options.output);
    if (!trace.ok()) {
      return Error{ErrorCode::kIo, fmt::format("{}: '{}' could not be recorded", side.compared.name,
                                               side.compared.command)};
    }
    side.compared.runs.back().peak_bytes = analyzer::find_peak(trace.value()).footprint_bytes;
    side.compared.runs.back().exit_status = end.value();
    return success();
  }

  void remove_all() const {
    std::error_code ignored;
    std::filesystem::remove_all(runs_folder_, ignored);
    for (const Side& side : sides_) {
      for (const auto& printed : side.printed) {
        printed->discard();  // The one that was kept has its name by now.
      }
    }
  }

  const CompareCommand& command_;
  const analyzer::ChildProcesses children_;
  std::optional<SignalsPassedOn> signals_{std::in_place};
  std::string runs_folder_;
  std::array<Side, 2> sides_;
};

Result<analyzer::Diff> diff_of(const std::array<std::string, 2>& paths,
                               const CompareCommand& command) {
  auto before = open_trace(paths[0]);
  if (!before.ok()) {
    return before.error();
  }
  auto after = open_trace(paths[1]);
  if (!after.ok()) {
    return after.error();
  }
  show_frames(before.value(), command.frames);
  show_frames(after.value(), command.frames);
  return analyzer::build_diff(before.value(), after.value(),
                              {.top = command.top.value_or(kJsonDiffStacks), .model = ""});
}

std::string printed(const Comparison& comparison, const std::vector<std::string>& files) {
  std::string text = analyzer::diff_text(analyzer::shortened(comparison.diff, comparison.text_top),
                                         output_style());
  text += '\n';
  for (const std::string& note : comparison.notes) {
    text += note + '\n';
  }
  return text + fmt::format("in {}: before.tmk, after.tmk, {}\n",
                            analyzer::printable(output_style(), comparison.folder),
                            fmt::join(files, ", "));
}

/// @return the exit status.
int show(const Runs& runs, const std::array<std::string, 2>& paths, const CompareCommand& command) {
  auto diff = diff_of(paths, command);
  if (!diff.ok()) {
    return fail(diff.error());
  }
  const Comparison comparison{.folder = command.folder,
                              .diff = std::move(diff.value()),
                              .text_top = command.top.value_or(kTextDiffStacks),
                              .align = command.align,
                              .dark = command.dark,
                              .notes = runs.sentences(spread_sentence)};
  const auto files = write_comparison(comparison);
  if (!files.ok()) {
    return fail(files.error());
  }
  const auto status = write_output(printed(comparison, files.value()));
  if (!status.ok()) {
    return fail(status.error());
  }
  const auto failures = runs.sentences(failure_sentence);
  std::ranges::for_each(failures, say);
  return failures.empty() ? 0 : 1;
}

}  // namespace

int run(const CompareCommand& command) {
  Runs runs(command);
  const auto stopped_by = [&]() -> Result<int> {
    const analyzer::ThrowsWhenOutOfMemory scope;  // The runs are removed first.
    const Status prepared = runs.prepare();
    return prepared.ok() ? runs.record_all() : prepared.error();
  }();
  if (!stopped_by.ok()) {
    return fail(stopped_by.error());
  }
  if (stopped_by.value() != 0) {
    constexpr int kSignalled = 128;
    return kSignalled + stopped_by.value();
  }
  const auto paths = runs.keep_medians();
  return paths.ok() ? show(runs, paths.value(), command) : fail(paths.error());
}

}  // namespace tidemark::cli
