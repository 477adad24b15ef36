#include "analyzer/stacks/regions/python_arenas.hpp"

#include "analyzer/stacks/alike/comparable_frame.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

namespace tidemark::analyzer {
namespace {

/// The part that a frame has in an interpreter.
enum class Part {
  kOther,
  kArenaAllocator,  ///< Maps arenas, and rarely something else of other sizes.
  kInitializer,     ///< Makes the interpreter ready.
  kEvaluator,       ///< Runs Python code, or is that.
};

Part part_of(std::string_view function) {
  const std::string_view name = without_clone_suffix(function);
  if (name == "_PyObject_ArenaMmap" || name == "_PyMem_ArenaAlloc") {
    return Part::kArenaAllocator;
  }
  if (name == "Py_InitializeFromConfig") {
    return Part::kInitializer;
  }
  const bool runs_code = name.starts_with("_PyEval_Eval") || name.starts_with("PyEval_Eval") ||
                         name.starts_with("_PyEval_Vector");
  return runs_code ? Part::kEvaluator : Part::kOther;
}

/// If several functions are inlined in one frame, the first one of an interpreter counts.
Part part_of(const std::vector<trace::Location>& locations) {
  for (const trace::Location& location : locations) {
    if (const Part part = part_of(location.function); part != Part::kOther) {
      return part;
    }
  }
  return Part::kOther;
}

class Interpreter {
 public:
  explicit Interpreter(const LoadedTrace& trace)
      : tables_(trace.definitions()), stacks_(trace.recorded_stacks()) {}

  [[nodiscard]] trace::FrameId innermost(trace::StackId stack) const { return node(stack).frame; }

  [[nodiscard]] bool is_arena_allocator(trace::FrameId frame) const {
    return part(frame) == Part::kArenaAllocator;
  }

  /// Whether it was mapped by the interpreter itself, before any Python code.
  [[nodiscard]] bool is_first_arena(trace::StackId stack) const {
    const trace::ModuleId interpreter = module(innermost(stack));
    while (stack != trace::kNoStack && interpreter != trace::kNoModule) {
      const trace::FrameId frame = innermost(stack);
      if (module(frame) != interpreter || part(frame) == Part::kEvaluator) {
        return false;
      }
      if (part(frame) == Part::kInitializer) {
        return true;
      }
      stack = node(stack).parent;
    }
    return false;
  }

 private:
  [[nodiscard]] const trace::StackNode& node(trace::StackId stack) const {
    return stacks_[std::min<std::size_t>(trace::index(stack), stacks_.size() - 1)];
  }
  [[nodiscard]] trace::ModuleId module(trace::FrameId frame) const {
    const std::size_t i = trace::index(frame);
    return i < tables_.frames.size() ? tables_.frames[i].module : trace::kNoModule;
  }
  [[nodiscard]] Part part(trace::FrameId frame) const {
    const std::size_t i = trace::index(frame);
    if (i < tables_.frames.size() && tables_.frames[i].language == trace::FrameLanguage::kPython) {
      return Part::kEvaluator;
    }
    return i < tables_.locations.size() ? part_of(tables_.locations[i]) : Part::kOther;
  }

  const trace::Definitions& tables_;
  std::span<const trace::StackNode> stacks_;
};

/// True when its mappings are as large as arenas: before 3.10, since, and in large pages (3.15).
bool has_arena_size(const LiveStack& stack) {
  constexpr std::uint64_t kSmallest = std::uint64_t{256} << 10U;
  constexpr std::uint64_t kUsual = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kLarge = std::uint64_t{2} << 20U;
  if (stack.lane != trace::Lane::kAnon || stack.blocks == 0 || stack.bytes % stack.blocks != 0) {
    return false;
  }
  const std::uint64_t size = stack.bytes / stack.blocks;
  return size == kSmallest || size == kUsual || size == kLarge;
}

}  // namespace

bool may_have_python_arenas(const LoadedTrace& trace) {
  return std::ranges::any_of(trace.definitions().locations, [](const auto& locations) {
    const Part part = part_of(locations);
    return part == Part::kArenaAllocator || part == Part::kInitializer;
  });
}

PythonArenas python_arenas(const LiveSet& live, const LoadedTrace& trace) {
  const Interpreter interpreter(trace);
  std::vector<LiveStack> candidates;
  std::ranges::copy_if(live.stacks, std::back_inserter(candidates), has_arena_size);
  std::set<trace::FrameId> allocators;
  for (const LiveStack& stack : candidates) {
    const trace::FrameId frame = interpreter.innermost(stack.stack);
    if (interpreter.is_arena_allocator(frame) || interpreter.is_first_arena(stack.stack)) {
      allocators.insert(frame);
    }
  }
  PythonArenas arenas;
  for (const LiveStack& stack : candidates) {
    if (allocators.contains(interpreter.innermost(stack.stack))) {
      // Most bytes first.
      if (arenas.bytes == 0) {
        arenas.largest = stack.stack;
        arenas.largest_bytes = stack.bytes;
      }
      arenas.bytes += stack.bytes;
    }
  }
  return arenas;
}

}  // namespace tidemark::analyzer
