/// From a process's stack nodes to stacks of the trace.
#pragma once

#include "collector/drain/tables/stacks/chunked_table.hpp"
#include "collector/drain/tables/stacks/module_file.hpp"
#include "collector/drain/tables/stacks/number_index.hpp"
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
  /// Stands for the frames that a cut stack does not have.
  trace::FrameId cut_frame();
  /// The stack of heap blocks that sampling left without one: trace::kUnsampledStack. Asked for
  /// before any other stack.
  void sample_stacks();
  [[nodiscard]] bool are_stacks_sampled() const { return are_stacks_sampled_; }
  /// Memory that no code asked for: a stack of one frame, which is called so.
  trace::StackId named_stack(const std::string& name);

  [[nodiscard]] const std::vector<trace::Frame>& frames() const { return frames_; }
  [[nodiscard]] const std::vector<trace::Module>& modules() const { return module_facts_; }
  /// The same, each with a path under which this process reads its file, as long as this store is.
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

/// One process's view: its module map, epoch by epoch, and which of its nodes are known already.
class StackMap {
 public:
  StackMap(const wire::SessionMap& session, std::uint32_t process, StackStore& store);

  struct LoadedModule {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t bias = 0;
    std::uint32_t epoch = 0;  ///< Stacks of this epoch's root may have frames in it.
    MappedModule file;
  };
  void add_module(const LoadedModule& module);
  /// A Python code object that nodes may name.
  void add_code(const wire::Code& code, const std::string& name, const std::string& file);
  /// A part of its line table.
  void add_code_lines(const wire::CodeLines& lines, std::span<const std::byte> part);

  /// @param stack as the host gave it: any number. A broken chain ends at its break.
  trace::StackId stack(std::uint32_t stack) {
    const std::uint32_t node = wire::node_of_stack(stack);
    if (node != wire::kNoNode && wire::tag_of_stack(stack) == tag_) [[likely]] {
      if (const Known& known = known_[node]; known.is_known) [[likely]]
        return known.stack;
    }
    return find_stack(stack);
  }
  trace::StackId named_stack(const std::string& name) { return store_.named_stack(name); }
  /// Before the host's table is emptied: reads all of it. Records of generation `from` that are
  /// still to come find their stacks here; `to` is what the host starts anew.
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
    std::uint32_t first_line = 0;
    wire::LineFormat format = wire::LineFormat::kNone;
    std::vector<std::byte> lines;
  };
  using KnownNodes = ChunkedTable<Known, 1U << 12>;  ///< By node.
  /// A frame asked for before: few addresses are in most stacks.
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
  std::optional<KnownNodes> previous_;  ///< Of the generation before.
  std::uint32_t previous_tag_ = 0;
  std::vector<std::uint32_t> chain_;  ///< Nodes being learned, innermost first.
};

}  // namespace tidemark
