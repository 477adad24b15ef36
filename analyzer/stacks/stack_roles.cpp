// What the frames of a stack are there for: start-up code, the interpreter's calls, and who asked.
#include "analyzer/stacks/asker_rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <span>
#include <string_view>

namespace tidemark::analyzer {
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

bool is_of_libc(const NamedFrame& frame) {
  const std::string name = file_name(frame.module);
  return name.starts_with("libc.so") || name.starts_with("ld-linux");
}

bool is_unnamed_libc(const NamedFrame& frame) {
  return !frame.named && file_name(frame.module).starts_with("libc.so");
}

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
  return find_asking(std::span(stack));
}

std::size_t native_asker(const std::vector<NamedFrame>& stack) {
  return find_native_asker(std::span(stack));
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
  } while (next < recorded.size() &&
           (asking + kOutlook >= stack_so_far.size() ||
            (asking == 0 && beyond_plumbing(std::span<const NamedFrame>(stack_so_far)) != 0)));
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
  return find_startup(std::span(stack));
}

std::vector<std::size_t> telling_frames(const std::vector<NamedFrame>& stack,
                                        std::size_t begin,
                                        std::size_t end) {
  return find_telling(std::span(stack), begin, end);
}

Outline<std::size_t> outline_of(const std::vector<NamedFrame>& stack) {
  return find_outline(std::span(stack));
}

}  // namespace tidemark::analyzer
