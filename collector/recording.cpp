#include "collector/recording.hpp"

#include "collector/drain/drain.hpp"
#include "collector/drain/sampler.hpp"
#include "collector/family/descendants.hpp"
#include "collector/kernel_reads.hpp"
#include "collector/launch/launch.hpp"
#include "collector/os/clocks.hpp"
#include "collector/os/reaped_children.hpp"
#include "collector/process/process_facts.hpp"
#include "collector/process/process_io.hpp"
#include "collector/session/pace.hpp"
#include "collector/symbols/symbol_process.hpp"
#include "collector/trace/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tidemark {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSampleIntervalNs = 5 * kMillisecond;
constexpr std::uint64_t kFlushIntervalNs = 500 * kMillisecond;
constexpr std::uint64_t kLagIntervalNs = 1'000 * kMillisecond;
/// Helpers that end as soon as they see their program gone, such as Python's resource tracker, take
/// some ten milliseconds for it.
constexpr std::uint64_t kHelpersEndNs = 200 * kMillisecond;

static_assert(wire::kMinSampleBytes == trace::Session::kMinSampleBytes &&
              wire::kMaxSampleBytes == trace::Session::kMaxSampleBytes);

RefusalCounts counts_of(const wire::Refusals& refusals) {
  using trace::WhyUnrecorded;
  const auto of = [&](wire::Refusal why, WhyUnrecorded named) {
    return RefusedProcesses{named, refusals.of(why).load()};
  };
  return {of(wire::Refusal::kForbidden, WhyUnrecorded::kSeccomp),
          of(wire::Refusal::kNoMemory, WhyUnrecorded::kAddressSpace),
          of(wire::Refusal::kNoPlace, WhyUnrecorded::kTooMany)};
}

trace::Session first_facts(const RecordingOptions& options, const Program& program) {
  trace::Session session;
  session.command = options.command;
  session.model = options.model;
  session.started_unix_ns = clock_ns(CLOCK_REALTIME);
  session.heap_invisible = program.heap_invisible;
  session.copies_recorded = options.copies;
  session.sample_bytes = options.session.sample_bytes;
  session.tidemark_version = TIDEMARK_VERSION;
  utsname system{};
  uname(&system);
  session.host_name = system.nodename;
  session.kernel = system.release;
  return session;
}

/// The life of one recording once its host runs.
class Recorder {
 public:
  Recorder(const RecordingOptions& options,
           SharedSession& session,
           trace::TraceWriter& writer,
           Descendants& family,
           trace::Session first_facts)
      : options_(options),
        session_(session),
        writer_(writer),
        family_(family),
        drain_(session, writer, &family),
        sampler_(drain_, writer, session.map()),
        told_(std::move(first_facts)) {
    broken_off_.path = writer.begun_path();
  }

  /// Runs until the root ends. An error in here ends the recording, not the host.
  void run(pid_t root) {
    SignalForwarding forwarding(root, session_.control().doorbell);
    root_ = root;
    prctl(PR_SET_TIMERSLACK, 1);  // In ns; the usual 50 us are longer than the shortest sleeps.
    try {
      family_.begin(root, drain_.now_ns());
      follow(forwarding);
    } catch (const std::exception& error) {
      break_off(error);
      while (!has_ended(forwarding))
        drain_.sleep(kSampleIntervalNs);
    }
  }

  /// Call after `run`. Allocates nothing once the recording has broken off.
  RecordingResult finish(trace::Session facts) {
    if (!is_broken_off_) {
      try {
        return complete(std::move(facts));
      } catch (const std::exception& error) {
        break_off(error);
      }
    }
    broken_off_.exit_status = exit_status_;
    return std::move(broken_off_);
  }

 private:
  void follow(SignalForwarding& forwarding) {
    Pace pace(kSampleIntervalNs, clock_ns(CLOCK_MONOTONIC));
    while (!has_ended(forwarding)) {
      pace.begin(clock_ns(CLOCK_MONOTONIC));
      const std::size_t records = step();
      if (const std::uint64_t pause = pace.end(records, clock_ns(CLOCK_MONOTONIC)); pause != 0)
        drain_.sleep(std::min(pause, family_.patience_ns()));
    }
  }

  /// The reason without allocating memory; for errors of the system, without a library's words.
  static const char* reason_of(const std::exception& error) noexcept {
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
      return "out of memory";
    }
    const auto* const refused = dynamic_cast<const std::system_error*>(&error);
    const char* const words =
        refused == nullptr ? nullptr : strerrordesc_np(refused->code().value());
    return words == nullptr ? error.what() : words;
  }

  /// It is not known what was half done when memory ran out, so nothing more is read or written.
  /// Hosts see that the session is over and go on without it.
  void break_off(const std::exception& error) noexcept {
    is_broken_off_ = true;
    session_.end();
    writer_.abandon();
    std::strncpy(broken_off_.broken_off_by.data(), reason_of(error),
                 broken_off_.broken_off_by.size() - 1);
  }

  RecordingResult complete(trace::Session facts) {
    last_passes();
    facts.loss.processes_left = leave_survivors();
    facts.execs_watched = family_.are_execs_watched();
    facts.exit_status = exit_status_;
    facts.duration_ns = drain_.pass_ns();
    facts.ended = true;
    name_frames();
    drain_.assembler().tell_rest();
    drain_.assembler().files().note_model(facts.model);
    drain_.assembler().files().look_into_files(facts.started_unix_ns);
    facts.mismatches_complete = drain_.assembler().values().is_complete();
    add_costs(facts);
    const Status written = writer_.finish(facts);
    // Known only now, as the last blocks may not have fitted either.
    facts.loss.events_unwritten = writer_.events_unwritten();
    RecordingResult result = summary();
    if (!written.ok())
      result.write_error = written.error().message;
    result.session = std::move(facts);
    result.exit_status = exit_status_;
    result.path = written.ok() ? options_.output : writer_.begun_path();
    result.is_kept = writer_.is_kept();
    return result;
  }

  std::size_t step() {
    const std::size_t records = drain_.pass();
    sampler_.look_at_values_if_due();
    sampler_.look_at_new_mappings_if_due();
    sampler_.look_at_parts_if_due();
    sampler_.sample_if_due(kSampleIntervalNs);
    look_after_family();
    if (drain_.pass_ns() - last_flush_ns_ >= kFlushIntervalNs) {
      tell_lag();
      writer_.flush();
      last_flush_ns_ = drain_.pass_ns();
    }
    return records;
  }

  /// Writes how long programs have waited for this recorder, for viewers of the growing recording.
  /// Writes nothing while none waits.
  void tell_lag() {
    const std::uint64_t blocked_ns = drain_.blocked_ns();
    const std::uint64_t dropped = drain_.dropped();
    const bool has_changed =
        blocked_ns != told_.blocked_ns || dropped != told_.loss.records_dropped;
    if (!has_changed || drain_.pass_ns() - told_ns_ < kLagIntervalNs)
      return;
    told_ns_ = drain_.pass_ns();
    told_.blocked_ns = blocked_ns;
    told_.loss.records_dropped = dropped;
    writer_.set_session(told_);
  }

  bool has_ended(SignalForwarding& forwarding) {
    siginfo_t info{};
    if (!root_ended_ &&
        waitid(P_PID, static_cast<id_t>(root_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == root_) {
      forwarding.host_has_ended();
      if (!is_broken_off_)
        read_to_the_end();
      reap();
    }
    return root_ended_ && (is_broken_off_ || forwarding.was_asked_to_stop() ||
                           (options_.wait_children ? is_deserted() : has_ended_without_root()));
  }

  /// Whether nobody is left, or those who are do not seem to end with the root.
  bool has_ended_without_root() {
    return clock_ns(CLOCK_MONOTONIC) - root_ended_ns_ >= kHelpersEndNs || family_.has_left();
  }

  /// Whether no process is left to wait for, neither recorded nor any other of the family.
  bool is_deserted() {
    return drain_.assembler().processes().hosts().empty() && family_.has_left();
  }

  /// Call before the program is waited for: until then the kernel keeps its resource usage. The
  /// first pass finds a program that ended at once, the second one finds that it has ended.
  void read_to_the_end() {
    drain_.pass();
    drain_.pass();
  }

  void reap() {
    rusage usage{};
    int status = 0;
    // Asked before it is gone for good; that takes memory.
    const bool is_its_own_peak = !is_broken_off_ && !has_reaped_children(root_);
    const auto reads = is_broken_off_ ? std::nullopt : bytes_read_by(root_);
    if (wait4(root_, &status, 0, &usage) != root_)
      return;
    kernel_reads_.add_root(reads);
    root_ended_ = true;
    root_ended_ns_ = clock_ns(CLOCK_MONOTONIC);
    exit_status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (is_its_own_peak)
      root_peak_rss_ = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  }

  /// Call while the kernel still knows it.
  void look_at_orphan(pid_t pid) {
    kernel_reads_.add(bytes_read_by(pid));
    if (const auto stat = read_process_stat(pid))
      drain_.assembler().forks().note_last_faults({.pid = static_cast<std::uint32_t>(pid)},
                                                  stat->faults);
  }

  /// Looks for what hosts cannot see: processes that have started, ended, or become a program that
  /// is not recorded.
  void look_after_family() {
    constexpr std::uint64_t kGraceNs = 200 * kMillisecond;
    family_.set_refused(counts_of(session_.control().processes_refused));
    family_.look(drain_.now_ns());
    drain_.assembler().processes().find_processes();
    drain_.assembler().processes().look_for_ends([this] { return drain_.now_ns(); });
    if (drain_.pass_ns() > kGraceNs)
      drain_.assembler().processes().give_up_missing(drain_.pass_ns() - kGraceNs);
    family_.reap(root_ended_ ? 0 : root_, [this](pid_t pid) { look_at_orphan(pid); });
  }

  void last_passes() {
    // Everything the root and its ended children wrote is in their rings by now; survivors go on
    // writing, so this must not wait for silence.
    for (int i = 0; i < 2; ++i)
      drain_.pass();
    sampler_.sample();
    drain_.assembler().processes().set_kernel_peak(static_cast<std::uint32_t>(root_),
                                                   root_peak_rss_);
  }

  std::size_t leave_survivors() {
    family_.look_once_more(drain_.now_ns());
    family_.visit_members([this](pid_t pid) { kernel_reads_.add(bytes_read_by(pid)); });
    session_.end();
    drain_.pass();
    drain_.assembler().processes().find_processes();
    family_.finish(drain_.now_ns(), counts_of(session_.control().processes_refused));
    drain_.assembler().processes().give_up_missing(~std::uint64_t{0});
    family_.unrecorded().bound_by_waits();
    family_.unrecorded().stretch_over_forks();
    return family_.alive();
  }

  void name_frames() {
    const StackStore& stacks = drain_.assembler().processes().stacks();
    const auto cache = SymbolCache::open(options_.symbol_cache);
    SymbolPassOptions how;
    how.cache = cache.get();
    how.progress = options_.progress;
    names_ = resolve_symbols_apart(
        stacks.readable_modules(), stacks.frames(), every_frame(stacks.frames()), how,
        [&](trace::FrameId frame, const std::vector<trace::Location>& locations) {
          writer_.set_locations(frame, locations);
        });
  }

  void add_costs(trace::Session& facts) {
    const UnrecordedList& unrecorded = family_.unrecorded();
    facts.blocked_ns = drain_.blocked_ns();
    facts.collector_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + names_.cpu_ns;
    facts.unread_python = session_.unread_python();
    facts.deep_bound = session_.control().deep_bound.load() != 0;
    facts.unmatched_releases = drain_.assembler().unmatched_releases();
    facts.loss.records_dropped = drain_.dropped();
    facts.loss.processes_unrecorded = unrecorded.count();
    facts.loss.unrecorded = unrecorded.entries();
    add_threads(facts.loss);
    facts.loss.stacks_truncated = drain_.stacks_truncated();
    add_unseen_reads(facts.loss);
    drain_.assembler().areas().put_into(facts.loss);
    facts.loss.written_unseen_bytes = drain_.assembler().pages().written_unseen_bytes() +
                                      drain_.assembler().forks().written_unseen_bytes();
  }

  void add_threads(trace::Loss& loss) {
    const wire::Refusals& refused = session_.control().threads_refused;
    loss.threads_seccomp = refused.of(wire::Refusal::kForbidden).load();
    loss.threads_address_space =
        refused.of(wire::Refusal::kNoMemory).load() + drain_.windows_missing();
    loss.threads_too_many = refused.of(wire::Refusal::kNoPlace).load();
    loss.threads_unrecorded =
        loss.threads_seccomp + loss.threads_address_space + loss.threads_too_many;
  }

  void add_unseen_reads(trace::Loss& loss) {
    const wire::ControlBlock& block = session_.control();
    // Below zero if streams went back by more than was read: a host may write any number.
    const std::uint64_t seen = static_cast<std::uint64_t>(
        std::max(static_cast<std::int64_t>(drain_.bytes_read()), std::int64_t{0}));
    loss.reads_unseen_bytes =
        kernel_reads_.unseen({.seen_bytes = seen,
                              .told_bytes = drain_.assembler().unseen_reads().told_bytes(),
                              .loader_bytes = drain_.assembler().processes().loader_bytes()}) +
        block.reads_unfollowed.load();
    loss.rings_unseen = drain_.rings_unseen();
  }

  RecordingResult summary() {
    RecordingResult result;
    result.names = names_;
    result.events = writer_.event_count();
    result.trace_bytes = writer_.bytes_written();
    result.processes = drain_.assembler().processes().all().size();
    for (const trace::Process& process : drain_.assembler().processes().all())
      result.own_bytes = std::max(result.own_bytes, process.own_bytes);
    for (const auto& survivor : drain_.assembler().processes().hosts())
      result.own_bytes = std::max(result.own_bytes, survivor->facts().own_bytes);
    result.stacks_compared = session_.control().stacks_compared.load();
    result.stacks_different = session_.control().stacks_different.load();
    result.stacks_ended_early = session_.control().stacks_ended_early.load();
    result.peak_footprint_bytes = drain_.assembler().peak_footprint();
    result.peak_at_ns = drain_.assembler().peak_at_ns();
    return result;
  }

  const RecordingOptions& options_;
  SharedSession& session_;
  trace::TraceWriter& writer_;
  Descendants& family_;
  Drain drain_;
  Sampler sampler_;
  SymbolPassEnd names_;
  RecordingResult broken_off_;  ///< Made before there is any need for it.
  bool is_broken_off_ = false;
  bool root_ended_ = false;
  std::uint64_t root_ended_ns_ = 0;  ///< By the kernel's monotonic clock.
  int exit_status_ = 0;
  pid_t root_ = 0;
  /// The kernel's value at the program's end; 0 if that may be a child's. Samples saw almost as
  /// much.
  std::uint64_t root_peak_rss_ = 0;
  std::uint64_t last_flush_ns_ = 0;
  trace::Session told_;  ///< The facts of the session written so far.
  std::uint64_t told_ns_ = 0;
  KernelReads kernel_reads_;
};

/// Each host costs three descriptors; a large build has hundreds at a time.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Empty where there are enough to look at a program's memory.
std::string lack_of_descriptors() {
  constexpr rlim_t kEnough = 32;
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < kEnough
             ? fmt::format(
                   "{} files may be open at once (ulimit -Hn), which is too few to look at "
                   "resident memory: what was never touched may count in full",
                   limit.rlim_max)
             : std::string();
}

/// Raises the limit as far as allowed: hosts' memory is mapped here, too.
void raise_address_space_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
}

/// Whether /proc is this pid namespace's: hosts reach the session's memory through it, and
/// everything about them is read there. Another namespace's does not know this process.
bool has_proc() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self", error);
  return !error && self == std::to_string(getpid());
}

/// A trace that was begun, and is removed if no host is started for it.
class BegunTrace {
 public:
  explicit BegunTrace(trace::TraceWriter& writer) : writer_(&writer) {}
  BegunTrace(const BegunTrace&) = delete;
  BegunTrace& operator=(const BegunTrace&) = delete;
  BegunTrace(BegunTrace&&) = delete;
  BegunTrace& operator=(BegunTrace&&) = delete;
  ~BegunTrace() {
    if (writer_ != nullptr)
      writer_->discard();
  }
  void keep() { writer_ = nullptr; }

 private:
  trace::TraceWriter* writer_;
};

Launch launch_of(const RecordingOptions& options,
                 const Program& program,
                 const SessionVariables& objects,
                 const SharedSession& session,
                 Descendants& family) {
  Launch what;
  what.command = options.command;
  what.path = program.path;
  what.needs_shell = program.needs_shell;
  what.session = objects;
  what.session.session_address = session.address();
  what.before_exec = [&family](pid_t root) { family.watch_execs(root); };
  return what;
}

SessionEntrance entrance_of(const SessionVariables& objects, int memory) {
  const std::string first = objects.preload_objects.substr(0, objects.preload_objects.find(':'));
  return {std::filesystem::absolute(first).string(),
          fmt::format("/proc/{}/fd/{}", getpid(), memory), wire::kMinAddressSpaceBytes};
}

}  // namespace

Result<RecordingResult> record(const RecordingOptions& options) {
  if (!has_proc()) {
    return Error{ErrorCode::kUsage,
                 "there is no /proc here that knows this process, and nothing can be recorded "
                 "without it: mount it (mount -t proc proc /proc)"};
  }
  Result<Program> program = inspect_program(options.command.at(0), std::getenv("PATH"));
  if (!program.ok())
    return program.error();
  for (const std::string& warning : program.value().warnings) {
    if (options.warn)
      options.warn(warning);
  }
  if (const std::string lack = lack_of_descriptors(); options.warn && !lack.empty())
    options.warn(lack);
  Result<SessionVariables> objects = find_objects(options.copies);
  if (!objects.ok())
    return objects.error();
  auto writer = trace::TraceWriter::create(options.output);
  if (!writer.ok())
    return writer.error();
  BegunTrace begun(*writer.value());
  auto session = SharedSession::create(options.session);
  if (!session.ok())
    return session.error();
  trace::Session facts = first_facts(options, program.value());
  writer.value()->set_session(facts);
  if (!writer.value()->write_error().empty())
    return Error{ErrorCode::kIo, "cannot write " + writer.value()->begun_path() + ": " +
                                     writer.value()->write_error()};
  const int memory = session.value()->descriptor();
  Descendants family(entrance_of(objects.value(), memory), memory);
  Recorder recorder(options, *session.value(), *writer.value(), family, facts);
  const Result<pid_t> root =
      launch(launch_of(options, program.value(), objects.value(), *session.value(), family));
  if (!root.ok())
    return root.error();
  begun.keep();
  // Call after the fork, so that the host keeps the limits that it was given.
  raise_descriptor_limit();
  raise_address_space_limit();
  recorder.run(root.value());
  return recorder.finish(std::move(facts));
}

}  // namespace tidemark
