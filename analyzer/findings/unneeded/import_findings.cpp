// Modules that Python imported once the model was open: what a pickle names, what a reader needs.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/load/reading_progress.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tidemark::analyzer {
namespace {

/// `sklearn` of `/usr/lib/python3/dist-packages/sklearn/tree/__init__.py`, `csv` of
/// `/usr/lib/python3.11/csv.py`.
std::string package_of(std::string_view file) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/", "/lib/python3"}) {
    if (const auto at = file.rfind(folder); at != std::string_view::npos) {
      file.remove_prefix(at + folder.size());
      if (folder.ends_with('3')) {  // `.11/csv.py`
        file.remove_prefix(std::min(file.find('/') + 1, file.size()));
      }
      const std::string_view name = file.substr(0, file.find('/'));
      return std::string(name.substr(0, name.find('.')));
    }
  }
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return std::string(name.substr(0, name.find('.')));
}

/// Where a stack imports.
struct Import {
  trace::StackId site = trace::kNoStack;  ///< The node of its outermost import, callers included.
  trace::FrameId module{0};  ///< The first module that this one runs; 0 where it runs none.

  [[nodiscard]] bool is_any() const { return site != trace::kNoStack; }
};

/// Finds imports in very many stacks: each frame is named once.
class Imports {
 public:
  explicit Imports(const trace::Definitions& definitions) : definitions_(definitions) {}

  Import of(trace::StackId stack) {
    Import outermost;
    trace::FrameId module{0};
    std::size_t node = trace::index(stack);
    for (std::size_t depth = 0;
         node != 0 && node < definitions_.stacks.size() && depth < trace::kMaxStackDepth; ++depth) {
      const trace::FrameId frame = definitions_.stacks[node].frame;
      const Role role = role_of(frame);
      if (role == Role::kModule) {
        module = frame;
      } else if (role == Role::kImport) {
        outermost = {trace::StackId(static_cast<std::uint32_t>(node)), module};
      }
      node = trace::index(definitions_.stacks[node].parent);
    }
    return outermost;
  }

 private:
  enum class Role : std::uint8_t { kOther, kImport, kModule };

  Role role_of(trace::FrameId id) {
    const auto [role, is_new] = roles_.try_emplace(trace::index(id), Role::kOther);
    if (is_new && trace::index(id) < definitions_.frames.size() &&
        definitions_.frames[trace::index(id)].language == trace::FrameLanguage::kPython) {
      for (const NamedFrame& frame : named_frame(definitions_, id)) {
        if (frame.file == "<frozen importlib._bootstrap>" && frame.function == "_find_and_load") {
          role->second = Role::kImport;
        } else if (frame.function == "<module>" && !is_of_no_file(frame.file)) {
          role->second = Role::kModule;
        }
      }
    }
    return role->second;
  }

  const trace::Definitions& definitions_;
  std::unordered_map<std::uint32_t, Role> roles_;  // By FrameId.
};

/// Imports that were under way when the model was opened, or that brought it: a module may load it.
std::unordered_set<std::uint32_t> sites_of_load(const Evidence& evidence,
                                                const Instant& opened,
                                                Imports& imports) {
  std::unordered_set<std::uint32_t> sites;
  for (const LiveStack& stack : live_set_at(evidence.trace, opened).stacks) {
    sites.insert(trace::index(imports.of(stack.stack).site));
  }
  const auto& lives = evidence.flow.lives();
  for (std::uint32_t life = 0; life < lives.size(); ++life) {
    if (evidence.flow.arrived(life) > 0) {
      sites.insert(trace::index(imports.of(lives[life].stack).site));
    }
  }
  return sites;
}

struct Imported {
  std::uint64_t bytes = 0;
  trace::StackId largest = trace::kNoStack;
  std::map<std::string, std::uint64_t> by_package;
  std::map<std::string, std::uint64_t> by_line;  ///< Of the program that they are for.
};

Imported imported_since(const Evidence& evidence, const Instant& opened) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  Imports imports(definitions);
  const auto of_load = sites_of_load(evidence, opened, imports);
  Imported imported;
  std::uint64_t largest = 0;
  std::unordered_map<std::uint32_t, std::string> lines;  // By site.
  for (const LiveStack& stack :
       certain_kept_stacks(evidence.trace, opened, evidence.load.peak.at)) {
    const Import import = imports.of(stack.stack);
    if (!trace::in_footprint(stack.lane) || !import.is_any() ||
        of_load.contains(trace::index(import.site))) {
      continue;
    }
    imported.bytes += stack.bytes;
    if (stack.bytes > largest) {
      largest = stack.bytes;
      imported.largest = stack.stack;
    }
    if (trace::index(import.module) != 0) {
      const auto module = named_frame(definitions, import.module);
      imported.by_package[package_of(module.back().file)] += stack.bytes;
    }
    const auto [line, is_new] = lines.try_emplace(trace::index(import.site));
    if (is_new) {
      line->second = calling_line(named_stack(definitions, import.site));
    }
    imported.by_line[line->second] += stack.bytes;
  }
  return imported;
}

/// That with most bytes, where these are more than half of all; else null.
const std::pair<const std::string, std::uint64_t>* main_one(
    const std::map<std::string, std::uint64_t>& bytes, std::uint64_t all_bytes) {
  for (const auto& one : bytes) {
    if (one.second > all_bytes / 2 && !one.first.empty()) {
      return &one;
    }
  }
  return nullptr;
}

/// `: sklearn and what it imports, for load.py:2`.
std::string who_imported(const Imported& imported) {
  constexpr std::uint64_t kOtherPart = 20;
  std::string text;
  if (const auto* const package = main_one(imported.by_package, imported.bytes)) {
    const std::string name = package->first + " and what it imports";
    text = imported.bytes - package->second < imported.bytes / kOtherPart
               ? ": " + name
               : fmt::format(", {} of that with {}", format_size(package->second), name);
  }
  if (const auto* const line = main_one(imported.by_line, imported.bytes)) {
    text += ", for " + line->first;
  }
  return text;
}

}  // namespace

void find_imported(const Evidence& evidence, std::vector<Finding>& findings) {
  const LoadFacts& load = evidence.load;
  const std::uint64_t opened_ns = model_opened_ns(load);
  if (opened_ns >= load.peak.at.at_ns) {
    return;
  }
  const Imported imported = imported_since(evidence, evidence.trace.instant_at(opened_ns));
  if (imported.bytes < evidence.worth_saying()) {
    return;
  }
  Finding finding{.kind = FindingKind::kImported, .title = "imported during the load"};
  finding.bytes = imported.bytes;
  finding.at_ns = load.peak.at.at_ns;
  finding.frames = named_stack(evidence.trace.definitions(), imported.largest);
  finding.sentence =
      fmt::format("{} of the peak came with modules that were imported once the model was open{}.",
                  format_size(imported.bytes), who_imported(imported));
  findings.push_back(std::move(finding));
}

}  // namespace tidemark::analyzer
