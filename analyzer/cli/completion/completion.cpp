#include "analyzer/cli/completion/completion.hpp"

#include "analyzer/cli/completion/value_kinds.hpp"
#include "analyzer/export/formats.hpp"
#include "analyzer/findings/explanations.hpp"
#include "analyzer/gate/gate_subject.hpp"
#include "analyzer/query/loaded_trace.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace tidemark::cli {
namespace {

/// The words that are being completed, as far as they are understood.
struct Typed {
  const CommandVerb* verb = nullptr;
  const CommandOption* waiting = nullptr;  ///< An option whose value is the last word.
  std::vector<std::string> given;          ///< Options, by their long names.
  std::vector<std::string> arguments;      ///< Words by position, without the last one.
  std::optional<std::size_t> program;      ///< For `record`: where the program's words begin.
};

const CommandOption* option_named(const CommandVerb& verb, std::string_view name) {
  for (const CommandOption& option : verb.options) {
    if (std::ranges::find(option.names, name) != option.names.end()) {
      return &option;
    }
  }
  return nullptr;
}

bool takes_a_program(const CommandVerb& verb) {
  return !verb.arguments.empty() && verb.arguments.front().name == "CMD";
}

/// The words behind the verb, but the last one.
Typed understood(const CommandVerb& verb, const std::vector<std::string>& words) {
  Typed typed{.verb = &verb, .waiting = nullptr, .given = {}, .arguments = {}, .program = {}};
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_option = word.starts_with('-') && word != "--" && typed.waiting == nullptr;
    if (typed.waiting != nullptr) {
      typed.waiting = nullptr;
    } else if (is_option) {
      const CommandOption* const option = option_named(verb, word.substr(0, word.find('=')));
      if (option != nullptr) {
        typed.given.push_back(option->long_name());
        typed.waiting =
            option->value.empty() || word.find('=') != std::string::npos ? nullptr : option;
      }
    } else if (takes_a_program(verb)) {
      typed.program = word == "--" ? i + 1 : i;
      return typed;
    } else if (word != "--") {
      typed.arguments.push_back(word);
    }
  }
  return typed;
}

/// Keeps what begins like the word; `before` (`--lane=`) is put in front of each.
void offer(Completion& out,
           std::string_view typed,
           const std::string& before,
           const std::string& word,
           const std::string& about = {}) {
  const std::string whole = before + word;
  if (whole.starts_with(typed)) {
    out.candidates.push_back({whole, about});
  }
}

/// The phases in a trace that are not libraries' names. None if it cannot be read.
std::vector<std::string> phases_of(const std::string& path) {
  std::vector<std::string> phases;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    return phases;  // A pipe would be waited for.
  }
  const auto trace = analyzer::LoadedTrace::open(path);
  if (!trace.ok()) {
    return phases;
  }
  for (const std::string& name : trace.value().definitions().names) {
    const bool is_library =
        name.find('/') != std::string::npos || name.find(".so") != std::string::npos;
    if (!name.empty() && !is_library) {
      phases.push_back(name);
    }
  }
  return phases;
}

void offer_lanes(Completion& out, std::string_view word, const std::string& before, bool sizes) {
  for (const std::string& lane : analyzer::gauge_list()) {
    offer(out, word, before, lane + (sizes ? "=" : ""));
  }
}

void offer_phases(Completion& out,
                  const Typed& typed,
                  std::string_view word,
                  const std::string& before,
                  bool sizes) {
  for (const std::string& trace : typed.arguments) {
    for (const std::string& phase : phases_of(trace)) {
      offer(out, word, before, phase + (sizes ? "=" : ""));
    }
  }
}

/// @param before the part of `word` in front of the value: `--format=`, or nothing.
void offer_values(Completion& out,
                  const Typed& typed,
                  const CommandOption& option,
                  std::string_view word,
                  const std::string& before) {
  switch (kind_of_value(option.value)) {
    case ValueKind::kUnknown:
    case ValueKind::kFree:
      return;
    case ValueKind::kFile:
    case ValueKind::kCommandLine:
      out.offers = ShellOffers::kFiles;
      return;
    case ValueKind::kFolder:
      out.offers = ShellOffers::kFolders;
      return;
    case ValueKind::kWords:
      for (const std::string& value : words_in(option.value)) {
        offer(out, word, before, value);
      }
      return;
    case ValueKind::kFormat:
      for (const exports::ExportFormat& format : exports::export_formats()) {
        offer(out, word, before, std::string(format.name));
      }
      return;
    case ValueKind::kLane:
    case ValueKind::kLaneAndSize:
      return offer_lanes(out, word, before, kind_of_value(option.value) == ValueKind::kLaneAndSize);
    case ValueKind::kPhase:
    case ValueKind::kPhaseAndSize:
      return offer_phases(out, typed, word, before,
                          kind_of_value(option.value) == ValueKind::kPhaseAndSize);
  }
}

void offer_options(Completion& out, const Typed& typed, const std::string& word) {
  for (const CommandOption& option : typed.verb->options) {
    const bool again =
        option.repeated || std::ranges::find(typed.given, option.long_name()) == typed.given.end();
    if (again) {
      offer(out, word, "", option.long_name(), option.about);
    }
  }
}

void offer_argument(Completion& out, const Typed& typed, const std::string& word) {
  const auto& arguments = typed.verb->arguments;
  if (typed.arguments.size() >= arguments.size()) {
    return;
  }
  if (typed.verb->name == "explain") {
    for (const analyzer::Explanation& finding : analyzer::explanations()) {
      offer(out, word, "", analyzer::finding_name(finding.kind), finding.summary);
    }
    return;
  }
  out.offers = ShellOffers::kTraces;
}

void offer_verbs(Completion& out, const CommandTree& tree, const std::string& word) {
  for (const CommandVerb& verb : tree.verbs) {
    offer(out, word, "", verb.name, verb.about);
  }
}

Completion complete_verb(const CommandTree& tree, const std::string& word) {
  Completion out;
  if (word.starts_with('-')) {
    Typed typed;
    typed.verb = &tree.command;
    offer_options(out, typed, word);
    return out;
  }
  offer_verbs(out, tree, word);
  offer(out, word, "", "help", "Help for one verb");
  return out;
}

Completion complete_of_verb(const CommandVerb& verb, const std::vector<std::string>& words) {
  Completion out;
  const Typed typed = understood(verb, words);
  const std::string& word = words.back();
  const std::size_t equals = word.find('=');
  if (typed.program) {
    out.offers = ShellOffers::kCommand;
    out.command_at = *typed.program;
  } else if (typed.waiting != nullptr) {
    offer_values(out, typed, *typed.waiting, word, "");
  } else if (word.starts_with("--") && equals != std::string::npos) {
    const CommandOption* const option = option_named(verb, word.substr(0, equals));
    if (option != nullptr && !option->value.empty()) {
      offer_values(out, typed, *option, word, word.substr(0, equals + 1));
    }
  } else if (word.starts_with('-')) {
    offer_options(out, typed, word);
  } else if (takes_a_program(verb)) {
    out.offers = ShellOffers::kCommand;
    out.command_at = words.size() - 1;
  } else {
    offer_argument(out, typed, word);
  }
  return out;
}

constexpr std::array kOffers = {"", ":files", ":traces", ":folders", ":command"};

}  // namespace

Completion complete(const CommandTree& tree, const std::vector<std::string>& words) {
  if (words.size() < 2) {
    return complete_verb(tree, words.empty() ? std::string() : words.front());
  }
  if (words.front() == "help") {
    Completion out;
    if (words.size() == 2) {
      offer_verbs(out, tree, words.back());
    }
    return out;
  }
  const auto verb = std::ranges::find(tree.verbs, words.front(), &CommandVerb::name);
  return verb == tree.verbs.end() ? Completion() : complete_of_verb(*verb, words);
}

std::string completion_text(const Completion& completion) {
  std::string text;
  for (const Candidate& candidate : completion.candidates) {
    text += candidate.word + (candidate.about.empty() ? "" : '\t' + candidate.about) + '\n';
  }
  if (completion.offers != ShellOffers::kNothing) {
    text += kOffers[static_cast<std::size_t>(completion.offers)];
    text += completion.offers == ShellOffers::kCommand
                ? ' ' + std::to_string(completion.command_at) + '\n'
                : "\n";
  }
  return text;
}

}  // namespace tidemark::cli
