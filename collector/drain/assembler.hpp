/// Turns records, in the order of their times, into the events of a trace.
#pragma once

#include "collector/drain/host.hpp"
#include "collector/process/descendants.hpp"
#include "collector/session/ring_reader.hpp"
#include "collector/trace/writer.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark {

/// Pairs each release with its allocation, so that readers need no addresses; keeps every host's
/// lanes and peaks. Nothing a host says is trusted: what does not fit is counted
/// (`unmatched_releases`) and left out.
class Assembler {
 public:
  /// @param family of the session's processes. Null: a host is the process of the number that it
  /// gives itself.
  Assembler(const wire::SessionMap& session,
            trace::TraceWriter& writer,
            Descendants* family = nullptr);

  /// One record of ring `ring`, made at `at_ns`.
  /// @param payload its payload bytes; borrowed for the call.
  /// @param following the records of this ring that will be added next, as far as they are known.
  void add(std::uint32_t ring,
           const RawRecord& record,
           std::span<const std::byte> payload,
           std::uint64_t at_ns,
           std::span<const RawRecord> following = {});

  /// Two records of ring `ring` at once: an allocation, and its free with no record of any ring in
  /// between. Cheaper than two calls of `add`.
  /// @return false when they must come one by one.
  bool add_fleeting(std::uint32_t ring,
                    const RawRecord& allocation,
                    std::uint64_t at_ns,
                    std::uint64_t freed_ns);

  /// Ends a host: whatever it still held goes, and its ring owners are forgotten.
  void end(Host& host, std::uint64_t at_ns);

  /// Whether the thread that began last in ring `ring` has not ended, as far as is known.
  [[nodiscard]] bool has_thread(std::uint32_t ring) const;
  /// It has ended: nothing of it will be added any more.
  void end_thread(std::uint32_t ring, std::uint64_t at_ns);

  [[nodiscard]] std::vector<std::unique_ptr<Host>>& hosts() { return hosts_; }
  /// Forgets hosts that have ended and that `gone` agrees to.
  void remove_hosts(const std::function<bool(const Host&)>& gone);

  [[nodiscard]] StackStore& stacks() { return stacks_; }
  /// Every process of the session so far, by ProcessId.
  [[nodiscard]] const std::vector<trace::Process>& processes() const { return processes_; }
  /// What the kernel says of a process after its end.
  void set_kernel_peak(std::uint32_t pid, std::uint64_t rss_bytes);
  [[nodiscard]] std::uint64_t peak_footprint() const { return peak_footprint_; }
  [[nodiscard]] std::uint64_t peak_at_ns() const { return peak_at_ns_; }
  [[nodiscard]] std::uint64_t unmatched_releases() const { return unmatched_releases_; }
  [[nodiscard]] std::uint64_t records_lost() const { return records_lost_; }
  /// A program was started that has not shown up yet.
  [[nodiscard]] bool awaits_program() const { return !awaited_.empty(); }

  /// Looks once more for the processes of hosts whose namespace calls them by another number.
  void find_processes();
  /// The image of `host` is gone, after it had asked for an exec: the next one is awaited.
  void exec_left(Host& host, std::uint64_t at_ns);
  /// Tells the family of programs that were started before `before_ns`, and that neither recorded
  /// anything nor were seen from outside.
  void give_up_missing(std::uint64_t before_ns);

 private:
  /// Who wrote the record at hand.
  struct Source {
    Host* host = nullptr;
    trace::ThreadId thread{0};
    /// A block whose free is the very next record of this ring: not worth a place in the table.
    std::uint64_t fleeting_address = 0;
    LiveBlock fleeting = {};
    bool has_ended = false;  ///< The thread.
    /// Bytes of device memory that this thread is asking a driver for right now. 0: none.
    std::uint64_t device_request = 0;
  };
  using Payload = std::span<const std::byte>;

  void begin_thread(std::uint32_t ring,
                    const RawRecord& record,
                    Payload payload,
                    std::uint64_t at_ns);
  Host* begin_host(std::uint32_t slot, std::uint32_t generation, std::uint64_t at_ns);
  Host* find_host(std::uint32_t slot, std::uint32_t generation);
  void find_process(Host& host);
  void bind(Host& host, const HostSearch& found);
  void end_images_before(const Host& host, std::uint64_t at_ns);
  void forget_awaited(const Host& host);
  void note_exec(Host& host, std::uint32_t pid);
  void end_thread(Source& source);
  void set_command(Host& host, const RawRecord& record, Payload payload);
  Host* parent_of(const Host& host);

  void emit(const Source& source, trace::Event& event);
  std::uint64_t emit_growth(Host& host, const trace::Event& event);
  void note_peak(std::uint64_t footprint);
  void update(Host& host);
  std::uint64_t emit_allocation(Source& source,
                                trace::Lane lane,
                                std::uint64_t size,
                                std::uint32_t node,
                                std::uint64_t extra);
  void emit_release(Source& source, const LiveBlock& block);
  void emit_release(Source& source, const Mapping& mapping);
  void emit_simple(Source& source,
                   trace::EventKind kind,
                   std::uint64_t size,
                   std::uint64_t extra,
                   std::uint32_t node = wire::kNoNode);

  // One function a family of records.
  void add_heap(Source& source, const RawRecord& record, std::span<const RawRecord> following);
  static std::optional<LiveBlock> take(Source& source, std::uint64_t address);
  void place(Source& source, std::uint64_t address, const LiveBlock& block);
  void end_realloc(Source& source, const RawRecord& record);
  void add_mapping(Source& source, const RawRecord& record, Payload payload);
  void add_map(Source& source, const RawRecord& record, const wire::MappingArguments& arguments);
  void end_remap(Source& source, const RawRecord& record, const wire::MappingArguments& arguments);
  void protect(Source& source, const RawRecord& record);
  void put(Source& source, const Mapping& mapping);
  void open_range(Source& source, const Mapping& mapping, std::uint32_t node);
  void take_away(Source& source, std::uint64_t begin, std::uint64_t end, bool keep);
  void add_file(Source& source, const RawRecord& record, Payload payload);
  void add_life(Source& source, const RawRecord& record, Payload payload);
  void add_device(Source& source, const RawRecord& record);
  void allocate_device(Source& source, const RawRecord& record);
  void free_device(Source& source, std::uint64_t handle);
  void map_device(Source& source, const RawRecord& record);
  static void unmap_device(Host& host, DeviceBlock& memory);
  static bool backs_device(Source& source, std::uint64_t size);
  static std::uint64_t allocation_at(const Host& host, std::uint64_t address);
  void add_touch(Source& source, const RawRecord& record, Payload payload);
  void add_read(Source& source, const RawRecord& record, trace::FileId file);
  trace::FileId file(const std::string& path, std::uint64_t size);

  PendingCall& pending(Source& source);
  void give_up(Source& source, PendingCall& call);

  /// A program that was started and has not recorded anything yet.
  struct Awaited {
    std::uint32_t pid = 0;            ///< As we call it; 0: not known.
    std::uint32_t own_pid = 0;        ///< As the pid namespace of its starter calls it.
    std::uint64_t pid_namespace = 0;  ///< The starter's.
    std::uint64_t at_ns = 0;
    std::uint64_t seen_since_ns = 0;  ///< Programs of that pid seen later than this are this one.
  };

  const wire::SessionMap session_;
  trace::TraceWriter& writer_;
  Descendants* family_;
  StackStore stacks_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<Source> sources_;  ///< By ring; without a host where none writes.
  std::unordered_map<std::string, trace::FileId> files_;
  std::vector<trace::File> file_facts_;
  std::vector<trace::Process> processes_;
  std::vector<Awaited> awaited_;
  std::uint64_t now_ns_ = 0;
  std::uint64_t peak_footprint_ = 0;
  std::uint64_t peak_at_ns_ = 0;
  std::uint64_t unmatched_releases_ = 0;
  std::uint64_t records_lost_ = 0;
};

}  // namespace tidemark
