/// Begin and end of processes, their threads and images (an exec starts a new one), and their
/// marks.
#pragma once

#include "collector/drain/books/area_book.hpp"
#include "collector/drain/books/contents/fork_book.hpp"
#include "collector/drain/books/contents/origin_book.hpp"
#include "collector/drain/books/contents/page_book.hpp"
#include "collector/drain/books/contents/value_book.hpp"
#include "collector/drain/books/file_book.hpp"
#include "collector/drain/books/look_book.hpp"
#include "collector/drain/books/shared_book.hpp"
#include "collector/drain/hosts/awaited_programs.hpp"
#include "collector/drain/hosts/event_sink.hpp"
#include "collector/family/descendants.hpp"
#include "preload/wire/kinds.hpp"
#include "preload/wire/session.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace tidemark {

class ProcessBook {
 public:
  /// All stay borrowed.
  /// @param family of the session's processes. Null: a host is taken to be the process with the pid
  /// that it claims.
  ProcessBook(const wire::SessionMap& session,
              EventSink& sink,
              HostList& hosts,
              SharedBook& shared,
              OriginBook& origins,
              LookBook& looks,
              ValueBook& values,
              AreaBook& areas,
              PageBook& pages,
              ForkBook& forks,
              FileBook& files,
              Descendants* family)
      : session_(session),
        sink_(sink),
        family_(family),
        stacks_(sink.writer()),
        hosts_(hosts),
        shared_(shared),
        origins_(origins),
        looks_(looks),
        values_(values),
        areas_(areas),
        pages_(pages),
        forks_(forks),
        files_(files) {
    if (session.control().sample_bytes != 0)
      stacks_.sample_stacks();
  }

  /// Sets a function that is called for each host before its end, however that is noticed.
  void set_before_end(std::function<void(Host&)> note) { before_end_ = std::move(note); }

  /// Sets a function that tells whether all records of a host were added. Without it they are
  /// assumed to be.
  void set_is_read(std::function<bool(const Host&)> is_read) { is_read_ = std::move(is_read); }

  /// Who writes into a ring; null if unknown.
  [[nodiscard]] Source* source_of(std::uint32_t ring) {
    return ring < sources_.size() && sources_[ring].host != nullptr ? &sources_[ring] : nullptr;
  }

  /// Another thread writes into `ring` from now on.
  void begin_thread(std::uint32_t ring, const wire::ThreadBegin& begin, const Behind& behind);
  void see(Source& source, const wire::ProcessBegin& begin, const Behind& behind);
  void see(Source& source, const wire::ThreadEnd& end, const Behind& behind);
  void see(Source& source, const wire::ThreadName& name, const Behind& behind);
  void see(Source& source, const wire::Exec& exec, const Behind& behind);
  void see(Source& source, const wire::ChildEnded& child, const Behind& behind);
  void see(Source& source, const wire::ExecFailed& failure, const Behind& behind);
  void see(Source& source, const wire::Module& module, const Behind& behind);
  void see(Source& source, const wire::Code& code, const Behind& behind);
  void see(Source& source, const wire::CodeLines& lines, const Behind& behind);
  void see(Source& source, const wire::Load& load, const Behind& behind);
  void see(Source& source, const wire::Unload& unload, const Behind& behind);
  void see(Source& source, const wire::PhaseBegin& begin, const Behind& behind);
  void see(Source& source, const wire::PhaseEnd& end, const Behind& behind);
  void see(Source& source, const wire::Lost& lost, const Behind& behind);

  /// False once the thread that writes into `ring` is known to have ended.
  [[nodiscard]] bool has_thread(std::uint32_t ring) const;
  /// The thread's end was seen from outside.
  void end_thread(std::uint32_t ring, std::uint64_t at_ns);
  /// Ends a host: releases all that it still held, and forgets the owners of its rings.
  void end(Host& host, std::uint64_t at_ns);

  [[nodiscard]] HostList& hosts() { return hosts_; }
  /// Removes hosts that have ended and for which `gone` returns true.
  void remove_hosts(const std::function<bool(const Host&)>& gone);
  [[nodiscard]] StackStore& stacks() { return stacks_; }
  /// Every process of the session so far, by ProcessId.
  [[nodiscard]] const std::vector<trace::Process>& all() const { return processes_; }
  /// Upper bound of the bytes that the kernel counted as read to start these programs and load
  /// their libraries: file headers, read outside any hooked call.
  [[nodiscard]] std::uint64_t loader_bytes() const { return loader_bytes_; }
  /// Sets the peak that the kernel reports after a process's end, for all its images.
  void set_kernel_peak(std::uint32_t pid, std::uint64_t rss_bytes);

  /// Searches again for the processes of hosts in other pid namespaces.
  void find_processes();
  /// The image of `host` is gone after it called exec: the next one is awaited.
  void exec_left(Host& host, std::uint64_t at_ns);
  /// Checks which awaited programs have ended, to bound the memory that they can have had.
  void look_for_ends(const std::function<std::uint64_t()>& now);
  /// Reports to the family those programs started before `before_ns` that neither recorded anything
  /// nor were seen from outside.
  void give_up_missing(std::uint64_t before_ns);

 private:
  Host* begin_host(std::uint32_t slot, std::uint32_t generation, std::uint64_t at_ns);
  Host* find_host(std::uint32_t slot, std::uint32_t generation);
  Host* parent_of(const Host& host);
  void begin_fork(Host& host, Host* parent);
  HostSearch search(const Host& host);
  void end_images_before(const Host& host, std::uint64_t at_ns);
  void note_exec(Host& host, const wire::Exec& exec);
  void end_thread(Source& source);
  void note_rss_at_most(const Host& parent, std::uint32_t pid, std::uint64_t bytes);
  void update(const Host& host);
  trace::Process* last_image_of(std::uint32_t pid);
  void emit_name(const Source& source,
                 trace::EventKind kind,
                 std::uint64_t text_bytes,
                 const Behind& behind);

  const wire::SessionMap session_;
  EventSink& sink_;
  Descendants* family_;
  std::uint64_t loader_bytes_ = 0;
  StackStore stacks_;
  HostList& hosts_;
  SharedBook& shared_;
  OriginBook& origins_;
  LookBook& looks_;
  ValueBook& values_;
  AreaBook& areas_;
  PageBook& pages_;
  ForkBook& forks_;
  FileBook& files_;
  std::function<void(Host&)> before_end_;
  std::function<bool(const Host&)> is_read_;
  std::vector<Source> sources_;  // By ring; without a host where none writes.
  std::vector<trace::Process> processes_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> images_;  // Pid, and ProcessId.
  AwaitedPrograms awaited_;
};

}  // namespace tidemark
