/// The ways to run a program that are compared.
#pragma once

#include "tests/support/temporary_folder.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tidemark::bench {

using Command = std::vector<std::string>;

enum class Profiler {
  kNone,
  kTidemark,
  kSampled,  ///< tidemark with --sample 512KiB.
  kHeaptrack,
};
inline constexpr std::array kProfilers = {Profiler::kNone, Profiler::kTidemark, Profiler::kSampled,
                                          Profiler::kHeaptrack};

std::string name_of(Profiler profiler);

/// Where the commands under test are, and where files may go for as long as this lives.
class Workshop {
 public:
  Workshop();

  /// A command of this build.
  [[nodiscard]] std::string tool(const std::string& name) const { return commands_ / name; }
  /// A host program of the bench.
  [[nodiscard]] static std::string host(const std::string& name);
  /// A source file of the bench.
  [[nodiscard]] static std::string source(const std::string& name);
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }

  /// As a user would run `command` under `profiler`.
  /// @param options more of `tidemark record`.
  [[nodiscard]] Command under(Profiler profiler,
                              const Command& command,
                              const Command& options = {}) const;
  /// The trace that the last run under `profiler` left.
  [[nodiscard]] std::string trace(Profiler profiler) const;
  [[nodiscard]] std::uint64_t trace_bytes(Profiler profiler) const;

 private:
  std::filesystem::path commands_;
  tests::TemporaryFolder folder_;
};

}  // namespace tidemark::bench
