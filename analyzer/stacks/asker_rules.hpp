/// Rules that find, in a stack, who asked for memory and where start-up code begins. They work on
/// NamedFrame and on FrameFacts alike.
#pragma once

#include "analyzer/stacks/stack_names.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::analyzer {

/// `mkl_serv_malloc`, `MklAllocator::allocate`, `StorageView::reserve`: true if its name says that
/// it allocates for others, as a function of most libraries does.
bool is_buffer_helper(const NamedFrame& frame);
/// True for libc, through which every module allocates, and for the dynamic loader.
bool is_of_libc(const NamedFrame& frame);
/// True for the unnamed code of a stripped libc between __libc_start_main and main.
bool is_unnamed_libc(const NamedFrame& frame);

/// Most unnamed steps of an allocator; more of them belong to a program that contains its
/// allocator.
constexpr std::ptrdiff_t kMaxPlumbingFrames = 2;

/// Whether an allocator of the same module called `frame`, by at most `most_steps` others that have
/// no name.
template <typename Frame>
bool is_called_by_allocator(std::span<const Frame> stack,
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
template <typename Frame>
bool calls_allocator(std::span<const Frame> stack, std::size_t frame, std::size_t most_steps) {
  const std::size_t end = frame - std::min(frame, most_steps + 1);
  for (std::size_t i = frame; i > end && stack[i - 1].module == stack[frame].module; --i) {
    if (stack[i - 1].named) {
      return is_allocator(stack[i - 1]);
    }
  }
  return false;
}

/// True for an allocator's own function, whatever its name, judged by its neighbours: called by an
/// allocator of the same module, directly or through one unnamed step, or two if no function has a
/// name. Between two functions of the allocator there may be more steps, and named ones
/// (`gc_alloc`, `expand_heap`).
template <typename Frame>
bool is_inside_allocator(std::span<const Frame> stack, std::size_t frame) {
  constexpr std::size_t kMaxStepsBetween = 3;
  constexpr std::size_t kMaxStepsToSystem = 2;
  if (stack[frame].named) {
    return is_called_by_allocator(stack, frame, 0) &&
           (frame == 0 || calls_allocator(stack, frame, 0));
  }
  // If nothing is named all the way from the system call, this is how the allocator gets its
  // memory.
  const auto is_named = [](const Frame& it) { return it.named; };
  return is_called_by_allocator(stack, frame, 1) ||
         (is_called_by_allocator(stack, frame, kMaxStepsToSystem) &&
          std::ranges::none_of(stack.first(frame), is_named)) ||
         (is_called_by_allocator(stack, frame, kMaxStepsBetween) &&
          calls_allocator(stack, frame, kMaxStepsBetween));
}

/// The innermost frame that is not plumbing; the stack's size if all are. Unnamed frames between a
/// library's allocator and another module belong to that allocator, too.
template <typename Frame>
std::size_t beyond_plumbing(std::span<const Frame> stack) {
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
  const auto behind = std::find_if(found, stack.end(), [&found](const Frame& frame) {
    return frame.named || frame.module != found->module;
  });
  const bool is_library = behind != stack.end() && behind - found <= kMaxPlumbingFrames &&
                          behind->module != found->module && !is_startup(*behind) &&
                          !is_allocation_plumbing(*behind);
  return static_cast<std::size_t>((is_library ? behind : found) - stack.begin());
}

/// `found`, or if that has no name, a named function nearby in the same module, before `end`: an
/// address says little, while that name shows on whose behalf it ran.
template <typename Frame>
std::size_t named_nearby(std::span<const Frame> stack, std::size_t found, std::size_t end) {
  constexpr std::size_t kNearbyFrames = 4;
  const std::size_t last = stack[found].named ? found : std::min(found + kNearbyFrames, end);
  for (std::size_t i = found; i < last && stack[i].module == stack[found].module; ++i) {
    if (stack[i].named && !is_allocation_plumbing(stack[i]) && !is_entry_point(stack[i])) {
      return i;
    }
  }
  return found;
}

/// The Python frame that asked; the stack's size where there is none.
template <typename Frame>
std::size_t asking_python(std::span<const Frame> stack) {
  const auto own = std::ranges::find_if(stack, [](const Frame& frame) {
    return frame.is_python && python_origin(frame) != PythonOrigin::kStandard;
  });
  const auto found = own != stack.end() ? own : std::ranges::find_if(stack, &Frame::is_python);
  return static_cast<std::size_t>(found - stack.begin());
}

/// See `asking_frame`.
template <typename Frame>
std::size_t find_asking(std::span<const Frame> stack) {
  if (const std::size_t python = asking_python(stack); python < stack.size()) {
    return python;
  }
  const std::size_t found = beyond_plumbing(stack);
  if (found == stack.size()) {
    return 0;
  }
  return named_nearby(stack, found, stack.size());
}

/// Where the stack outside of the outermost Python frame begins, if that is only the interpreter;
/// else the stack's size.
template <typename Frame>
std::size_t find_interpreter(std::span<const Frame> stack) {
  const auto python = std::find_if(stack.rbegin(), stack.rend(),
                                   [](const Frame& frame) { return frame.is_python; });
  const auto begin = static_cast<std::size_t>(stack.rend() - python);
  if (begin == 0 || begin == stack.size()) {
    return stack.size();
  }
  const auto& interpreter = stack[begin].module;
  const bool is_alone = std::ranges::all_of(stack.subspan(begin), [&](const Frame& frame) {
    return frame.module == interpreter || is_entry_point(frame) || is_startup(frame) ||
           is_unnamed_libc(frame);
  });
  return is_alone ? begin : stack.size();
}

/// See `startup_begin`.
template <typename Frame>
std::size_t find_startup(std::span<const Frame> stack) {
  const std::size_t end = startup_index(
      stack.size(), [&stack](std::size_t i) { return entry_role(stack[i]); },
      [&stack](std::size_t i) { return is_allocation_plumbing(stack[i]); });
  return std::min(end, find_interpreter(stack));
}

/// See `telling_frames`.
template <typename Frame>
std::vector<std::size_t> find_telling(std::span<const Frame> stack,
                                      std::size_t begin,
                                      std::size_t end) {
  std::vector<std::size_t> telling;
  for (std::size_t i = begin; i < end; ++i) {
    if (stack[i].is_python || i == 0 || !stack[i - 1].is_python) {
      telling.push_back(i);
      continue;
    }
    // The evaluator's caller belongs to the interpreter, as does everything in that module.
    const auto& interpreter = stack[i].module;
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

/// The module of the evaluator that ran the Python frame at `python`; none where that is not there.
template <typename Frame>
auto interpreter_of(std::span<const Frame> stack, std::size_t python) {
  const auto evaluator = std::ranges::find_if_not(
      stack.begin() + static_cast<std::ptrdiff_t>(python), stack.end(), &Frame::is_python);
  return evaluator == stack.end() ? std::nullopt : std::optional(evaluator->module);
}

/// See `native_asker`.
template <typename Frame>
std::size_t find_native_asker(std::span<const Frame> stack) {
  const auto python = std::ranges::find_if(stack, &Frame::is_python);
  if (python == stack.end()) {
    return stack.size();
  }
  const auto interpreter = interpreter_of(stack, static_cast<std::size_t>(python - stack.begin()));
  const auto asks = [&](std::size_t i) {
    const Frame& frame = stack[i];
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

/// Indices of the functions called by the Python line that asked, innermost first: from its
/// `native_asker` on, without the interpreter's own functions, and without unnamed ones except the
/// `native_asker` itself.
/// @param asking see `asking_frame`.
template <typename Frame>
std::vector<std::size_t> find_called(std::span<const Frame> stack, std::size_t asking) {
  std::vector<std::size_t> called;
  const auto python =
      static_cast<std::size_t>(std::ranges::find_if(stack, &Frame::is_python) - stack.begin());
  if (python > asking) {
    return called;
  }
  const auto interpreter = interpreter_of(stack, python);
  const std::size_t native = find_native_asker(stack);
  for (std::size_t i = native; i < python; ++i) {
    if (i == native || (stack[i].named && stack[i].module != interpreter)) {
      called.push_back(i);
    }
  }
  const auto in_python = find_telling(stack, python, asking);
  called.insert(called.end(), in_python.begin(), in_python.end());
  return called;
}

/// See `outline_of`.
template <typename Frame>
Outline<std::size_t> find_outline(std::span<const Frame> stack) {
  const std::size_t begin = find_asking(stack);
  const std::size_t end = find_startup(stack);
  if (begin >= end) {
    return {.called = {}, .asking = find_telling(stack, 0, stack.size())};
  }
  return {.called = find_called(stack, begin), .asking = find_telling(stack, begin, end)};
}

}  // namespace tidemark::analyzer
