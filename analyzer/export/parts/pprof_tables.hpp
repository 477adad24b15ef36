/// The tables of a pprof profile: texts, modules, functions and locations, each one once.
#pragma once

#include "analyzer/stacks/stack_names.hpp"
#include "collector/trace/types/definitions.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

#include <profile.pb.h>

namespace tidemark::exports {

namespace pprof = perftools::profiles;

/// Fills a profile's tables as ids are asked for. Ids count from 1; 0 says "none".
class PprofTables {
 public:
  /// Both stay borrowed.
  PprofTables(const trace::Definitions& definitions, pprof::Profile& profile);

  std::int64_t text(const std::string& text);
  std::uint64_t location(trace::FrameId frame);
  /// The location of memory with an unknown stack.
  std::uint64_t unknown_location();

 private:
  std::uint64_t mapping(trace::ModuleId module);
  std::uint64_t function(const analyzer::NamedFrame& frame);
  void add_lines(trace::FrameId frame, pprof::Location& location);
  void widen(std::uint64_t mapping, const pprof::Location& location);

  const trace::Definitions& definitions_;
  pprof::Profile& profile_;
  std::unordered_map<std::string, std::int64_t> texts_;
  std::unordered_map<std::uint32_t, std::uint64_t> mappings_;   // By ModuleId.
  std::unordered_map<std::uint32_t, std::uint64_t> locations_;  // By FrameId.
  std::unordered_map<std::string, std::uint64_t> functions_;    // By name and file.
  std::uint64_t unknown_ = 0;
};

}  // namespace tidemark::exports
