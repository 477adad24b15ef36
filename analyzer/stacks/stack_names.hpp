/// Stacks in readable form: functions, files and lines.
#pragma once

#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::analyzer {

/// One function of a stack. If calls were inlined, one recorded frame gives several.
struct NamedFrame {
  std::string
      function;      ///< Demangled; `module+0x1234` when unknown, `0x1234` outside every module.
  std::string file;  ///< Empty when unknown.
  std::uint32_t line = 0;
  std::string module;  ///< Path; empty for code outside every module.
  bool named = true;   ///< False when `function` only is an address.
  bool is_python = false;

  bool operator==(const NamedFrame&) const = default;
};

/// Whose code a Python frame runs, judged by its file's path.
enum class PythonOrigin {
  kProgram,   ///< The user's own.
  kPackage,   ///< Installed: site-packages, dist-packages.
  kStandard,  ///< Python's own library.
};
PythonOrigin python_origin(const NamedFrame& frame);

/// Calls `see` with the recorded frames of a stack, innermost first, until it returns false; never
/// for kNoStack.
template <typename See>
void walk_frames(const trace::Definitions& definitions, trace::StackId stack, const See& see) {
  std::size_t node = trace::index(stack);
  for (std::size_t depth = 0;
       node != 0 && node < definitions.stacks.size() && depth < trace::kMaxStackDepth; ++depth) {
    if (!see(definitions.stacks[node].frame)) {
      return;
    }
    node = trace::index(definitions.stacks[node].parent);
  }
}

/// The recorded frames of a stack, innermost first; empty for kNoStack.
std::vector<trace::FrameId> recorded_frames(const trace::Definitions& definitions,
                                            trace::StackId stack);

/// What one recorded frame gives, innermost function first; empty for an id outside the table, and
/// for tidemark's own code in the host.
std::vector<NamedFrame> named_frame(const trace::Definitions& definitions, trace::FrameId frame);

/// The stack, innermost function first; empty for kNoStack.
std::vector<NamedFrame> named_stack(const trace::Definitions& definitions, trace::StackId stack);

/// True for functions that only pass a request for memory on: allocators, operator new, and the
/// containers and runtimes around them. They never are the answer to "who asked for this".
bool is_allocation_plumbing(const NamedFrame& frame);

/// The name of the allocator that a function belongs to, for those that programs contain:
/// `mimalloc`, `jemalloc`, `tcmalloc` and others. Empty: none, or one not recognised by its
/// functions (libc's).
std::string_view allocator_of(const NamedFrame& frame);

/// True for plumbing that is an allocator's own, so that unnamed code after it in the same module
/// may belong to it, too. Not for code that any module may contain, such as std::vector's.
bool is_allocator(const NamedFrame& frame);

/// True for the code below main and below a thread's first function, the same under every stack.
bool is_startup(const NamedFrame& frame);

/// True for start-up code, main, and an interpreter's equivalent of main: never used to name a
/// nearer frame that has no name.
bool is_entry_point(const NamedFrame& frame);

/// The index of the innermost Python frame that is not in Python's own library, or else of the
/// innermost Python frame. Without Python frames: of the innermost frame that is not plumbing; 0 if
/// all are. If that one has no name, a function of the same module at most three frames further out
/// replaces it.
std::size_t asking_frame(const std::vector<NamedFrame>& stack);

/// True for functions through which CPython, in any version, calls a function, and for unnamed
/// ones.
/// @param frame of the interpreter's module, further out than a function that it called: between
/// two Python frames, or behind one of an extension module.
bool is_python_call(const NamedFrame& frame);

/// The index of the native function that asked inside of the innermost Python frame: the innermost
/// one that is neither plumbing nor in the interpreter's module (so in an extension module), and
/// that by its name does not only allocate for others. The stack's size if there is none.
std::size_t native_asker(const std::vector<NamedFrame>& stack);

/// The asking frame of a recorded stack, as `named_stack` has it, without naming more of the stack
/// than that takes. None for an empty one.
std::optional<NamedFrame> asking_of(const trace::Definitions& definitions, trace::StackId stack);

/// The outermost frames among which start-up code is looked for: its own outermost one, _start,
/// often has no name.
constexpr std::size_t kStartupDepth = 4;

/// What a frame is at the outer end of a stack.
enum class EntryRole : std::uint8_t {
  kNone,
  kStartup,  ///< See is_startup.
  kRuntime,  ///< Rust's runtime calls main, and what a thread is made with, through it: what is
             ///< further out is the runtime's, as Rust's own backtraces have it.
  kCall,     ///< The function right inside of it that calls these.
};
EntryRole entry_role(const NamedFrame& frame);

/// The index at which start-up code begins; `size` when there is none.
/// @param role_of the EntryRole of the frame at an index, innermost first.
/// @param is_plumbing_of the same of is_allocation_plumbing: where there is nothing else inside of
/// the runtime's function, main was inlined into it.
template <typename RoleOf, typename IsPlumbingOf>
std::size_t startup_index(std::size_t size,
                          const RoleOf& role_of,
                          const IsPlumbingOf& is_plumbing_of) {
  std::size_t end = size;
  for (std::size_t i = size; i > 0 && size - i < kStartupDepth; --i) {
    end = role_of(i - 1) == EntryRole::kStartup ? i - 1 : end;
  }
  bool has_own = false;
  for (std::size_t i = 0; i < end; ++i) {
    if (role_of(i) == EntryRole::kRuntime) {
      const std::size_t begin = i > 0 && role_of(i - 1) == EntryRole::kCall ? i - 1 : i;
      return has_own ? begin : end;
    }
    has_own = has_own || (role_of(i) != EntryRole::kCall && !is_plumbing_of(i));
  }
  return end;
}

/// The same for a whole stack. What is below the outermost Python frame is start-up code, too, if
/// it is only the interpreter.
std::size_t startup_begin(const std::vector<NamedFrame>& stack);

/// The places of the frames from `begin` to `end` that say something to a reader: without the
/// interpreter's own functions by which one Python frame calls the next.
std::vector<std::size_t> telling_frames(const std::vector<NamedFrame>& stack,
                                        std::size_t begin,
                                        std::size_t end);

/// The frames of a stack that matter, innermost first.
template <typename Frame>
struct Outline {
  /// What was called by the line of Python that asked for the memory; empty if none did.
  std::vector<Frame> called;
  /// From the function that asked to the outermost one below the start-up code, without the
  /// interpreter's frames between two lines of Python. The whole stack if nothing asks inside of
  /// the start-up code.
  std::vector<Frame> asking;
};

/// What a flame graph of one load shows of a whole stack, as indices.
Outline<std::size_t> outline_of(const std::vector<NamedFrame>& stack);

/// A path's last part: `/src/loader.cpp` -> `loader.cpp`.
std::string file_name(const std::string& path);

/// A function name without its parameters, template arguments, unnamed namespaces and hash:
/// `std::vector<char, std::allocator<char> >::resize(unsigned long)` -> `std::vector<>::resize`.
std::string short_function(std::string_view function);

/// The name of a frame in a row: `short_function`; for code without a name its module, without the
/// tags of Python's extension modules, and its place: `_multiarray_umath+0xde138`.
std::string short_name(const NamedFrame& frame);

/// `torch/__init__.py`: of what every package has, the package.
std::string python_file_name(const std::string& path);

/// Whether it is Python code without a name of its own, as every file has: `<module>`, `<lambda>`.
bool needs_its_file(const NamedFrame& frame);

/// A row's name without its place beside it. Every file has a `<module>`, so that becomes `<module>
/// (train.py:12)`, as do other functions of Python without a name of their own.
std::string lone_name(const NamedFrame& frame);

/// The name under which a function is added up over two builds: `short_name`, or for a name that
/// every file has, `<module> (torch/__init__.py)`.
std::string lineless_short_name(const NamedFrame& frame);

/// `NDArray::Empty` of `tvm::runtime::NDArray::Empty`, `<Vec<> as Clone>::clone` of
/// `<alloc::vec::Vec<> as core::clone::Clone>::clone`: the part that says most in little space.
/// Brackets stay whole.
std::string last_parts(std::string_view name);

/// Removes outer scopes, and then those inside of brackets, until the name is no wider than `width`
/// columns, as far as that is possible.
std::string with_fewer_scopes(std::string_view name, std::size_t width);

/// `void copy<int>(int*)` -> `copy<int>(int*)`: templates are demangled with their return type.
std::string_view without_return_type(std::string_view function);

/// A piece of a function's name: one whole bracket of template arguments or of parameters, or the
/// text before, between and after them.
struct NamePart {
  std::string_view text;
  bool is_bracket = false;
};

/// `copy<int>(int*)` -> `copy`, `<int>`, nothing, `(int*)`, nothing: every second one is a bracket.
/// `function` stays borrowed.
std::vector<NamePart> name_parts(std::string_view function);

}  // namespace tidemark::analyzer
