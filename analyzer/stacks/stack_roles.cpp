// What the frames of a stack are there for: start-up code, the interpreter's calls, and who asked.
#include "analyzer/stacks/stack_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <string_view>

namespace tidemark::analyzer {
namespace {

/// A step or two without a name; more are the work of a program that has its allocator inside.
constexpr std::ptrdiff_t kMaxPlumbingFrames = 2;

/// Whether an allocator of the same module called `frame`, by at most `most_steps` others that have
/// no name.
bool is_called_by_allocator(const std::vector<NamedFrame>& stack,
                            std::size_t frame,
                            std::size_t most_steps) {
  const std::size_t end = std::min(stack.size(), frame + most_steps + 2);
  for (std::size_t i = frame + 1; i < end && stack[i].module == stack[frame].module; ++i) {
    if (stack[i].named) {
      return is_allocator(stack[i]);
    }
  }
  return false;
}

/// Whether `frame` called an allocator of the same module, by at most `most_steps` others that have
/// no name.
bool calls_allocator(const std::vector<NamedFrame>& stack,
                     std::size_t frame,
                     std::size_t most_steps) {
  const std::size_t end = frame - std::min(frame, most_steps + 1);
  for (std::size_t i = frame; i > end && stack[i - 1].module == stack[frame].module; --i) {
    if (stack[i - 1].named) {
      return is_allocator(stack[i - 1]);
    }
  }
  return false;
}

/// True for an allocator's own function, whatever it is called, by what is around it: what an
/// allocator of the same module calls, itself or by one more step without a name. Between two of
/// its functions there may be more steps, and ones with a name (`gc_alloc`, `expand_heap`).
bool is_inside_allocator(const std::vector<NamedFrame>& stack, std::size_t frame) {
  constexpr std::size_t kMaxStepsBetween = 3;
  if (stack[frame].named) {
    return is_called_by_allocator(stack, frame, 0) &&
           (frame == 0 || calls_allocator(stack, frame, 0));
  }
  return is_called_by_allocator(stack, frame, 1) ||
         (is_called_by_allocator(stack, frame, kMaxStepsBetween) &&
          calls_allocator(stack, frame, kMaxStepsBetween));
}

/// The innermost frame that is no plumbing; the stack's size when all are. What has no name and
/// lies between a library's allocator and another module is that allocator's, too.
std::size_t beyond_plumbing(const std::vector<NamedFrame>& stack) {
  auto found = stack.begin();
  while (found != stack.end() &&
         (is_allocation_plumbing(*found) ||
          is_inside_allocator(stack, static_cast<std::size_t>(found - stack.begin())))) {
    ++found;
  }
  if (found == stack.begin() || found == stack.end() || found->named ||
      found->module != std::prev(found)->module || !is_allocator(*std::prev(found))) {
    return static_cast<std::size_t>(found - stack.begin());
  }
  const auto behind = std::find_if(found, stack.end(), [&found](const NamedFrame& frame) {
    return frame.named || frame.module != found->module;
  });
  const bool is_library = behind != stack.end() && behind - found <= kMaxPlumbingFrames &&
                          behind->module != found->module && !is_startup(*behind) &&
                          !is_allocation_plumbing(*behind);
  return static_cast<std::size_t>((is_library ? behind : found) - stack.begin());
}

/// `found`, or where that has no name a function nearby in the same module, before `end`: an
/// address says little, and that one says on whose behalf.
std::size_t named_nearby(const std::vector<NamedFrame>& stack, std::size_t found, std::size_t end) {
  constexpr std::size_t kNearbyFrames = 4;
  const std::size_t last = stack[found].named ? found : std::min(found + kNearbyFrames, end);
  for (std::size_t i = found; i < last && stack[i].module == stack[found].module; ++i) {
    if (stack[i].named && !is_allocation_plumbing(stack[i]) && !is_entry_point(stack[i])) {
      return i;
    }
  }
  return found;
}

/// `mkl_serv_malloc`, `MklAllocator::allocate`, `StorageView::reserve`: by its name it makes room
/// for others, as most libraries have a function that does.
bool is_buffer_helper(const NamedFrame& frame) {
  if (!frame.named) {
    return false;
  }
  std::string name = short_function(frame.function);
  if (const std::size_t scope = name.rfind("::"); scope != std::string::npos) {
    name.erase(0, scope + 2);
  }
  std::ranges::transform(name, name.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  constexpr auto kNames = std::to_array<std::string_view>(
      {"alloc", "allocate", "allocraw", "calloc", "realloc", "reserve", "resize"});
  return std::ranges::find(kNames, name) != kNames.end() || name.ends_with("malloc") ||
         name.ends_with("_alloc");
}

/// libc, which every module asks through, and the dynamic loader.
bool is_of_libc(const NamedFrame& frame) {
  const std::string name = file_name(frame.module);
  return name.starts_with("libc.so") || name.starts_with("ld-linux");
}

/// The Python frame that asked; the stack's size where there is none.
std::size_t asking_python(const std::vector<NamedFrame>& stack) {
  const auto own = std::ranges::find_if(stack, [](const NamedFrame& frame) {
    return frame.is_python && python_origin(frame) != PythonOrigin::kStandard;
  });
  const auto found = own != stack.end() ? own : std::ranges::find_if(stack, &NamedFrame::is_python);
  return static_cast<std::size_t>(found - stack.begin());
}

/// A stripped libc has no name for what is between its __libc_start_main and main.
bool is_unnamed_libc(const NamedFrame& frame) {
  return !frame.named && file_name(frame.module).starts_with("libc.so");
}

/// Where the interpreter alone is left, outside of the outermost Python frame; the stack's size
/// where something else is there, too.
std::size_t interpreter_begin(const std::vector<NamedFrame>& stack) {
  const auto python = std::find_if(stack.rbegin(), stack.rend(),
                                   [](const NamedFrame& frame) { return frame.is_python; });
  const auto begin = static_cast<std::size_t>(stack.rend() - python);
  if (begin == 0 || begin == stack.size()) {
    return stack.size();
  }
  const std::string& interpreter = stack[begin].module;
  const bool is_alone = std::all_of(stack.begin() + static_cast<std::ptrdiff_t>(begin), stack.end(),
                                    [&](const NamedFrame& frame) {
                                      return frame.module == interpreter || is_entry_point(frame) ||
                                             is_startup(frame) || is_unnamed_libc(frame);
                                    });
  return is_alone ? begin : stack.size();
}

}  // namespace

bool is_python_call(const NamedFrame& frame) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"call_function", "do_call_core", "function_code_fastcall", "method_vectorcall",
       "vectorcall_method", "cfunction_call", "type_call", "object_vacall", "gen_iternext",
       "gen_send_ex", "gen_send_ex2", "builtin_exec", "builtin_exec_impl"});
  constexpr auto kPrefixes = std::to_array<std::string_view>(
      {"_Py", "Py", "cfunction_vectorcall_", "method_vectorcall_", "slot_tp_"});
  const std::string_view name = frame.function;  // C has no parameters in its names.
  return !frame.named || std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kPrefixes,
                             [name](std::string_view it) { return name.starts_with(it); });
}

PythonOrigin python_origin(const NamedFrame& frame) {
  const std::string_view file = frame.file;
  if (file.find("/site-packages/") != std::string_view::npos ||
      file.find("/dist-packages/") != std::string_view::npos) {
    return PythonOrigin::kPackage;
  }
  // Made while the program runs, in front of functions of a package: numpy's dispatch, decorators.
  const bool is_generated = file.starts_with("<__array_function__") ||
                            file.starts_with("<decorator-gen") || file.starts_with("<attrs gener");
  const bool is_standard = is_generated || file.starts_with("<frozen ") ||
                           file.ends_with("/tidemark_marks.py") ||
                           file.find("/lib/python3") != std::string_view::npos ||
                           file.find("/lib64/python3") != std::string_view::npos;
  return is_standard ? PythonOrigin::kStandard : PythonOrigin::kProgram;
}

bool is_entry_point(const NamedFrame& frame) {
  constexpr std::array<std::string_view, 4> kNames{"main", "Py_RunMain", "Py_BytesMain", "Py_Main"};
  if (frame.is_python) {
    return false;
  }
  return is_startup(frame) || std::ranges::find(kNames, frame.function) != kNames.end();
}

std::size_t asking_frame(const std::vector<NamedFrame>& stack) {
  if (const std::size_t python = asking_python(stack); python < stack.size()) {
    return python;
  }
  const std::size_t found = beyond_plumbing(stack);
  if (found == stack.size()) {
    return 0;
  }
  return named_nearby(stack, found, stack.size());
}

std::size_t native_asker(const std::vector<NamedFrame>& stack) {
  const auto python = std::ranges::find_if(stack, &NamedFrame::is_python);
  if (python == stack.end()) {
    return stack.size();
  }
  const auto evaluator = std::ranges::find_if_not(python, stack.end(), &NamedFrame::is_python);
  const std::string_view interpreter =
      evaluator == stack.end() ? std::string_view() : std::string_view(evaluator->module);
  const auto asks = [&stack, interpreter](std::size_t i) {
    const NamedFrame& frame = stack[i];
    return frame.module != interpreter && !is_allocation_plumbing(frame) && !is_of_libc(frame) &&
           !is_inside_allocator(stack, i);
  };
  const auto end = static_cast<std::size_t>(python - stack.begin());
  std::size_t innermost = 0;
  while (innermost < end && !asks(innermost)) {
    ++innermost;
  }
  std::size_t found = innermost;
  while (found < end && (is_buffer_helper(stack[found]) || !asks(found))) {
    ++found;
  }
  found = found == end ? innermost : found;
  return found == end ? stack.size() : named_nearby(stack, found, end);
}

std::vector<NamedFrame> named_inside_python(const trace::Definitions& definitions,
                                            trace::StackId stack) {
  std::vector<NamedFrame> frames;
  bool has_python = false;
  for (const trace::FrameId id : recorded_frames(definitions, stack)) {
    auto named = named_frame(definitions, id);
    const bool is_beyond = has_python && !named.empty() && !named.front().is_python;
    has_python = has_python || (!named.empty() && named.front().is_python);
    frames.insert(frames.end(), std::make_move_iterator(named.begin()),
                  std::make_move_iterator(named.end()));
    if (is_beyond) {
      return frames;
    }
  }
  return has_python ? frames : std::vector<NamedFrame>();
}

std::optional<NamedFrame> asking_of(const trace::Definitions& definitions, trace::StackId stack) {
  const auto recorded = recorded_frames(definitions, stack);
  std::optional<NamedFrame> python;  // The innermost one.
  for (const trace::FrameId id : recorded) {
    if (trace::index(id) < definitions.frames.size() &&
        definitions.frames[trace::index(id)].language == trace::FrameLanguage::kPython) {
      for (NamedFrame& frame : named_frame(definitions, id)) {
        if (python_origin(frame) != PythonOrigin::kStandard) {
          return std::move(frame);
        }
        python = python ? std::move(python) : std::move(frame);
      }
    }
  }
  if (python) {
    return python;
  }
  // No frame further out than this many can change what the innermost ones say.
  constexpr std::size_t kOutlook = 8;
  std::vector<NamedFrame> stack_so_far;
  std::size_t next = 0;
  std::size_t asking = 0;
  do {
    const std::size_t wanted = 2 * (stack_so_far.size() + kOutlook);
    for (; next < recorded.size() && stack_so_far.size() < wanted; ++next) {
      auto frames = named_frame(definitions, recorded[next]);
      stack_so_far.insert(stack_so_far.end(), std::make_move_iterator(frames.begin()),
                          std::make_move_iterator(frames.end()));
    }
    if (stack_so_far.empty()) {
      return std::nullopt;
    }
    asking = asking_frame(stack_so_far);
  } while (next < recorded.size() && (asking + kOutlook >= stack_so_far.size() ||
                                      (asking == 0 && beyond_plumbing(stack_so_far) != 0)));
  return std::move(stack_so_far[asking]);
}

bool is_startup(const NamedFrame& frame) {
  if (frame.is_python) {
    return false;
  }
  constexpr std::array<std::string_view, 6> kNames{
      "_start", "__libc_start_main", "clone", "__libc_start_call_main", "start_thread", "clone3"};
  const std::string name = frame.function.substr(0, frame.function.find('@'));
  return std::ranges::find(kNames, name) != kNames.end() ||
         name.starts_with("__libc_start_main_impl");
}

EntryRole entry_role(const NamedFrame& frame) {
  if (is_startup(frame)) {
    return EntryRole::kStartup;
  }
  if (frame.is_python || !frame.named) {
    return EntryRole::kNone;
  }
  constexpr std::string_view kRuntime = "::__rust_begin_short_backtrace";
  if (const std::size_t found = frame.function.find(kRuntime); found != std::string::npos) {
    const std::string_view behind =
        std::string_view(frame.function).substr(found + kRuntime.size());
    return behind.empty() || behind.starts_with('<') || behind.starts_with("::")
               ? EntryRole::kRuntime
               : EntryRole::kNone;
  }
  return frame.function.find("::FnOnce<") != std::string::npos ||
                 frame.function.find("::FnOnce::") != std::string::npos
             ? EntryRole::kCall
             : EntryRole::kNone;
}

std::size_t startup_begin(const std::vector<NamedFrame>& stack) {
  const std::size_t end = startup_index(
      stack.size(), [&stack](std::size_t i) { return entry_role(stack[i]); },
      [&stack](std::size_t i) { return is_allocation_plumbing(stack[i]); });
  return std::min(end, interpreter_begin(stack));
}

std::vector<std::size_t> telling_frames(const std::vector<NamedFrame>& stack,
                                        std::size_t begin,
                                        std::size_t end) {
  std::vector<std::size_t> telling;
  for (std::size_t i = begin; i < end; ++i) {
    if (stack[i].is_python || i == 0 || !stack[i - 1].is_python) {
      telling.push_back(i);
      continue;
    }
    // What called the evaluator is the interpreter's, and so is what else is in its module.
    const std::string& interpreter = stack[i].module;
    std::size_t next = i;
    while (next < stack.size() && !stack[next].is_python) {
      ++next;
    }
    for (; i < std::min(next, end); ++i) {
      const bool is_between = next < stack.size() && stack[i].module == interpreter;
      if (!is_between || !is_python_call(stack[i])) {
        telling.push_back(i);
      }
    }
    --i;
  }
  return telling;
}

}  // namespace tidemark::analyzer
