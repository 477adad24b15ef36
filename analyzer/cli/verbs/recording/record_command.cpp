#include "analyzer/cli/verbs/recording/record_command.hpp"

#include "analyzer/cli/shared/terminal.hpp"
#include "analyzer/io/out_of_memory.hpp"
#include "analyzer/text/exit_status.hpp"
#include "analyzer/text/loss_text.hpp"
#include "analyzer/text/shown_text.hpp"
#include "analyzer/text/size_text.hpp"
#include "analyzer/text/text_style.hpp"
#include "collector/recording.hpp"
#include "collector/symbols/cache/symbol_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <new>

#include <unistd.h>

namespace tidemark::cli {
namespace {

using analyzer::format_count;
using analyzer::format_size;
using analyzer::format_time;

/// One line on stderr, drawn over, for what takes longer than a second; on a terminal only.
class ProgressLine {
 public:
  void operator()(const std::string& what, std::size_t done, std::size_t of) {
    const auto now = std::chrono::steady_clock::now();
    if (isatty(STDERR_FILENO) == 0 || now - begin_ < std::chrono::seconds(1) ||
        now - drawn_ < std::chrono::milliseconds(100)) {
      return;
    }
    constexpr std::size_t kCells = 30;
    const std::size_t full = of == 0 ? kCells : done * kCells / of;
    fmt::print(stderr, "\r{} [{:<{}}] {}/{}", analyzer::shown_text(what), std::string(full, '#'),
               kCells, done, of);
    drawn_ = now;
    is_drawn_ = true;
  }
  void clear() {
    if (is_drawn_) {
      fmt::print(stderr, "\r\033[K");
    }
    is_drawn_ = false;
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point drawn_;
  bool is_drawn_ = false;
};

wire::Unwinder unwinder_of(const std::string& word) {
  if (word == "libunwind") {
    return wire::Unwinder::kLibunwind;
  }
  if (word == "frame-pointer") {
    return wire::Unwinder::kFramePointer;
  }
  if (word == "check") {
    return wire::Unwinder::kCheck;
  }
  return word == "none" ? wire::Unwinder::kNone : wire::Unwinder::kFast;
}

/// Two options that exclude each other; empty if there are none.
std::string contradiction_in(const RecordOptions& options) {
  if (options.sample.empty()) {
    return {};
  }
  if (!options.stacks_above.empty()) {
    return "--sample and --stacks-above both say which blocks have no stack: give one of them";
  }
  return options.unwinder == "none" ? "--sample has nothing to sample with --unwinder none"
                                    : std::string();
}

RecordingOptions recording_options(const RecordOptions& options) {
  RecordingOptions out;
  out.command = options.command;
  out.output = options.output.empty() ? default_output(options.command.front()) : options.output;
  out.model = options.model;
  out.wait_children = options.wait_children;
  out.copies = !options.no_copies;
  out.session.python_frames = !options.no_python;
  if (!options.no_symbol_cache) {
    out.symbol_cache =
        SymbolCache::default_folder(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
  }
  out.session.overflow = options.drop_on_overflow ? wire::Overflow::kDrop : wire::Overflow::kBlock;
  out.session.depth_limit = options.depth.value_or(0);
  out.session.unwinder = unwinder_of(options.unwinder);
  if (!options.stacks_above.empty()) {
    out.session.stacks_above = analyzer::parse_size(options.stacks_above).value();
  }
  if (!options.sample.empty()) {
    out.session.sample_bytes = analyzer::parse_size(options.sample).value();
  }
  out.warn = say;
  return out;
}

void say_cost(const RecordingResult& result) {
  const trace::Session& session = result.session;
  std::string line =
      fmt::format("cost: {} of memory in the program, {} of CPU in the collector",
                  format_size(result.own_bytes), format_time(session.collector_cpu_ns));
  // Less than a hundredth of the run is not worth a word.
  if (session.blocked_ns * 100 > session.duration_ns) {
    line += fmt::format(", {} waiting for it", format_time(session.blocked_ns));
  }
  say(line);
}

/// Ends in '; '. Empty if nothing was recorded.
std::string peak_words(const RecordingResult& result) {
  if (result.processes == 0) {
    return {};
  }
  if (result.peak_footprint_bytes == 0) {
    return "no allocation was seen; ";
  }
  return fmt::format("peak {} at {}; ", format_size(result.peak_footprint_bytes),
                     format_time(result.peak_at_ns));
}

void say_summary(const RecordingResult& result) {
  const trace::Session& session = result.session;
  const std::string kept =
      result.is_kept ? fmt::format("in {} ({})", result.path, format_size(result.trace_bytes))
                     : "were not kept";
  const std::uint64_t unwritten = std::min(result.events, session.loss.events_unwritten);
  const std::string part =
      unwritten == 0 ? std::string() : format_count(result.events - unwritten) + " of ";
  say(fmt::format("{}{}{} events of {} process{} {}", peak_words(result), part,
                  format_count(result.events), result.processes, result.processes == 1 ? "" : "es",
                  kept));
  say_cost(result);
  if (session.deep_bound) {
    say(analyzer::deep_bound_text());
  }
  if (!session.unread_python.empty()) {
    say(analyzer::unread_python_text(session.unread_python));
  }
}

/// The last line: what was recorded may be a part. A recording of a program that did not get far
/// looks like one of a program that needs nothing.
void say_failure(const RecordingResult& result) {
  if (result.exit_status == 0 || result.processes == 0) {
    return;
  }
  const std::string signal = analyzer::ending_signal_described(result.exit_status);
  const std::string ending =
      signal.empty() ? fmt::format("the program ended with exit status {}", result.exit_status)
                     : signal + " ended the program";
  say(ending + (result.peak_footprint_bytes == 0 ? " before it allocated anything"
                                                 : ": the load may be incomplete"));
}

/// The result of `--unwinder check`: printed even with --quiet.
void say_comparison(const RecordingResult& result) {
  const std::string early =
      result.stacks_ended_early == 0
          ? std::string()
          : fmt::format("; of {} libunwind's end sooner, in code without unwind tables",
                        format_count(result.stacks_ended_early));
  say(fmt::format("{} stacks compared with libunwind's: {} differ{}",
                  format_count(result.stacks_compared), format_count(result.stacks_different),
                  early));
}

std::string loss_sentence(const trace::Loss& loss) {
  std::string parts;
  const auto add = [&](std::uint64_t count, const char* one, const char* many,
                       const std::string& what) {
    if (count != 0) {
      parts += fmt::format("{}{} {} {}", parts.empty() ? "" : ", ", format_count(count),
                           count == 1 ? one : many, what);
    }
  };
  add(loss.records_dropped, "record", "records", "dropped");
  add(loss.events_unwritten, "event", "events", "not written");
  add(loss.processes_unrecorded, "process", "processes",
      "not recorded" + analyzer::unrecorded_reasons(loss));
  add(loss.threads_unrecorded, "thread", "threads",
      "not recorded" + analyzer::thread_reasons(loss));
  return parts.empty() ? parts : "incomplete: " + parts;
}

/// Names are a help, not the recording.
void say_missing_names(const SymbolPassEnd& names) {
  if (!names.is_complete) {
    say("some code has no names in this trace: looking them up was ended by " +
        (names.signal != 0 ? analyzer::ending_signal_described(128 + names.signal)
                           : std::string("a lack of memory")));
  }
}

void say_trouble(const RecordingResult& result) {
  say_missing_names(result.names);
  if (!result.write_error.empty()) {
    say(result.write_error);
  }
  const trace::Loss& loss = result.session.loss;
  if (const std::string missing = loss_sentence(loss); !missing.empty()) {
    say(missing);
  }
  if (const std::string input = analyzer::unseen_input_text(loss); !input.empty()) {
    say("tidemark did not see " + analyzer::printable({}, input));
  }
  if (loss.processes_left != 0) {
    say(fmt::format("{} process{} still running: not recorded any further (--wait-children waits)",
                    loss.processes_left, loss.processes_left == 1 ? " is" : "es are"));
  }
  if (loss.unmapped_unseen_bytes != 0) {
    say("tidemark saw too late that " + format_size(loss.unmapped_unseen_bytes) +
        " of mappings were gone");
  }
  if (loss.written_unseen_bytes != 0) {
    say("tidemark did not see " + analyzer::unseen_writes_text(loss));
  }
  constexpr std::size_t kMaxUnrecordedLines = 5;
  for (const std::string& line :
       analyzer::unrecorded_lines(result.session, loss, kMaxUnrecordedLines)) {
    say("not recorded: " + analyzer::printable({}, line));
  }
  if (result.processes == 0) {
    say("nothing was recorded: the program never loaded tidemark's object (is it static, or did it "
        "change user?)");
  }
}

/// Everything that is printed about a recording that was completed.
void say_all(const RecordingResult& result, const RecordOptions& options, wire::Unwinder unwinder) {
  if (!options.quiet) {
    say_summary(result);
  }
  if (unwinder == wire::Unwinder::kCheck) {
    say_comparison(result);
  }
  say_trouble(result);
  if (!options.quiet) {
    say_failure(result);
  }
}

/// Allocates no memory. `before` and `after` surround the trace's path.
void say_ended_early(const char* why,
                     const char* before,
                     const std::string& path,
                     const char* after) {
  std::array<char, 4352> sentence{};
  std::snprintf(sentence.data(), sentence.size(), "%s: %s%s%s", why, before, path.c_str(), after);
  analyzer::say_without_memory(sentence.data());
}

}  // namespace

std::string default_output(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename().string();
  return fmt::format("tidemark-{}-{}.tmk", name.empty() ? "program" : name, getpid());
}

int run(const RecordOptions& options) {
  if (const std::string contradiction = contradiction_in(options); !contradiction.empty()) {
    return fail({ErrorCode::kUsage, contradiction});
  }
  RecordingOptions recording = recording_options(options);
  ProgressLine progress;
  recording.progress = [&](const std::string& what, std::size_t done, std::size_t of) {
    progress(what, done, of);
  };
  const Result<RecordingResult> result = [&] {
    const analyzer::ThrowsWhenOutOfMemory scope;  // The host is brought to its end first.
    return record(recording);
  }();
  progress.clear();
  if (!result.ok()) {
    return fail(result.error());
  }
  // From here on the program's exit status is this command's, whatever becomes of the words.
  const int status = result.value().exit_status;
  const std::string& path = result.value().path;
  if (const char* const why = result.value().broken_off_by.data(); *why != '\0') {
    say_ended_early(why, "the recording ends there, and ", path, " holds what was written before");
    return status;
  }
  try {
    const analyzer::ThrowsWhenOutOfMemory scope;
    say_all(result.value(), options, recording.session.unwinder);
  } catch (const std::bad_alloc&) {
    say_ended_early("out of memory", "what else there is to say is in ", path, "");
  }
  return status;
}

}  // namespace tidemark::cli
