/// Maps a process's stack nodes to stacks of the trace.
#pragma once

#include "collector/drain/tables/stacks/chunked_table.hpp"
#include "collector/drain/tables/stacks/module_file.hpp"
#include "collector/drain/tables/stacks/number_index.hpp"
#include "collector/drain/tables/stacks/python_lines.hpp"
#include "collector/drain/tables/stacks/stack_numbers.hpp"
#include "collector/trace/writer.hpp"
#include "preload/wire/kinds.hpp"
#include "preload/wire/session.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark {

/// The modules, frames and stacks of a whole session, each kept once: processes that run the same
/// code at different addresses share them.
class StackStore {
 public:
  explicit StackStore(trace::TraceWriter& writer);

  trace::ModuleId module(const MappedModule& module, std::uint64_t bias);
  trace::FrameId frame(trace::ModuleId module, std::uint64_t offset);
  trace::StackId stack(trace::StackId parent, trace::FrameId frame);
  /// A function of Python code, by its qualified name and its file. @return its number.
  std::uint32_t python_function(const std::string& name, const std::string& file);
  /// A line of it; 0: none.
  trace::FrameId python_frame(std::uint32_t function, std::uint32_t line);
  /// Stands for the missing frames of a cut stack.
  trace::FrameId cut_frame();
  /// Makes trace::kUnsampledStack, the stack of heap blocks that sampling left without one. Call
  /// before any other stack is made.
  void sample_stacks();
  [[nodiscard]] bool are_stacks_sampled() const { return are_stacks_sampled_; }
  /// A stack of one frame with that name, for memory that no code requested.
  trace::StackId named_stack(const std::string& name);

  [[nodiscard]] const std::vector<trace::Frame>& frames() const { return frames_; }
  [[nodiscard]] const std::vector<trace::Module>& modules() const { return module_facts_; }
  /// The same, each with a path at which this process can read its file while this store exists.
  [[nodiscard]] std::vector<trace::Module> readable_modules() const;

 private:
  trace::TraceWriter& writer_;
  std::unordered_map<std::string, trace::ModuleId> modules_;  ///< By path, zero, build id.
  NumberIndex frame_numbers_;   ///< By offset and module: 1 + FrameId.
  NumberIndex python_numbers_;  ///< By function and line: 1 + FrameId.
  std::unordered_map<std::string, trace::StackId> named_stacks_;
  std::unordered_map<std::string, std::uint32_t> python_functions_;  ///< By file, zero, name.
  std::vector<trace::Location> python_places_;                       ///< By function, without line.
  StackNumbers stack_numbers_;
  std::vector<trace::Frame> frames_;
  std::vector<trace::Module> module_facts_;                       ///< By ModuleId.
  std::unordered_map<std::uint32_t, FileDescriptor> held_files_;  ///< By ModuleId.
  bool are_stacks_sampled_ = false;
};

/// The view of one process: its module map for each epoch, and the nodes resolved so far.
class StackMap {
 public:
  StackMap(const wire::SessionMap& session, std::uint32_t process, StackStore& store);

  struct LoadedModule {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t bias = 0;
    std::uint32_t epoch = 0;  ///< Stacks under this epoch's root may have frames in it.
    MappedModule file;
  };
  void add_module(const LoadedModule& module);
  /// A Python code object that nodes may name.
  void add_code(const wire::Code& code, const std::string& name, const std::string& file);
  /// A part of its line table.
  void add_code_lines(const wire::CodeLines& lines, std::span<const std::byte> part);

  /// @param stack as the host gave it, untrusted. A broken chain ends at its break.
  trace::StackId stack(std::uint32_t stack) {
    const std::uint32_t node = wire::node_of_stack(stack);
    if (node != wire::kNoNode && wire::tag_of_stack(stack) == tag_) [[likely]] {
      if (const Known& known = known_[node]; known.is_known) [[likely]]
        return known.stack;
    }
    return find_stack(stack);
  }
  trace::StackId named_stack(const std::string& name) { return store_.named_stack(name); }
  /// Call before the host's table is emptied: reads all of it, so that late records of the old
  /// generation still find their stacks. `to` is the generation of the emptied table.
  void change_generation(std::uint32_t to, std::uint32_t node_count);

 private:
  struct Range {
    std::uint64_t end = 0;
    std::uint64_t bias = 0;
    trace::ModuleId module = trace::kNoModule;
  };
  struct Known {
    trace::StackId stack = trace::kNoStack;
    std::uint32_t epoch = 0;
    bool is_known = false;
  };
  struct PythonCode {
    std::uint32_t function = 0;
    PythonLines lines;
  };
  using KnownNodes = ChunkedTable<Known, 1U << 12>;  ///< By node.
  /// Cache of resolved frames: most stacks consist of few addresses.
  struct RecentFrame {
    std::uint64_t address = 0;
    std::uint32_t epoch = 0;
    bool is_set = false;
    trace::FrameId frame{};
  };
  static constexpr std::size_t kRecentFrames = 4096;

  [[nodiscard]] trace::FrameId frame_at(std::uint64_t address, std::uint32_t epoch);
  [[nodiscard]] trace::FrameId find_frame(std::uint64_t address, std::uint32_t epoch);
  [[nodiscard]] trace::FrameId find_python_frame(std::uint64_t address);
  trace::StackId find_stack(std::uint32_t stack);
  void learn(std::uint32_t node);

  wire::StackTable table_;
  StackStore& store_;
  std::map<std::uint32_t, std::map<std::uint64_t, Range>> modules_;  ///< By epoch, by begin.
  std::unordered_map<std::uint32_t, PythonCode> python_codes_;       ///< By number.
  std::vector<RecentFrame> recent_frames_;                           ///< By a hash of the address.
  KnownNodes known_;
  std::uint32_t tag_ = 0;               ///< wire::tag_of_generation of known_.
  std::optional<KnownNodes> previous_;  ///< Nodes of the previous generation.
  std::uint32_t previous_tag_ = 0;
  std::vector<std::uint32_t> chain_;  ///< Nodes being learned, innermost first.
};

}  // namespace tidemark
