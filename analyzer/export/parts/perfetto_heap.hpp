/// The stacks of a lane as heap profiles of Perfetto.
#pragma once

#include "analyzer/export/parts/perfetto_packets.hpp"
#include "analyzer/export/stacks/stack_values.hpp"
#include "analyzer/stacks/stack_names.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace tidemark::exports {

/// The profiles of one lane, in their own packet sequence: trace_processor subtracts from each
/// profile what the previous one of its sequence had at the same call site, whatever its heap.
class PerfettoHeap {
 public:
  /// Both stay borrowed. @param pid of the process that has the profiles.
  PerfettoHeap(const trace::Definitions& definitions,
               std::uint32_t pid,
               trace::Lane lane,
               PerfettoPackets& packets);

  /// Adds a profile of the lane's rows; there must be at least one. @param table since the
  /// recording's begin. Calls must come in order of time.
  void add(const StackTable& table);

 private:
  std::uint64_t text(std::map<std::string, std::uint64_t>& known,
                     google::protobuf::RepeatedPtrField<perfetto_protos::InternedString>& texts,
                     const std::string& text);
  std::uint64_t mapping(const std::string& path, const std::string& build_id);
  std::uint64_t frame(const analyzer::NamedFrame& named, trace::FrameId recorded);
  std::uint64_t unknown_frame();
  /// Writes the callstack, unless it was written before.
  void callstack(trace::StackId stack);

  const trace::Definitions& definitions_;
  std::uint32_t pid_;
  trace::Lane lane_;
  std::uint32_t sequence_;
  PerfettoPackets& packets_;
  std::uint64_t profiles_ = 0;
  perfetto_protos::InternedData* interned_ = nullptr;  // In the packet that is being made.

  // Numbers of what was interned, from 1 on.
  std::map<std::string, std::uint64_t> functions_;
  std::map<std::string, std::uint64_t> sources_;
  std::map<std::string, std::uint64_t> paths_;
  std::map<std::string, std::uint64_t> build_ids_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> mappings_;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::uint64_t> frames_;
  std::set<trace::StackId> callstacks_;
};

}  // namespace tidemark::exports
