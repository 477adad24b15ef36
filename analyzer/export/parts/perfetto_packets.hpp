/// The packets of a Perfetto trace except its heap profiles: one method a kind.
#pragma once

#include "analyzer/export/curves/counter_points.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <perfetto_trace.pb.h>

namespace tidemark::exports {

namespace perfetto_protos = ::perfetto::protos;

/// Whose track an event belongs to: the operating system's ids.
struct PerfettoThread {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
};

struct PerfettoSlice {
  std::string name;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t peak_bytes = 0;
};

/// Appends to one trace. Times are those of the recording: its clocks begin at 0.
class PerfettoPackets {
 public:
  explicit PerfettoPackets(std::uint64_t started_unix_ns);

  void name_process(std::uint32_t pid, const std::string& name);
  void name_thread(const PerfettoThread& thread, const std::string& name);
  /// A track of the process, in bytes.
  void counter(std::uint32_t pid, const std::string& name, const std::vector<CounterPoint>& points);
  /// On the thread's own track, where slices must nest and come in order of their begin.
  void slice(const PerfettoThread& thread, const PerfettoSlice& slice);
  /// On a track of its own below the process, named as the slice.
  void free_slice(std::uint32_t pid, const PerfettoSlice& slice);
  struct Annotation {
    std::string name;
    std::string text;
  };
  void instant(std::uint32_t pid,
               std::uint64_t at_ns,
               const std::string& name,
               const std::vector<Annotation>& annotations = {});
  /// An empty packet of that sequence. Each sequence numbers its interned data separately;
  /// everything above uses sequence 1.
  perfetto_protos::TracePacket& packet(std::uint32_t sequence);

  [[nodiscard]] std::string bytes() const { return trace_.SerializeAsString(); }

 private:
  perfetto_protos::TrackDescriptor& track(std::uint64_t uuid);
  perfetto_protos::TrackEvent& event(std::uint64_t at_ns, std::uint64_t track);
  void slice_on(std::uint64_t track, const PerfettoSlice& slice);

  perfetto_protos::Trace trace_;
  std::uint64_t tracks_ = 0;  // Those without an id of the system's.
};

}  // namespace tidemark::exports
