#include "analyzer/stacks/stack_text.hpp"

#include "analyzer/stacks/asker_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

namespace tidemark::analyzer {
namespace {

// Callers shown next to the asking function, and at the outermost end.
constexpr std::size_t kNearCallers = 4;
constexpr std::size_t kFarCallers = 2;

std::string place_of(const NamedFrame& frame) {
  if (frame.is_python) {
    return fmt::format("{}:{}", python_file_name(frame.file), frame.line);
  }
  if (!frame.file.empty()) {
    return fmt::format("{}:{}", file_name(frame.file), frame.line);
  }
  return frame.named && !frame.module.empty() ? '[' + file_name(frame.module) + ']' : std::string();
}

/// The places of the frames that passed on the asking frame's request, innermost first. Inside
/// Python, the asking function of an extension module says most, even without a name; if the
/// interpreter itself asked, its named functions do.
std::vector<std::size_t> passed_on(const std::vector<NamedFrame>& stack, std::size_t asking) {
  const bool is_python = asking < stack.size() && stack[asking].is_python;
  if (is_python && native_asker(stack) < asking) {
    return find_called(std::span(stack), asking);
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < asking; ++i) {
    if (!is_python || stack[i].named) {
      places.push_back(i);
    }
  }
  return places;
}

/// `malloc, operator new, std::vector<>::resize`, or nothing.
std::string plumbing_text(const std::vector<NamedFrame>& stack, std::size_t asking) {
  std::string text;
  std::string last;
  for (const std::size_t i : passed_on(stack, asking)) {
    const std::string name = short_name(stack[i]);
    // Names that libraries keep to themselves (std::vector<>::_M_default_append) say nothing more.
    if (name != last && name.find("::_") == std::string::npos) {
      text += (text.empty() ? "" : ", ") + name;
    }
    last = name;
  }
  return text;
}

/// For code without a name: its place in the module distinguishes one row from the next.
std::string fit_address(const TextStyle& style, std::string_view name, std::size_t width) {
  // Characters of a module's name, with the ellipsis.
  constexpr std::size_t kMinModuleCharacters = 4;
  const std::string_view place = name.substr(std::min(name.rfind("+0x"), name.size()));
  if (place.empty() || place.size() + kMinModuleCharacters > width) {
    return fit(style, name, width);
  }
  const std::string_view module = name.substr(0, name.size() - place.size());
  return fit(style, module, width - place.size()).append(place);
}

constexpr std::string_view kThroughWord = "through ";
constexpr std::string_view kFromWord = "from ";

std::vector<std::string> whole_chain_text(const TextStyle& style,
                                          const std::vector<NamedFrame>& stack,
                                          std::size_t width) {
  std::vector<std::string> lines;
  const std::size_t asking = asking_frame(stack);
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const std::string_view word = i < asking ? kThroughWord : kFromWord;
    const bool is_first = i == 0 || i == asking + 1;
    if (i != asking) {
      lines.push_back((is_first ? std::string(word) : std::string(word.size(), ' ')) +
                      frame_text(style, stack[i], width - word.size()));
    }
  }
  return lines;
}

}  // namespace

std::string fit_function(const TextStyle& style, std::string_view whole, std::size_t width) {
  const std::string name = with_fewer_scopes(whole, width);
  constexpr std::size_t kBothEnds = 12;  // Below this there is no space for two ends.
  return width < kBothEnds ? fit(style, name, width) : fit_middle(style, name, width);
}

std::string frame_place(const NamedFrame& frame) {
  if (frame.file.empty()) {
    return file_name(frame.module);
  }
  return fmt::format(
      "{}:{}", frame.is_python ? python_file_name(frame.file) : file_name(frame.file), frame.line);
}

std::string frame_text(const TextStyle& style, const NamedFrame& frame, std::size_t width) {
  const std::string place = printable(style, place_of(frame));
  const std::string function = printable(style, short_name(frame));
  if (!frame.named) {
    return fit_address(style, function, width);
  }
  const std::size_t place_width = place.empty() ? 0 : width_of(place) + 2;
  // A module says less than the whole of a name.
  const bool crowds = frame.file.empty() && width_of(function) + place_width > width;
  if (place_width == 0 || place_width + 12 > width || crowds) {
    return fit_function(style, function, width);
  }
  return fit_function(style, function, width - place_width) + "  " + place;
}

std::string asking_text(const TextStyle& style,
                        const std::vector<NamedFrame>& stack,
                        std::size_t width) {
  return stack.empty() ? std::string("(no stack was recorded)")
                       : frame_text(style, stack[asking_frame(stack)], width);
}

std::vector<std::string> chain_text(const TextStyle& style,
                                    const std::vector<NamedFrame>& stack,
                                    std::size_t width) {
  if (style.whole_stacks) {
    return whole_chain_text(style, stack, width);
  }
  std::vector<std::string> lines;
  const std::size_t asking = asking_frame(stack);
  if (const std::string plumbing = plumbing_text(stack, asking); !plumbing.empty()) {
    lines.push_back(fit(style, std::string(kThroughWord) + printable(style, plumbing), width));
  }
  const std::vector<std::size_t> callers = telling_frames(stack, asking + 1, startup_begin(stack));
  const std::size_t far = callers.size() - std::min(callers.size(), kFarCallers);
  for (std::size_t i = 0; i < callers.size(); ++i) {
    const bool starts_gap = i == kNearCallers && i + 1 < far;
    const std::string text = starts_gap
                                 ? fmt::format("{} {} frames", style.utf8 ? "…" : "...", far - i)
                                 : frame_text(style, stack[callers[i]], width - kFromWord.size());
    lines.push_back((i == 0 ? std::string(kFromWord) : std::string(kFromWord.size(), ' ')) + text);
    i = starts_gap ? far - 1 : i;
  }
  return lines;
}

}  // namespace tidemark::analyzer
