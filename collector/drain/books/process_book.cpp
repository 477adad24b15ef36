#include "collector/drain/books/process_book.hpp"

#include "collector/os/build_id.hpp"
#include "collector/session/record_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

namespace tidemark {

using trace::Event;
using trace::EventKind;
using trace::Lane;

namespace {

/// The kernel reads the headers of a program and its interpreter (1.7 KiB), the loader those of
/// tidemark's objects and of libc (4 KiB). For `true` that is all; other libraries of a program are
/// unknown if it records no stack.
constexpr std::uint64_t kProgramStartBytes = 8192;
/// glibc reads 832 bytes of each library, and about 784 more if its program headers are elsewhere.
constexpr std::uint64_t kModuleLoadBytes = 2048;

bool is_same_process(const Host& one, const Host& other) {
  if (one.identity() != 0 && other.identity() != 0)
    return one.identity() == other.identity();
  return one.process() != nullptr && other.process() != nullptr &&
         one.process()->pid() == other.process()->pid() &&
         one.process()->start_ticks() == other.process()->start_ticks();
}

/// For hosts of which one ended before it was found: little more than its pid is known.
bool may_be_same_process(const Host& one, const Host& other) {
  if (one.identity() != 0 && other.identity() != 0)
    return false;
  const bool are_known = one.numbers().pid != 0 && other.numbers().pid != 0;
  return !are_known && !one.is_sought() && !other.is_sought() && one.own_pid() == other.own_pid();
}

/// Whether the loader has read a module for this record. After each dlclose all of them are
/// announced again, and one may have been loaded again.
bool is_load(Host& host, const wire::Module& module) {
  const bool is_new = host.tables.modules_read.insert(module.bias).second;
  const bool is_first_of_epoch = host.tables.module_epoch < module.epoch;
  host.tables.module_epoch = std::max(host.tables.module_epoch, module.epoch);
  return is_new || is_first_of_epoch;
}

std::string root_of(const Host& host) {
  return host.process() != nullptr ? fmt::format("/proc/{}/root", host.process()->pid())
                                   : std::string();
}

/// @param payload of a Module record, after its path.
std::string build_id_in(std::span<const std::byte> payload) {
  if (payload.empty())
    return {};
  const std::size_t bytes = std::min(std::to_integer<std::size_t>(payload[0]), payload.size() - 1);
  return to_hex(reinterpret_cast<const unsigned char*>(payload.data()) + 1, bytes);
}

}  // namespace

Host* ProcessBook::find_host(std::uint32_t slot, std::uint32_t generation) {
  for (const auto& host : hosts_) {
    if (host->slot() == slot && host->generation() == generation)
      return host.get();
  }
  return nullptr;
}

Host* ProcessBook::parent_of(const Host& host) {
  Host* ended = nullptr;
  for (const auto& other : hosts_) {
    if (other.get() == &host || other->facts().pid != host.facts().parent_pid)
      continue;
    if (!other->has_ended())
      return other.get();
    ended = ended != nullptr ? ended : other.get();
  }
  return ended;
}

Host* ProcessBook::begin_host(std::uint32_t slot, std::uint32_t generation, std::uint64_t at_ns) {
  auto host = std::make_unique<Host>(session_, slot, generation, at_ns, stacks_);
  host->settle(search(*host));
  if (!host->is_forked())
    loader_bytes_ += kProgramStartBytes;
  // The same process again: an exec has put a new image in the old one's place.
  end_images_before(*host, at_ns);
  if (!host->is_forked()) {
    awaited_.arrived(host->numbers());
  } else {
    const auto [from, claim] = host->forked_from();
    const Host* const origin = find_host(from, claim);
    host->tables.areas.forked_from(origin != nullptr ? &origin->tables.areas : nullptr);
    if (origin != nullptr) {
      host->tables.modules_read = origin->tables.modules_read;
      host->tables.module_epoch = origin->tables.module_epoch;
    }
  }
  if (const Host* parent = parent_of(*host)) {
    host->set_parent(*parent);
    if (host->is_forked()) {
      host->set_command(parent->facts().command);
      SharedBook::inherit(*host, *parent);
    }
  }
  host->set_id(sink_.writer().add_process(host->facts()));
  begin_fork(*host, parent_of(*host));
  processes_.push_back(host->facts());
  images_.emplace(host->facts().pid, trace::index(host->id()));
  hosts_.push_back(std::move(host));
  return hosts_.back().get();
}

/// What the parent had at that time must be known, since the child has it, too.
void ProcessBook::begin_fork(Host& host, Host* parent) {
  if (host.is_forked() && parent != nullptr && !parent->has_ended())
    sink_.count_aside(*parent);
  ForkBook::begin(host, parent);
}

/// Searches for the process that claimed the slot: only that one may be examined from outside.
HostSearch ProcessBook::search(const Host& host) {
  const auto pid = static_cast<pid_t>(host.own_pid());
  const auto parent = static_cast<pid_t>(host.own_parent());
  if (family_ != nullptr) {
    return family_->find({.pid = pid,
                          .parent = parent,
                          .identity = host.identity(),
                          .is_forked = host.is_forked(),
                          .at_ns = host.facts().begin_ns,
                          .is_searched = host.is_sought()});
  }
  HostSearch found;
  found.process = Process::open(pid);
  found.parent = parent;
  found.pid_namespace = 0;
  found.state = found.process ? HostSearch::State::kFound : HostSearch::State::kGone;
  return found;
}

void ProcessBook::find_processes() {
  const auto is_sought = [](const auto& host) { return host->is_sought() && !host->has_ended(); };
  if (std::ranges::none_of(hosts_, is_sought))
    return;
  family_->search();
  for (const auto& host : hosts_) {
    if (!is_sought(host))
      continue;
    host->settle(search(*host));
    host->stop_search();
    end_images_before(*host, sink_.now_ns());
    if (!host->is_forked())
      awaited_.arrived(host->numbers());
    if (Host* const parent = parent_of(*host)) {
      host->set_parent(*parent);
      if (!host->tables.of_fork.block)
        begin_fork(*host, parent);
    }
    update(*host);
  }
}

void ProcessBook::end_images_before(const Host& host, std::uint64_t at_ns) {
  for (const auto& other : hosts_) {
    if (other.get() != &host && !other->has_ended() && is_same_process(*other, host))
      end(*other, at_ns);
  }
  if (host.is_forked())
    return;
  // Several hosts may match, in pid namespaces that look alike: one exec starts one program.
  const auto replaced = std::ranges::find_if(hosts_, [&](const auto& other) {
    return other.get() != &host && !other->has_ended() && other->execs() &&
           may_be_same_process(*other, host);
  });
  if (replaced != hosts_.end())
    end(**replaced, at_ns);
}

void ProcessBook::begin_thread(std::uint32_t ring,
                               const wire::ThreadBegin& begin,
                               const Behind& behind) {
  if (ring >= sources_.size())
    sources_.resize(ring + std::size_t{1});
  sources_[ring] = {};
  if (begin.slot >= wire::kMaxProcesses)
    return;
  Host* host = find_host(begin.slot, begin.generation);
  const bool is_first = host == nullptr;
  if (is_first)
    host = begin_host(begin.slot, begin.generation, sink_.now_ns());
  if (host->has_ended())
    return;
  const auto [thread, is_new] = host->tables.threads.try_emplace(begin.tid, trace::ThreadId{0});
  if (is_new)
    thread->second = sink_.writer().add_thread(
        {host->id(), begin.tid, text_of(begin.text_bytes, behind.payload)});
  if (!host->tables.first_thread)
    host->tables.first_thread = thread->second;
  Source& source = sources_[ring];
  source = {.host = host, .thread = thread->second, .tid = begin.tid};
  if (is_first)
    sink_.emit_simple(source, EventKind::kProcessBegin, 0, trace::index(host->id()));
  sink_.emit_simple(source, EventKind::kThreadBegin, 0, 0);
}

bool ProcessBook::has_thread(std::uint32_t ring) const {
  return ring < sources_.size() && sources_[ring].host != nullptr && !sources_[ring].has_ended;
}

void ProcessBook::end_thread(std::uint32_t ring, std::uint64_t at_ns) {
  if (!has_thread(ring))
    return;
  sink_.move_on_to(at_ns);
  files_.end_reads(sources_[ring], session_.ring(ring).gathered_bytes.load());
  end_thread(sources_[ring]);
}

/// Usually the end is seen from outside first, and then reported again by the thread that takes
/// over the ring.
void ProcessBook::end_thread(Source& source) {
  if (source.has_ended)
    return;
  sink_.give_up(source);
  source.host->tables.pending.erase(trace::index(source.thread));
  // The kernel gives its number to another thread.
  auto& threads = source.host->tables.threads;
  if (const auto entry = threads.find(source.tid);
      entry != threads.end() && entry->second == source.thread)
    threads.erase(entry);
  source.has_pending = false;
  source.device_request = 0;
  sink_.emit_simple(source, EventKind::kThreadEnd, 0, 0);
  source.has_ended = true;
}

void ProcessBook::see(Source& source, const wire::ProcessBegin& begin, const Behind& behind) {
  Host& host = *source.host;
  std::string text = text_of(begin.text_bytes, behind.payload);
  const std::size_t split = text.find('\0');
  if (split == std::string::npos)
    return;
  host.set_executable(text.substr(0, split));
  if (family_ != nullptr)
    family_->note_executable(host.facts().executable);
  std::string command = text.substr(split + 1);
  if (!command.empty() && command.back() == '\0')
    command.pop_back();
  std::replace(command.begin(), command.end(), '\0', ' ');
  host.set_command(std::move(command));
  update(host);
}

void ProcessBook::see(Source& source, const wire::ThreadEnd&, const Behind&) {
  end_thread(source);
}

void ProcessBook::see(Source& source, const wire::ThreadName& name, const Behind& behind) {
  Host& host = *source.host;
  if (const auto named = host.tables.threads.find(name.tid); named != host.tables.threads.end())
    sink_.writer().update_thread(named->second,
                                 {host.id(), name.tid, text_of(name.text_bytes, behind.payload)});
}

void ProcessBook::see(Source& source, const wire::Module& module, const Behind& behind) {
  const auto* text = reinterpret_cast<const char*>(behind.payload.data());
  const std::string path(text, strnlen(text, behind.payload.size()));
  const std::span rest = behind.payload.subspan(std::min(path.size() + 1, behind.payload.size()));
  Host& host = *source.host;
  if (is_load(host, module))
    loader_bytes_ += kModuleLoadBytes;
  host.tables.module_ends.insert(wire::round_to_page(module.end));
  host.tables.stacks.add_module(
      {.begin = module.bias + std::uint64_t{module.pages_before} * wire::kPageBytes,
       .end = module.end,
       .bias = module.bias,
       .epoch = module.epoch,
       .file = {.path = path.empty() ? host.facts().executable : path,
                .root = root_of(host),
                .build_id = build_id_in(rest)}});
}

void ProcessBook::see(Source& source, const wire::Code& code, const Behind& behind) {
  const std::string text = text_of(code.text_bytes, behind.payload);
  const std::string name(text.c_str());
  const std::string file = name.size() < text.size() ? text.substr(name.size() + 1) : std::string();
  source.host->tables.stacks.add_code(code, name, file);
}

void ProcessBook::see(Source& source, const wire::CodeLines& lines, const Behind& behind) {
  const std::size_t bytes = std::min<std::size_t>(lines.text_bytes, behind.payload.size());
  source.host->tables.stacks.add_code_lines(lines, behind.payload.first(bytes));
}

void ProcessBook::see(Source& source, const wire::Exec& exec, const Behind&) {
  note_exec(*source.host, exec);
}

void ProcessBook::see(Source& source, const wire::ExecFailed& failure, const Behind&) {
  Host& host = *source.host;
  awaited_.exec_failed(failure.pid, host.pid_namespace());
  if (failure.pid == host.own_pid())
    host.exec_failed();
}

/// The child's records are older, so they have been read. A child that was not waited for may have
/// ended later, with records still to come: its end is found later.
void ProcessBook::see(Source& source, const wire::ChildEnded& child, const Behind&) {
  Host& parent = *source.host;
  parent.add_waited_faults(child.faults);
  const bool is_pid_ours = family_ == nullptr || child.pid == 0 || parent.pid_namespace() == 0;
  const pid_t pid = is_pid_ours ? static_cast<pid_t>(child.pid)
                                : family_->find_child(static_cast<pid_t>(parent.facts().pid),
                                                      static_cast<pid_t>(child.pid));
  if (family_ != nullptr && child.pid != 0) {
    family_->note_wait({.pid = pid,
                        .at_ns = sink_.now_ns(),
                        .cpu_ns = child.cpu_ns,
                        .most_resident_bytes = child.most_resident_bytes});
  }
  forks_.note_last_faults({static_cast<std::uint32_t>(pid), child.pid, parent.pid_namespace()},
                          child.faults);
  if (child.pid != 0 && child.most_resident_bytes != 0)
    note_rss_at_most(parent, static_cast<std::uint32_t>(pid), child.most_resident_bytes);
  const auto is_it = [&](const Host& host) {
    return child.pid != 0
               ? host.own_pid() == child.pid && host.pid_namespace() == parent.pid_namespace()
               : host.facts().parent == trace::index(parent.id());
  };
  for (const auto& host : hosts_) {
    if (host->has_ended() || host->is_sought() || !is_it(*host))
      continue;
    host->look_for_death();
    if (!host->is_dead() || (is_read_ && !is_read_(*host)))
      continue;  // another child has ended, or the host's claim is false
    if (host->execs())
      exec_left(*host, sink_.now_ns());
    else
      end(*host, sink_.now_ns());
  }
}

void ProcessBook::see(Source& source, const wire::Load& load, const Behind& behind) {
  emit_name(source, EventKind::kLoad, load.text_bytes, behind);
}

void ProcessBook::see(Source& source, const wire::Unload&, const Behind&) {
  sink_.emit_simple(source, EventKind::kUnload, 0, 0);
}

void ProcessBook::see(Source& source, const wire::PhaseBegin& begin, const Behind& behind) {
  emit_name(source, EventKind::kPhaseBegin, begin.text_bytes, behind);
}

void ProcessBook::see(Source& source, const wire::PhaseEnd& end, const Behind& behind) {
  emit_name(source, EventKind::kPhaseEnd, end.text_bytes, behind);
}

void ProcessBook::see(Source& source, const wire::Lost& lost, const Behind&) {
  source.device_request = 0;  // its end may be among the dropped records
  source.host->tables.areas.stop_comparing();
  sink_.emit_simple(source, EventKind::kLost, lost.records, 0);
}

void ProcessBook::emit_name(const Source& source,
                            EventKind kind,
                            std::uint64_t text_bytes,
                            const Behind& behind) {
  const std::string name = text_of(text_bytes, behind.payload);
  sink_.emit_simple(source, kind, 0, trace::index(sink_.writer().add_name(name)));
}

void ProcessBook::update(const Host& host) {
  const std::uint32_t id = trace::index(host.id());
  if (processes_[id].pid != host.facts().pid) {
    images_.erase({processes_[id].pid, id});
    images_.emplace(host.facts().pid, id);
  }
  processes_[id] = host.facts();
  sink_.writer().update_process(host.id(), host.facts());
}

/// Null if no image had that pid. Never scans all images: a session may start any number of
/// programs.
trace::Process* ProcessBook::last_image_of(std::uint32_t pid) {
  const auto behind = images_.upper_bound({pid, UINT32_MAX});
  if (behind == images_.begin() || std::prev(behind)->first != pid)
    return nullptr;
  return &processes_[std::prev(behind)->second];
}

/// The kernel's peak spans execs. It is assigned to the image with the most resident memory in
/// samples or, without samples, the most in its lanes.
void ProcessBook::set_kernel_peak(std::uint32_t pid, std::uint64_t rss_bytes) {
  const auto known_peak = [](const trace::Process& image) {
    return std::pair(image.kernel_peak_rss_bytes, image.peak.footprint());
  };
  trace::Process* highest = nullptr;
  for (trace::Process& image : processes_) {
    if (image.pid == pid && (highest == nullptr || known_peak(image) >= known_peak(*highest)))
      highest = &image;
  }
  if (highest == nullptr)
    return;
  highest->kernel_peak_rss_bytes = std::max(highest->kernel_peak_rss_bytes, rss_bytes);
  const auto id = trace::ProcessId{static_cast<std::uint32_t>(highest - processes_.data())};
  sink_.writer().update_process(id, *highest);
  for (const auto& host : hosts_) {
    if (host->id() == id)
      host->note_kernel_peak(rss_bytes);
  }
}

/// Applies to the last image with that pid, since the kernel reuses a pid only after the wait. A
/// host may make false claims, but only about its own children.
void ProcessBook::note_rss_at_most(const Host& parent, std::uint32_t pid, std::uint64_t bytes) {
  trace::Process* const last = last_image_of(pid);
  if (last == nullptr || last->parent_pid != parent.facts().pid)
    return;
  last->rss_at_most_bytes = bytes;
  const auto id = trace::ProcessId{static_cast<std::uint32_t>(last - processes_.data())};
  sink_.writer().update_process(id, *last);
  for (const auto& host : hosts_) {
    if (host->id() == id)
      host->note_rss_at_most(bytes);
  }
}

/// A program starts: in this process, or in a child that has not recorded anything.
void ProcessBook::note_exec(Host& host, const wire::Exec& exec) {
  const std::uint32_t pid = exec.pid;
  if (family_ != nullptr)
    family_->hurry();
  if (pid == host.own_pid()) {
    host.begin_exec(sink_.now_ns(), exec.faults);
    return;
  }
  const bool is_pid_ours = host.pid_namespace() == 0;
  ProcessNumbers child{is_pid_ours ? pid : 0, pid, host.pid_namespace()};
  if (!is_pid_ours && family_ != nullptr)
    child.pid = static_cast<std::uint32_t>(
        family_->find_child(static_cast<pid_t>(host.facts().pid), static_cast<pid_t>(pid)));
  const trace::Process* const last = last_image_of(child.pid);
  awaited_.child_started(child, sink_.now_ns(), std::span(last, last != nullptr ? 1 : 0));
}

void ProcessBook::exec_left(Host& host, std::uint64_t at_ns) {
  ProcessNumbers left = host.numbers();
  // It ended before it was found: as far as known, its own pid is also its pid here.
  if (host.process() == nullptr && host.pid_namespace() == 0)
    left.pid = host.own_pid();
  awaited_.image_left(left, host.exec_at_ns());
  end(host, at_ns);
}

void ProcessBook::look_for_ends(const std::function<std::uint64_t()>& now) {
  awaited_.look_for_ends(now, [](pid_t pid) { return has_ended(pid); });
}

void ProcessBook::give_up_missing(std::uint64_t before_ns) {
  for (const auto& program : awaited_.take_started_before(before_ns)) {
    if (family_ != nullptr)
      family_->give_up_program(static_cast<pid_t>(program.numbers.pid), program.seen_since_ns,
                               program.at_ns, program.end.gone_ns());
  }
}

void ProcessBook::end(Host& host, std::uint64_t at_ns) {
  if (host.has_ended())
    return;
  if (before_end_)
    before_end_(host);
  sink_.move_on_to(at_ns);
  for (std::uint32_t ring = 0; ring < sources_.size(); ++ring) {
    if (sources_[ring].host == &host && !sources_[ring].has_ended)
      files_.end_reads(sources_[ring], session_.ring(ring).gathered_bytes.load());
  }
  sink_.settle_in(host, {0, ~std::uint64_t{0}}, EventSink::As::kGone);
  forks_.end(host);
  // All its memory is released, while others may have uncounted mappings set aside.
  for (const auto& other : hosts_) {
    if (other.get() != &host && !other->has_ended())
      sink_.keep_peak_beside(*other, host.totals().footprint());
  }
  // Its last events may be attributed to any of its threads; the first one is used.
  Source source{&host, host.first_thread()};
  for (std::size_t lane = 0; lane < trace::kLaneCount; ++lane) {
    if (host.totals().bytes[lane] == 0)
      continue;
    Event event;
    event.kind = EventKind::kReleaseAll;
    event.lane = static_cast<Lane>(lane);
    event.size = host.totals().bytes[lane];
    event.extra = trace::index(host.id());
    sink_.emit(source, event);
  }
  origins_.end(host);
  looks_.end(host);
  values_.end(host);
  areas_.end(host);
  pages_.end(host);
  host.end(sink_.now_ns());
  shared_.process_left();
  sink_.emit_simple(source, EventKind::kProcessEnd, 0, trace::index(host.id()));
  update(host);
  for (Source& writing : sources_) {
    if (writing.host == &host)
      writing = {};
  }
}

void ProcessBook::remove_hosts(const std::function<bool(const Host&)>& gone) {
  std::erase_if(hosts_, [&](const auto& host) { return host->has_ended() && gone(*host); });
}

}  // namespace tidemark
