#include "analyzer/flow/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tidemark::analyzer {

namespace {

/// Longer names lose outer scopes: `tvm::runtime::NDArray::Empty` -> `NDArray::Empty`.
constexpr std::size_t kLongNameCharacters = 36;

}  // namespace

std::uint32_t Places::of(trace::StackId stack) {
  const std::uint32_t asker = askers_.number_of(stack);
  by_asker_.resize(std::max<std::size_t>(by_asker_.size(), asker + 1));
  if (!by_asker_[asker]) {
    by_asker_[asker] = place_of(askers_.find(stack));
  }
  return *by_asker_[asker];
}

std::uint32_t Places::place_of(const AskerFinder::Found& found) {
  std::string whole;
  std::string text = place_text(std::vector<NamedFrame>());
  std::string native;
  if (found.asking) {
    const NamedFrame asking = askers_.named(*found.asking);
    text = place_text(asking);
    whole = fmt::format("{}\t{}:{}\t{}", asking.function, asking.file, asking.line, asking.module);
    if (asking.is_python) {
      native = found.native ? native_text(askers_.named(*found.native)) : std::string();
      whole += '\t' + native;
    }
  }
  const auto next = static_cast<std::uint32_t>(by_text_.size());
  const auto [known, is_new] = by_text_.try_emplace(std::move(whole), next);
  if (is_new) {
    texts_.push_back(text + '\t' + native);
  }
  return known->second;
}

std::string place_text(const NamedFrame& frame) {
  if (frame.function == trace::kUnsampledStackName) {
    return "places of which only a sample is known";
  }
  const std::string function = with_fewer_scopes(short_name(frame), kLongNameCharacters);
  if (frame.file.empty()) {
    return function;
  }
  return fmt::format("{} ({}:{})", function, file_name(frame.file), frame.line);
}

std::string place_text(const std::vector<NamedFrame>& stack) {
  return stack.empty() ? "a place without a recorded stack"
                       : place_text(stack[asking_frame(stack)]);
}

std::string native_text(const NamedFrame& native) {
  return native.named ? with_fewer_scopes(short_name(native), kLongNameCharacters)
                      : file_name(native.module);
}

std::string native_text(const std::vector<NamedFrame>& stack) {
  const std::size_t native = native_asker(stack);
  return native == stack.size() ? std::string() : native_text(stack[native]);
}

std::vector<std::string> told_natives(const std::vector<const std::vector<NamedFrame>*>& stacks) {
  std::map<std::string, std::set<std::string>> natives_of;  // By place.
  std::vector<std::string> places;
  std::vector<std::string> natives;
  for (const auto* const stack : stacks) {
    places.push_back(place_text(*stack));
    natives.push_back(native_text(*stack));
    natives_of[places.back()].insert(natives.back());
  }
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    if (natives_of[places[i]].size() > 1 && !natives[i].empty()) {
      natives[i].insert(0, " through ");
    } else {
      natives[i].clear();
    }
  }
  return natives;
}

std::vector<std::string> told_places(const std::vector<std::vector<NamedFrame>>& stacks) {
  std::vector<const std::vector<NamedFrame>*> borrowed;
  for (const auto& stack : stacks) {
    borrowed.push_back(&stack);
  }
  std::vector<std::string> places = told_natives(borrowed);
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    places[i].insert(0, place_text(stacks[i]));
  }
  return places;
}

bool is_of_no_file(std::string_view file_or_line) {
  return file_or_line.starts_with('<');
}

std::string calling_line(const std::vector<NamedFrame>& stack) {
  const auto is_own = [](const NamedFrame& frame) {
    return frame.is_python && python_origin(frame) == PythonOrigin::kProgram;
  };
  auto line = std::ranges::find_if(
      stack, [&](const NamedFrame& frame) { return is_own(frame) && !is_of_no_file(frame.file); });
  if (line == stack.end()) {
    line = std::ranges::find_if(stack, is_own);
  }
  return line == stack.end() ? std::string()
                             : fmt::format("{}:{}", file_name(line->file), line->line);
}

std::string program_line(const std::vector<NamedFrame>& stack) {
  if (stack.empty()) {
    return {};
  }
  const NamedFrame& asking = stack[asking_frame(stack)];
  return asking.is_python && python_origin(asking) == PythonOrigin::kPackage ? calling_line(stack)
                                                                             : std::string();
}

}  // namespace tidemark::analyzer
