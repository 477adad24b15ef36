#include "gui/view/session/view_state.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace tidemark::gui {
namespace {

using Json = nlohmann::json;

// In the order of the enumerators.
constexpr std::array<std::string_view, 3> kAligns{"time", "phase", "bytes"};
const std::array<std::string_view, 5> kLayerWords = [] {
  std::array<std::string_view, 5> words;
  std::ranges::transform(analyzer::kLayerGroupings, words.begin(),
                         [](auto grouping) { return grouping_word(grouping); });
  return words;
}();
/// In the order of `report --by`, after none.
const std::array<std::string_view, 6> kUsages = [] {
  std::array<std::string_view, 6> words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    words.at(i) = grouping_word(static_cast<analyzer::UsageGrouping>(i));
  }
  return words;
}();
constexpr std::array<std::string_view, 4> kOrders{"top-down", "bottom-up", "module", "file"};
constexpr std::array<std::string_view, 3> kUntickedKinds{"finding", "stacks", "block"};
constexpr std::array<std::string_view, 5> kColours{"stack", "file", "thread", "size", "layer"};

template <typename Enum, std::size_t count>
std::string word_of(const std::array<std::string_view, count>& words, Enum value) {
  return std::string(words.at(static_cast<std::size_t>(value)));
}

/// Reads one object; what is missing or of another type leaves the value as it is.
class StateReader {
 public:
  explicit StateReader(const Json& json) : json_(json) {}

  template <typename Enum, std::size_t count>
  void word(const char* key, const std::array<std::string_view, count>& words, Enum& value) const {
    std::string text;
    read(key, text);
    const auto found = std::ranges::find(words, text);
    if (found != words.end()) {
      value = static_cast<Enum>(found - words.begin());
    }
  }
  template <typename Enum, std::size_t count>
  void word(const char* key,
            const std::array<std::string_view, count>& words,
            std::optional<Enum>& value) const {
    std::string text;
    read(key, text);
    const auto found = std::ranges::find(words, text);
    if (found != words.end()) {
      value = static_cast<Enum>(found - words.begin());
    }
  }
  void read(const char* key, std::string& value) const {
    if (const auto found = json_.find(key); found != json_.end() && found->is_string()) {
      value = found->get<std::string>();
    }
  }
  void read(const char* key, bool& value) const {
    if (const auto found = json_.find(key); found != json_.end() && found->is_boolean()) {
      value = found->get<bool>();
    }
  }
  [[nodiscard]] std::optional<double> number(const char* key, double least, double most) const {
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_number()) {
      return std::nullopt;
    }
    const double value = found->get<double>();
    return std::isfinite(value) ? std::optional(std::clamp(value, least, most)) : std::nullopt;
  }
  [[nodiscard]] std::optional<ViewRange> range(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_array() || found->size() != 2 ||
        !(*found)[0].is_number() || !(*found)[1].is_number()) {
      return std::nullopt;
    }
    const ViewRange range{(*found)[0].get<double>(), (*found)[1].get<double>()};
    const bool is_one = range.begin >= 0 && range.end <= 1 && range.begin < range.end;
    return is_one ? std::optional(range) : std::nullopt;
  }

 private:
  const Json& json_;
};

Json unticked_json(const std::vector<Unticked>& all) {
  Json list = Json::array();
  for (const Unticked& one : all) {
    Json& entry = list.emplace_back(Json{{"kind", word_of(kUntickedKinds, one.kind)},
                                         {"side", one.side},
                                         {"number", one.number},
                                         {"stacks", one.stacks},
                                         {"text", one.text},
                                         {"bytes", one.bytes}});
    if (!one.resized.empty()) {
      entry["resized"] = one.resized;
    }
  }
  return list;
}

template <typename Number>
Number whole(const Json& json, const char* key) {
  const auto found = json.find(key);
  const bool is_one = found != json.end() && found->is_number_unsigned();
  const auto value = is_one ? found->get<std::uint64_t>() : 0;
  return static_cast<Number>(std::min<std::uint64_t>(value, std::numeric_limits<Number>::max()));
}

std::vector<Unticked> parse_unticked(const Json& json) {
  std::vector<Unticked> all;
  const auto list = json.find("unticked");
  if (list == json.end() || !list->is_array()) {
    return all;
  }
  for (const Json& entry : *list) {
    if (!entry.is_object()) {
      continue;
    }
    Unticked& one = all.emplace_back();
    const StateReader reader(entry);
    reader.word("kind", kUntickedKinds, one.kind);
    reader.read("text", one.text);
    one.side = std::min<std::size_t>(whole<std::size_t>(entry, "side"), 1);
    one.number = whole<std::uint64_t>(entry, "number");
    one.bytes = whole<std::uint64_t>(entry, "bytes");
    if (const auto resized = entry.find("resized"); resized != entry.end() && resized->is_array()) {
      for (const Json& block : *resized) {
        if (block.is_number_unsigned()) {
          one.resized.push_back(block.get<std::uint64_t>());
        }
      }
    }
    if (const auto stacks = entry.find("stacks"); stacks != entry.end() && stacks->is_array()) {
      for (const Json& stack : *stacks) {
        if (stack.is_number_unsigned()) {
          one.stacks.push_back(static_cast<std::uint32_t>(
              std::min<std::uint64_t>(stack.get<std::uint64_t>(), UINT32_MAX)));
        }
      }
    }
  }
  return all;
}

}  // namespace

std::optional<Pane> pane_named(std::string_view word) {
  const auto* const found = std::ranges::find(kPaneWords, word);
  return found == kPaneWords.end() ? std::nullopt
                                   : std::optional(static_cast<Pane>(found - kPaneWords.begin()));
}

std::optional<Pane> pane_at(std::size_t tab, bool has_difference) {
  const bool is_behind = !has_difference && tab >= static_cast<std::size_t>(Pane::kDifference);
  const std::size_t pane = tab + (is_behind ? 1 : 0);
  return pane < kPanes ? std::optional(static_cast<Pane>(pane)) : std::nullopt;
}

double timeline_share(const ViewState& state, std::size_t traces) {
  constexpr double kOfOne = 0.5;
  constexpr double kOfTwo = 0.6;
  return state.timeline.value_or(traces > 1 && !state.overlaid ? kOfTwo : kOfOne);
}

Split split_height(const ViewState& state, std::size_t traces, double height, double scale) {
  // Two plots with their headers above the axis; tabs, a toolbar, and some rows or one.
  constexpr double kPlot = 54;
  constexpr double kAxis = 20;
  constexpr double kRows = 128;
  constexpr double kRow = 90;
  const double plots = traces > 1 && !state.overlaid ? 2 : 1;
  const double least = (plots * kPlot + kAxis) * scale;
  const double panes = (state.timeline ? kRow : kRows) * scale;
  const double all = std::max(height, least + panes);
  return {all, std::clamp(all * timeline_share(state, traces), least, all - panes)};
}

ViewState for_other_traces(const ViewState& state) {
  ViewState kept;
  kept.by = state.by;
  kept.pane = state.pane;
  kept.usage = state.usage;
  kept.usage_by_function = state.usage_by_function;
  kept.order = state.order;
  kept.flame_from_callers = state.flame_from_callers;
  kept.folds_recursion = state.folds_recursion;
  kept.block_colour = state.block_colour;
  kept.both_blocks = state.both_blocks;
  kept.timeline = state.timeline;
  kept.dark = state.dark;
  return kept;
}

std::string state_json(const ViewState& state) {
  Json json{{"schema", 1},
            {"range", {state.range.begin, state.range.end}},
            {"by", word_of(kLayerWords, state.by)},
            {"overlaid", state.overlaid},
            {"pane", word_of(kPaneWords, state.pane)},
            {"side", state.side},
            {"order", word_of(kOrders, state.order)},
            {"flame_from_callers", state.flame_from_callers},
            {"fold_recursion", state.folds_recursion},
            {"block_colour", word_of(kColours, state.block_colour)},
            {"both_blocks", state.both_blocks},
            {"search", state.wanted},
            {"usage", word_of(kUsages, state.usage)},
            {"usage_by_function", state.usage_by_function},
            {"height", state.height},
            {"dark", state.dark}};
  if (state.align) {
    json["align"] = word_of(kAligns, *state.align);
  }
  if (state.timeline) {
    json["timeline"] = *state.timeline;
  }
  if (state.cursor) {
    json["cursor"] = *state.cursor;
  }
  if (state.block) {
    json["block"] = *state.block;
  }
  if (!state.unticked.empty()) {
    json["unticked"] = unticked_json(state.unticked);
  }
  if (state.selection) {
    json["selection"] = {state.selection->begin, state.selection->end};
  }
  // What was typed into the search may be cut in the middle of a character.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<ViewState> parse_state(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return Error{ErrorCode::kUsage, "the state is no JSON object; save one from the window"};
  }
  const StateReader reader(json);
  ViewState state;
  state.range = reader.range("range").value_or(state.range);
  reader.word("align", kAligns, state.align);
  reader.word("by", kLayerWords, state.by);
  reader.read("overlaid", state.overlaid);
  reader.word("pane", kPaneWords, state.pane);
  state.side = static_cast<std::size_t>(reader.number("side", 0, 1).value_or(0));
  reader.word("order", kOrders, state.order);
  reader.read("flame_from_callers", state.flame_from_callers);
  reader.read("fold_recursion", state.folds_recursion);
  reader.word("block_colour", kColours, state.block_colour);
  reader.read("both_blocks", state.both_blocks);
  reader.read("search", state.wanted);
  // The first one is the empty word of none.
  reader.word("usage", kUsages, state.usage);
  if (state.usage == analyzer::UsageGrouping::kNone) {
    state.usage = ViewState().usage;
  }
  reader.read("usage_by_function", state.usage_by_function);
  state.height = reader.number("height", kMinHeight, 1).value_or(state.height);
  state.timeline = reader.number("timeline", 0.15, 0.85);
  reader.read("dark", state.dark);
  state.cursor = reader.number("cursor", 0, 1);
  state.selection = reader.range("selection");
  const auto block = json.find("block");
  if (block != json.end() && block->is_number_unsigned()) {
    state.block = block->get<std::uint64_t>();
  }
  state.unticked = parse_unticked(json);
  return state;
}

}  // namespace tidemark::gui
