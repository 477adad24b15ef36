/// Addresses of code to functions, files and lines.
#pragma once

#include "collector/trace/definitions.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemark {

/// Answers from the files on this machine: debug information (in the file, or separate by build id
/// or .gnu_debuglink), else symbol tables (.symtab, .dynsym, .gnu_debugdata). Never from the
/// network.
///
/// Files are opened when first asked about and stay open, so ask after the run: what a running host
/// maps is not disturbed, but memory is taken. Ask module by module: of some hundred open ones all
/// are closed again when the next comes. Not thread-safe.
class Symbolizer {
 public:
  Symbolizer();
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;
  Symbolizer(Symbolizer&&) = delete;
  Symbolizer& operator=(Symbolizer&&) = delete;
  ~Symbolizer();

  /// @param offset a *return* address less the load bias: the call before it is what gets located.
  /// @param build_id that of the file when it was recorded. A file that has another one by now is
  /// not asked. Empty: whatever is there.
  /// @return innermost inlined function first; empty when nothing is known.
  std::vector<trace::Location> locate(const std::string& path,
                                      std::uint64_t offset,
                                      const std::string& build_id = {});

  /// @return lower-case hex; empty when the file has none, is not ELF, or is not there.
  static std::string build_id(const std::string& path);

 private:
  class Module;
  Module& module(const std::string& path);

  std::unordered_map<std::string, std::unique_ptr<Module>> modules_;
};

}  // namespace tidemark
