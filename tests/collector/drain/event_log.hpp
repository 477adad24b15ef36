/// A trace writer that keeps what it is given, and holds the assembler to what TraceWriter asks of
/// it.
#pragma once

#include "collector/trace/writer.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tidemark::tests {

/// Every event is checked as it comes: what it releases must be alive and as large as it says, ids
/// must exist, and the totals must stay the sum of what is alive. A breach is a line in
/// `breaches()`.
class EventLog : public trace::TraceWriter {
 public:
  [[nodiscard]] const std::vector<trace::Event>& events() const { return events_; }
  [[nodiscard]] const std::vector<std::string>& breaches() const { return breaches_; }
  [[nodiscard]] const std::vector<trace::Process>& processes() const { return processes_; }
  [[nodiscard]] const std::vector<trace::Thread>& threads() const { return threads_; }
  [[nodiscard]] const std::vector<trace::Module>& modules() const { return modules_; }
  [[nodiscard]] const std::vector<trace::File>& files() const { return files_; }
  /// Events of one kind, in order.
  [[nodiscard]] std::vector<trace::Event> of_kind(trace::EventKind kind) const;
  /// "module+offset < ... ", innermost first, with module paths; "" for no stack.
  [[nodiscard]] std::string stack_text(trace::StackId stack) const;
  /// Called at each event, before it is taken.
  std::function<void()> on_event;
  /// Bytes of blocks alive, by the log's own account.
  [[nodiscard]] std::uint64_t live_bytes(trace::Lane lane) const { return live_bytes_[lane]; }

  trace::AllocationNumber append(const trace::Event& event) override;
  void append(const trace::Sample&) override {}
  trace::NameId add_name(std::string_view name) override;
  trace::ProcessId add_process(const trace::Process& process) override;
  void update_process(trace::ProcessId id, const trace::Process& process) override;
  trace::ThreadId add_thread(const trace::Thread& thread) override;
  void update_thread(trace::ThreadId id, const trace::Thread& thread) override;
  trace::ModuleId add_module(const trace::Module& module) override;
  trace::FrameId add_frame(const trace::Frame& frame) override;
  trace::StackId add_stack(const trace::StackNode& node) override;
  trace::FileId add_file(const trace::File& file) override;
  trace::TensorId add_tensor(const trace::Tensor& tensor) override;
  trace::LookId add_look(const trace::Look& look) override;
  trace::OriginId add_origin(const trace::Origin& origin) override;
  trace::MatchId add_match(const trace::ValueMatch& match) override;
  trace::MismatchId add_mismatch(const trace::ValueMismatch& mismatch) override;
  trace::PackedId add_packed(const trace::PackedMatch& packed) override;
  trace::HeapLookId add_heap_look(const trace::HeapLook& look) override;
  trace::AlikeId add_alike(const trace::Alike& alike) override;
  trace::JoinedId add_joined(const trace::Joined& joined) override;
  [[nodiscard]] const std::vector<trace::Look>& looks() const { return looks_; }
  [[nodiscard]] const std::vector<trace::Origin>& origins() const { return origins_; }
  [[nodiscard]] const std::vector<trace::Tensor>& tensors() const { return tensors_; }
  [[nodiscard]] const std::vector<trace::ValueMatch>& matches() const { return matches_; }
  [[nodiscard]] const std::vector<trace::ValueMismatch>& mismatches() const { return mismatches_; }
  [[nodiscard]] const std::vector<trace::PackedMatch>& packed() const { return packed_; }
  [[nodiscard]] const std::vector<trace::Alike>& alike() const { return alike_; }
  [[nodiscard]] const std::vector<trace::Joined>& joined() const { return joined_; }
  [[nodiscard]] const std::vector<trace::HeapLook>& heap_looks() const { return heap_looks_; }
  void update_file(trace::FileId id, const trace::File& file) override;
  void set_locations(trace::FrameId id, const std::vector<trace::Location>& locations) override {
    locations_[trace::index(id)] = locations;
  }
  void set_session(const trace::Session&) override {}
  void flush() override {}
  Status finish(const trace::Session&) override { return success(); }
  void discard() override {}
  void abandon() noexcept override {}
  [[nodiscard]] const trace::LaneTotals& totals() const override { return totals_; }
  [[nodiscard]] std::uint64_t event_count() const override { return events_.size(); }
  [[nodiscard]] trace::AllocationNumber next_allocation() const override { return allocations_; }
  [[nodiscard]] std::uint64_t events_unwritten() const override { return 0; }
  [[nodiscard]] std::uint64_t bytes_written() const override { return 0; }
  [[nodiscard]] const std::string& write_error() const override { return no_error_; }
  [[nodiscard]] const std::string& begun_path() const override { return no_error_; }
  [[nodiscard]] bool is_kept() const override { return true; }

 private:
  struct Block {
    std::uint64_t bytes = 0;
    trace::Lane lane = trace::Lane::kHeap;
    trace::ProcessId process{0};
  };
  void check_ids(const trace::Event& event);
  void release(const trace::Event& event,
               std::uint64_t allocation,
               std::uint64_t bytes,
               bool whole);
  void grow(const trace::Event& event);
  void release_all(const trace::Event& event);
  void expect(bool holds, const char* rule);

  std::vector<trace::Event> events_;
  std::vector<std::string> breaches_;
  std::map<std::uint64_t, Block> live_;  ///< By allocation.
  trace::LaneTotals live_bytes_;
  std::uint64_t allocations_ = 0;
  trace::LaneTotals totals_;
  std::vector<std::string> names_{""};
  std::vector<trace::Process> processes_;
  std::vector<trace::Thread> threads_;
  std::vector<trace::Module> modules_{{}};
  std::vector<trace::Frame> frames_;
  std::vector<trace::StackNode> stacks_{{}};
  std::map<std::size_t, std::vector<trace::Location>> locations_;  ///< By FrameId.
  std::vector<trace::File> files_;
  std::vector<trace::Tensor> tensors_;
  std::vector<trace::Look> looks_;
  std::vector<trace::Origin> origins_;
  std::vector<trace::ValueMatch> matches_;
  std::vector<trace::ValueMismatch> mismatches_;
  std::vector<trace::PackedMatch> packed_;
  std::vector<trace::Alike> alike_;
  std::vector<trace::Joined> joined_;
  std::vector<trace::HeapLook> heap_looks_;
  std::string no_error_;
};

}  // namespace tidemark::tests
