/// Makes small traces for tests, with the real writer: `allocate`, `release`, `read`, then
/// `finish`.
#pragma once

#include "analyzer/query/loaded_trace.hpp"
#include "collector/trace/writer.hpp"
#include "tests/support/sizes.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::tests {

/// One process (id 0, pid 100) with one thread exists from the start; all verbs act on the current
/// thread and at the current time. Keeps what it appended, so that a test can replay it by hand.
class TraceBuilder {
 public:
  TraceBuilder();

  TraceBuilder& at_ms(std::uint64_t ms) { return at_ns(ms * 1'000'000); }
  TraceBuilder& at_ns(std::uint64_t ns);
  /// What follows is done by this thread.
  TraceBuilder& on(trace::ThreadId thread);

  /// Innermost function first: `{"malloc", "load loader.cpp:40", "main"}`; the place is optional,
  /// and one in a `.py`, or in `<string>` or its like, is Python's.
  trace::StackId stack(const std::vector<std::string>& functions);
  trace::FileId file(const std::string& path, std::uint64_t size, bool executable = false);
  /// A tensor that `file` lists, behind those before it.
  void tensor(trace::FileId file,
              std::uint64_t elements,
              std::uint64_t bytes,
              const std::string& name = {},
              const std::string& type = "f32");
  /// `bytes` of a block from `begin` on are those of the file from `offset` on.
  void origin(std::uint64_t allocation,
              std::uint64_t begin,
              trace::FileId file,
              std::uint64_t offset,
              std::uint64_t bytes);
  /// A block was seen to hold the tensor that begins at `offset`, as elements of `type`; empty: as
  /// in the file.
  void match(std::uint64_t allocation,
             trace::FileId file,
             std::uint64_t offset,
             const std::string& type,
             std::uint64_t from_ms = 0,
             std::uint64_t until_ms = UINT64_MAX);
  /// That block was last looked into then, and held no tensor.
  void mismatch(std::uint64_t allocation, std::uint64_t at_ms);
  /// A block was seen to hold values of the file in another order.
  /// @param offset of one of them.
  void packed(std::uint64_t allocation,
              trace::FileId file,
              std::uint64_t from_ms = 0,
              std::uint64_t offset = 0);
  /// `allocation` is seen now to hold the values of a group whose oldest is `of`.
  void alike(std::uint64_t allocation,
             std::uint64_t of,
             const std::string& type = {},
             const std::string& of_type = {},
             bool is_rounded = false,
             std::uint64_t until_ms = UINT64_MAX);
  /// `bytes` of `of` from `begin` on, in `rows` rows, are seen now to be those of `allocation`.
  void joined(std::uint64_t allocation,
              std::uint64_t of,
              std::uint64_t begin,
              std::uint64_t bytes,
              std::uint64_t rows = 1,
              std::uint64_t until_ms = UINT64_MAX);
  /// A block was seen to hold the file's own bytes from `offset` on, until `until_ms`.
  void as_in_file(std::uint64_t allocation,
                  trace::FileId file,
                  std::uint64_t offset,
                  std::uint64_t until_ms = UINT64_MAX);
  /// A block was seen to hold what is in the file from `offset` on as a wider type, or one in
  /// `node_bytes` each.
  void widened(std::uint64_t allocation,
               trace::FileId file,
               std::uint64_t offset,
               const std::string& type,
               const std::string& file_type,
               std::uint64_t node_bytes = 0);
  /// Of a block, `bytes` from `begin` on are seen now to hold what is in the file from `offset` on,
  /// until `until_ms`.
  void part_of_file(std::uint64_t allocation,
                    std::uint64_t begin,
                    std::uint64_t bytes,
                    trace::FileId file,
                    std::uint64_t offset,
                    const std::string& type = {},
                    const std::string& file_type = {},
                    std::uint64_t until_ms = UINT64_MAX);
  /// So many bytes of a block had been touched then.
  void look(std::uint64_t allocation, std::uint64_t at_ms, std::uint64_t bytes);
  trace::ProcessId process(std::uint32_t pid, const std::string& command);
  trace::ThreadId thread(trace::ProcessId process);

  std::uint64_t allocate(std::uint64_t size,
                         trace::StackId stack = trace::kNoStack,
                         trace::Lane lane = trace::Lane::kHeap);
  std::uint64_t reallocate(std::uint64_t allocation,
                           std::uint64_t size,
                           trace::StackId stack = trace::kNoStack);
  void release(std::uint64_t allocation);
  void release_part(std::uint64_t allocation, std::uint64_t size);
  void grow(std::uint64_t allocation, std::uint64_t size);
  void fail(std::uint64_t size,
            trace::StackId stack = trace::kNoStack,
            trace::Lane lane = trace::Lane::kHeap);
  void open_file(trace::FileId file);
  void read(trace::FileId file, std::uint64_t size);
  /// The file's bytes go into `allocation`. `resident`: the part of its pages that was there; none
  /// when it was not looked at.
  void read_into(trace::FileId file,
                 std::uint64_t size,
                 std::uint64_t allocation,
                 std::optional<double> resident = std::nullopt,
                 trace::StackId stack = trace::kNoStack);
  void copy(std::uint64_t size,
            std::uint64_t from,
            std::uint64_t to,
            trace::StackId stack = trace::kNoStack);
  void fill(std::uint64_t size, std::uint64_t allocation);
  std::uint64_t map(trace::FileId file, std::uint64_t size);
  /// Comes with a private mapping of the file that may be written to: `grow` it by what is.
  std::uint64_t written_pages(trace::FileId file, trace::StackId stack);
  void begin_phase(const std::string& name);
  void end_phase(const std::string& name);
  /// Everything the process still holds goes at once.
  void end_process(trace::ProcessId process);
  void sample(std::uint64_t rss_anon, std::uint64_t rss_file = 0, trace::ProcessId process = {});
  /// So many bytes of the memory that holds a process's heap, `blocks` of them, are resident now: a
  /// sample stands with it.
  void heap_look(std::uint64_t bytes, std::uint64_t blocks, trace::ProcessId process = {});
  /// With all that it says but its time, which is now.
  void sample(trace::Sample sample);
  /// Ends the current event block.
  void flush() { writer_->flush(); }

  trace::Session session;  ///< Written by `finish`; `ended` and a command are preset.
  trace::TraceWriter& writer() { return *writer_; }
  [[nodiscard]] const std::vector<trace::Event>& events() const { return events_; }
  [[nodiscard]] std::string path() const { return folder_.file("test.tmk"); }

  /// Finishes the file and returns its path.
  std::string finish();
  /// Leaves the file as a killed recorder does, and opens it. The builder is of no more use.
  analyzer::LoadedTrace break_off();
  /// Finishes the file and opens it.
  analyzer::LoadedTrace open();

 private:
  std::uint64_t tensors_end_ = 0;  ///< Of those listed so far.
  struct Block {
    std::uint64_t size;
    trace::Lane lane;
    trace::ProcessId process;
  };
  [[nodiscard]] trace::Event event(trace::EventKind kind) const;
  std::uint64_t append(trace::Event event);
  void note_process_peak(const trace::Event& event);
  trace::FrameId frame(const std::string& function);

  TemporaryFolder folder_;
  std::unique_ptr<trace::TraceWriter> writer_;
  std::vector<trace::Event> events_;
  std::map<std::uint64_t, Block> alive_;
  std::map<std::string, trace::FrameId> frames_;
  std::vector<trace::ProcessId> thread_processes_;
  std::vector<trace::Process> processes_;
  std::vector<trace::LaneTotals> process_totals_;
  trace::ModuleId module_{0};
  trace::ThreadId thread_{0};
  std::uint64_t now_ns_ = 0;
};

}  // namespace tidemark::tests
