#include "analyzer/cli/completion/value_kinds.hpp"

#include <algorithm>
#include <array>

namespace tidemark::cli {
namespace {

struct NamedKind {
  std::string_view name;
  ValueKind kind;
};

constexpr std::array kNamed = {
    NamedKind{"SIZE", ValueKind::kFree},
    NamedKind{"N", ValueKind::kFree},
    NamedKind{"R", ValueKind::kFree},
    NamedKind{"PCT", ValueKind::kFree},
    NamedKind{"WxH", ValueKind::kFree},
    NamedKind{"TEXT", ValueKind::kFree},
    NamedKind{"URL", ValueKind::kFree},
    NamedKind{"A..B", ValueKind::kFree},
    NamedKind{"FILE", ValueKind::kFile},
    NamedKind{"FILE.tmk", ValueKind::kFile},
    NamedKind{"FILE.json", ValueKind::kFile},
    NamedKind{"B.json", ValueKind::kFile},
    NamedKind{"OUT", ValueKind::kFile},
    NamedKind{"OUT.png", ValueKind::kFile},
    NamedKind{"OUT.svg|OUT.png", ValueKind::kFile},
    NamedKind{"SIZE|FILE", ValueKind::kFile},
    NamedKind{"DIR", ValueKind::kFolder},
    NamedKind{"'CMD'", ValueKind::kCommandLine},
    NamedKind{"FORMAT", ValueKind::kFormat},
    NamedKind{"LANE", ValueKind::kLane},
    NamedKind{"LANE=SIZE", ValueKind::kLaneAndSize},
    NamedKind{"NAME", ValueKind::kPhase},
    NamedKind{"NAME=SIZE", ValueKind::kPhaseAndSize},
};

bool is_word(std::string_view part) {
  return !part.empty() && std::ranges::none_of(part, [](char c) { return 'A' <= c && c <= 'Z'; });
}

}  // namespace

ValueKind kind_of_value(std::string_view value_name) {
  const auto* const named = std::ranges::find(kNamed, value_name, &NamedKind::name);
  if (named != kNamed.end()) {
    return named->kind;
  }
  return words_in(value_name).empty() ? ValueKind::kUnknown : ValueKind::kWords;
}

std::vector<std::string> words_in(std::string_view value_name) {
  std::vector<std::string> words;
  while (!value_name.empty()) {
    const std::string_view part = value_name.substr(0, value_name.find('|'));
    if (is_word(part)) {
      words.emplace_back(part);
    }
    value_name.remove_prefix(std::min(part.size() + 1, value_name.size()));
  }
  return words;
}

}  // namespace tidemark::cli
