// Modules that Python imported once the model was open: what a pickle names, what a reader needs.
//
// `imported`: a twentieth of the peak came since the first file of the model was opened, by stacks
// that import (the outermost `_find_and_load` of importlib). Not counted:
// - calls that imported before, or that bytes of the model came into: a module may load it;
// - heap blocks of 2 MiB and more, as a module may convert what was read.
// The package is that of the first module that such a call runs. There is no peak without it.

#include "analyzer/findings/findings.hpp"
#include "analyzer/flow/places.hpp"
#include "analyzer/query/live/live_set.hpp"
#include "analyzer/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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
  // The program's own package: `nets` of `/home/me/nets/__init__.py` and of `/home/me/nets.py`.
  constexpr std::string_view kPackage = "/__init__.py";
  if (file.ends_with(kPackage)) {
    file.remove_suffix(kPackage.size());
  }
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return std::string(name.substr(0, name.find('.')));
}

/// A module may convert what was read: the purpose of a block as large as this is unknown.
bool may_be_weights(const LiveStack& stack) {
  constexpr std::uint64_t kLargeBytes = std::uint64_t{2} << 20U;
  return stack.lane == trace::Lane::kHeap && stack.blocks != 0 &&
         stack.bytes / stack.blocks >= kLargeBytes;
}

/// Where a stack imports.
struct Import {
  trace::StackId site = trace::kNoStack;  ///< The caller's node of its outermost import.
  std::optional<trace::FrameId> module;   ///< The first module that this one runs, if any.

  [[nodiscard]] bool is_any() const { return site != trace::kNoStack; }
};

/// The imports of all stacks. Nodes come after their parents, so one pass over them is enough.
class Imports {
 public:
  explicit Imports(const trace::Definitions& definitions)
      : roles_(roles_of(definitions)), by_node_(definitions.stacks.size()) {
    for (std::size_t node = 1; node < by_node_.size(); ++node) {
      const trace::StackNode& stack = definitions.stacks[node];
      const Role role = trace::index(stack.frame) < roles_.size()
                            ? roles_[trace::index(stack.frame)]
                            : Role::kOther;
      Import& import = by_node_[node];
      import = by_node_[trace::index(stack.parent)];
      if (!import.is_any() && role == Role::kImport) {
        import.site = stack.parent;
        has_any_ = has_any_ || import.is_any();
      } else if (import.is_any() && !import.module && role == Role::kModule) {
        import.module = stack.frame;
      }
    }
  }

  [[nodiscard]] bool has_any() const { return has_any_; }
  [[nodiscard]] Import of(trace::StackId stack) const {
    return trace::index(stack) < by_node_.size() ? by_node_[trace::index(stack)] : Import();
  }

 private:
  enum class Role : std::uint8_t { kOther, kImport, kModule };

  static std::vector<Role> roles_of(const trace::Definitions& definitions) {
    std::vector<Role> roles(definitions.frames.size(), Role::kOther);
    for (std::uint32_t id = 0; id < roles.size(); ++id) {
      if (definitions.frames[id].language != trace::FrameLanguage::kPython) {
        continue;
      }
      for (const NamedFrame& frame : named_frame(definitions, trace::FrameId{id})) {
        if (frame.file == "<frozen importlib._bootstrap>" && frame.function == "_find_and_load") {
          roles[id] = Role::kImport;
        } else if (frame.function == "<module>" && !is_of_no_file(frame.file)) {
          roles[id] = Role::kModule;
        }
      }
    }
    return roles;
  }

  std::vector<Role> roles_;      // By FrameId.
  std::vector<Import> by_node_;  // By StackId.
  bool has_any_ = false;
};

/// Imports that were in progress when the model was opened, or that opened it: a module may load
/// it.
std::unordered_set<std::uint32_t> sites_of_load(const Evidence& evidence,
                                                const Instant& opened,
                                                const Imports& imports) {
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
  std::map<std::string, std::uint64_t> by_line;  ///< By the line of the program that they are for.
};

Imported imported_since(const Evidence& evidence, const Instant& opened) {
  const trace::Definitions& definitions = evidence.trace.definitions();
  const Imports imports(definitions);
  Imported imported;
  if (!imports.has_any()) {
    return imported;
  }
  const auto of_load = sites_of_load(evidence, opened, imports);
  std::uint64_t largest = 0;
  std::unordered_map<std::uint32_t, std::string> lines;  // By site.
  for (const LiveStack& stack :
       certain_kept_stacks(evidence.trace, opened, evidence.load.peak.at)) {
    const Import import = imports.of(stack.stack);
    if (!trace::in_footprint(stack.lane) || may_be_weights(stack) || !import.is_any() ||
        of_load.contains(trace::index(import.site))) {
      continue;
    }
    imported.bytes += stack.bytes;
    if (stack.bytes > largest) {
      largest = stack.bytes;
      imported.largest = stack.stack;
    }
    if (import.module) {
      const auto module = named_frame(definitions, *import.module);
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

/// `, with sklearn and what it imports`; with its bytes if others have a part, `, 80.0 MiB of that
/// with sklearn and what it imports`. Empty if none has more than half.
std::string main_part(const std::map<std::string, std::uint64_t>& parts,
                      std::uint64_t all_bytes,
                      std::string_view before,
                      std::string_view behind) {
  constexpr std::uint64_t kOtherPart = 20;
  for (const auto& [name, bytes] : parts) {
    if (bytes > all_bytes / 2 && !name.empty()) {
      const std::string size = all_bytes - bytes < all_bytes / kOtherPart
                                   ? std::string()
                                   : format_size(bytes) + " of that ";
      return fmt::format(", {}{} {}{}", size, before, name, behind);
    }
  }
  return {};
}

}  // namespace

void find_imported(const Evidence& evidence, std::vector<Finding>& findings) {
  const LoadFacts& load = evidence.load;
  const std::uint64_t opened_ns = load.model_opened_ns();
  if (opened_ns >= load.peak.at.at_ns) {
    return;
  }
  const Imported imported = imported_since(evidence, evidence.trace.instant_at(opened_ns));
  if (imported.bytes < evidence.worth_saying()) {
    return;
  }
  Finding finding{.kind = FindingKind::kImported, .title = "imported since the model was opened"};
  finding.bytes = imported.bytes;
  finding.at_ns = load.peak.at.at_ns;
  finding.frames = named_stack(evidence.trace.definitions(), imported.largest);
  finding.sentence = fmt::format(
      "{} of the peak came with modules that were imported once the model was open{}{}.",
      format_size(imported.bytes),
      main_part(imported.by_package, imported.bytes, "with", " and what it imports"),
      main_part(imported.by_line, imported.bytes, "for", ""));
  findings.push_back(std::move(finding));
}

}  // namespace tidemark::analyzer
