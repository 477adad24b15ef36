/// Addresses of code to functions, files and lines.
#pragma once

#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tidemark {

/// Answers for one file, from the files on this machine: debug information (in the file, or
/// separate by build id or .gnu_debuglink), else symbol tables (.symtab, .dynsym, .gnu_debugdata).
/// Never from the network.
///
/// The file is open while this lives, so ask after the run: what a running host maps is not
/// disturbed, but memory is taken. Not thread-safe; several objects, each in its thread, are fine,
/// also for one file.
class Symbolizer {
 public:
  /// @param build_id that of the file when it was recorded. A file that has another one by now is
  /// not asked. Empty: whatever is there.
  explicit Symbolizer(const std::string& path, const std::string& build_id = {});
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;
  Symbolizer(Symbolizer&&) = delete;
  Symbolizer& operator=(Symbolizer&&) = delete;
  ~Symbolizer();

  /// Goes through the file's tables once, however many offsets there are: ask about all in one
  /// call.
  /// @param offsets ascending *return* addresses less the load bias: the call before each is what
  /// gets located.
  /// @return for each offset the innermost inlined function first; empty when nothing is known.
  std::vector<std::vector<trace::Location>> locate(std::span<const std::uint64_t> offsets);
  std::vector<trace::Location> locate(std::uint64_t offset);

  /// False when the file is not there, is not the one that was recorded, or when debug information
  /// lies in yet another file that is not there: the answers may be better another day.
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  /// What .gnu_debuglink says; empty for a file without.
  [[nodiscard]] std::string debug_link() const;

  /// @return lower-case hex; empty when the file has none, is not ELF, or is not there.
  static std::string build_id(const std::string& path);

 private:
  class Module;
  std::unique_ptr<Module> module_;  ///< Null for a file that is not to be asked.
  bool is_complete_ = false;
};

}  // namespace tidemark
