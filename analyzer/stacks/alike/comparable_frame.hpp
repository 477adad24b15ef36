/// Frames in a form that can be compared between two traces, independent of moved lines, of where
/// the program was built, and of its file's name.
#pragma once

#include "analyzer/stacks/alike/interned_frames.hpp"
#include "analyzer/stacks/stack_names.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tidemark::analyzer {

/// One function of a stack as ids: two ids are equal exactly when their texts are. Frames with
/// equal `site` are equal in all other fields.
struct ComparableFrame {
  std::uint32_t site = 0;        ///< The same line of the same build.
  std::uint32_t name = 0;        ///< The same function, overload and template arguments.
  std::uint32_t short_name = 0;  ///< The same function, whatever its arguments.
  std::uint32_t line = 0;        ///< 0: unknown. Not compared; it orders the calls of one function.
  bool is_plumbing = false;      ///< See is_allocation_plumbing.
  bool is_startup = false;       ///< See is_startup.
  bool is_python = false;
  bool is_standard = false;  ///< Part of Python's own library.
  bool is_script = false;    ///< What a file of Python does itself: <module>.
};

/// Without what compilers and linkers add to a symbol: `.constprop.0`, `.part.0`, `.isra.0`,
/// `.cold`, ` [clone .cold]`, `@@GLIBC_2.34`.
std::string_view without_clone_suffix(std::string_view function);

/// Base name of a module, without the version behind `.so`.
std::string module_name(std::string_view path);

/// What a function is part of: `libtorch.so`; for Python the package, `Python's own library`, or
/// the program's own file.
std::string module_text(const NamedFrame& frame);

/// A frame without its line, as baselines have it: `read_whole`, of Python `load (load.py)`, since
/// every file has its <module>, and of code without a name `[libtorch.so]`.
std::string lineless_name(const NamedFrame& frame);

/// Gives out the ids of the frames of two traces.
///
/// Code without names is compared by its module's base name. A module that only one trace has may
/// be a renamed one of the other: such code counts as equal if it is at the same place of a stack.
class FrameTable {
 public:
  FrameTable(const trace::Definitions& before, const trace::Definitions& after);

  /// `build` names the build of the frame's module: its build id, or for a module without one any
  /// text that the other trace does not use.
  ComparableFrame add(const NamedFrame& frame, const std::string& build);

 private:
  std::uint32_t id(std::string text);
  [[nodiscard]] std::string name_of(const NamedFrame& frame) const;

  std::set<std::string> shared_modules_;  // By module_name.
  std::unordered_map<std::string, std::uint32_t> ids_;
};

/// The stacks of two traces as nodes of one tree, outermost frame first: common outer frames are
/// shared, and stacks of the same sites are one node.
class ComparableTree {
 public:
  static constexpr std::uint32_t kRoot = 0;  ///< The empty stack.

  /// A stack without the start-up code at its outer end.
  struct Path {
    std::uint32_t node = kRoot;
    std::uint32_t depth = 0;  ///< Its frames with the start-up code; kStartupDepth: or more.
  };

  /// The stack of `caller`, and `frame` called by it.
  Path called_by(const Path& caller, const ComparableFrame& frame);
  /// As it is. @param frames innermost first.
  std::uint32_t node_of(std::span<const ComparableFrame> frames);

  /// These two of any node but the root.
  [[nodiscard]] std::uint32_t caller_of(std::uint32_t node) const { return nodes_.parent_of(node); }
  [[nodiscard]] const ComparableFrame& frame_of(std::uint32_t node) const {
    return frames_[nodes_.key_of(node)];
  }
  /// Greater than every node's number. A caller's number is less than its callee's.
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  std::uint32_t child(std::uint32_t caller, const ComparableFrame& frame);

  ChildIndex nodes_;  // By number of the frame.
  std::vector<ComparableFrame> frames_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // Numbers of frames, by site.
};

/// What one stack holds in one lane.
struct ComparableStack {
  trace::Lane lane = trace::Lane::kHeap;
  std::uint64_t bytes = 0;
  std::uint32_t node = ComparableTree::kRoot;  ///< Without the start-up code below main.
};

}  // namespace tidemark::analyzer
